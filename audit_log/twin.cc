#include "audit_log/twin.h"

#include <optional>
#include <string>

#include "audit_log/line.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr int64_t kTogether = 10'000'000'000;  // nanoseconds; the client's limit for a hook
constexpr std::string_view kTime = "{\"time\":\"";
constexpr std::string_view kVia = ",\"via\":\"plugin\"";
// No string can contain these, because its quotes would be escaped.
constexpr std::string_view kDuration = ",\"us\":";
constexpr size_t kTimeDigits = 24;

struct Content {
  std::string_view time;
  std::string_view rest;  // up to the members that differ
  bool is_plugins = false;
};

std::optional<Content> LoggedContent(std::string_view line) {
  const size_t end = line.rfind(kDuration);
  const size_t begin = kTime.size() + kTimeDigits;
  if (!line.starts_with(kTime) || end == line.npos || end < begin) return {};
  Content content{.time = line.substr(kTime.size(), kTimeDigits),
                  .rest = line.substr(begin, end - begin)};
  content.is_plugins = content.rest.ends_with(kVia);
  if (content.is_plugins) content.rest.remove_suffix(kVia.size());
  return content;
}

}  // namespace

bool HasPluginEntry(std::string_view text) { return text.find(kVia) != text.npos; }

bool HasTwin(std::string_view lines, std::string_view text, int64_t unix_nanoseconds) {
  const std::optional<Content> own = LoggedContent(text);
  if (!own) return false;
  const std::string oldest = AuditTime(unix_nanoseconds - kTogether);
  while (!lines.empty()) {
    const std::optional<Content> other = LoggedContent(TakeUntil(lines, '\n'));
    const bool is_twin = other && other->is_plugins != own->is_plugins &&
                         other->rest == own->rest && other->time >= oldest;
    if (is_twin) return true;
  }
  return false;
}

}  // namespace ringfence
