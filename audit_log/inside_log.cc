#include "audit_log/inside_log.h"

#include <algorithm>
#include <string>

#include "audit_log/append.h"
#include "audit_log/entry.h"
#include "audit_log/line.h"

namespace ringfence {
namespace {

constexpr size_t kLeast = 512;  // minimum cost of a line, since each takes a lock

}  // namespace

bool ByteBudget::Take(size_t bytes, int64_t unix_nanoseconds) {
  constexpr int64_t kMicrosecond = 1000, kMicroseconds = 1'000'000;
  const int64_t passed = std::clamp<int64_t>((unix_nanoseconds - last_) / kMicrosecond, 0,
                                             kMost / kEachSecond * kMicroseconds);
  left_ = std::min(kMost, left_ + passed * kEachSecond / kMicroseconds);
  last_ = unix_nanoseconds;
  const auto cost = static_cast<int64_t>(std::max(bytes, kLeast));
  if (cost > left_) return false;
  left_ -= cost;
  return true;
}

bool InsideLog::Take(std::string_view text, int64_t unix_nanoseconds) {
  if (!IsAuditText(text) || !budget_.Take(text.size(), unix_nanoseconds)) return false;
  const std::string line =
      std::string(text) + ",\"inside\":\"" + AuditTime(unix_nanoseconds) + "\"";
  return AppendToAudit(file_, rules_, line, unix_nanoseconds).has_value();
}

}  // namespace ringfence
