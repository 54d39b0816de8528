#include "audit_log/inside_log.h"

#include <algorithm>
#include <string>

#include "audit_log/append.h"
#include "base/inside.h"
#include "base/json_scanner.h"

namespace ringfence {
namespace {

constexpr std::string_view kMembers[] = {"time",       "event", "session", "agent_id",
                                         "agent_type", "tool",  "profile", "paths",
                                         "verdict",    "rule",  "why",     "us"};
constexpr size_t kMaxDepth = 2;  // "paths" and "rule"
constexpr size_t kLeast = 512;   // what a line costs at least, since it costs a lock

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

bool IsAuditText(std::string_view text) {
  if (text.size() > kMaxAuditLine || !text.starts_with("{\"time\":\"")) return false;
  // JSON's white space: a line of the log has none.
  if (text.find_first_of("\n\r\t") != std::string_view::npos) return false;
  const std::string document = std::string(text) + "}";
  TextSource source(document);
  JsonScanner scanner(source, {.comments = false, .max_depth = kMaxDepth});
  for (;;) {
    const Token token = scanner.Next();
    if (token == Token::kEnd) return true;
    if (token == Token::kError) return false;
    if (token != Token::kKey || scanner.depth() > 1) continue;
    if (std::ranges::find(kMembers, scanner.text()) == std::end(kMembers)) return false;
  }
}

bool InsideLog::Take(std::string_view text, int64_t unix_nanoseconds) {
  if (!IsAuditText(text) || !budget_.Take(text.size(), unix_nanoseconds)) return false;
  const std::string line =
      std::string(text) + ",\"inside\":\"" + AuditTime(unix_nanoseconds) + "\"";
  return AppendToAudit(file_, rules_, line, unix_nanoseconds).has_value();
}

}  // namespace ringfence
