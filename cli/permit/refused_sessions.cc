#include "cli/permit/refused_sessions.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "agents/claude/agent.h"
#include "audit_log/entry.h"
#include "audit_log/line.h"
#include "base/contains.h"
#include "base/text.h"
#include "cli/common/since.h"
#include "cli/log/log_from_end.h"
#include "cli/permit/ended_agent.h"
#include "cli/setup/proof.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/domain.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

bool CoversPath(const GrantTarget& grant, const std::string& path) {
  const Path wanted = Path::Clean(grant.path);
  if (!grant.is_pattern) return Path::Clean(path).IsInside(wanted);
  return MatchPattern(wanted.text().substr(1), path.substr(1), {.covers = true});
}

bool NamesPath(const AuditEntry& entry, const GrantTarget& grant) {
  return !grant.path.empty() && std::ranges::any_of(entry.paths, [&grant](const std::string& path) {
    return path.starts_with('/') && CoversPath(grant, path);
  });
}

// True if `pattern` matches the tool or is another name of it, or matches the server whose resource
// was refused.
bool NamesTool(const AuditEntry& entry, const std::string& pattern) {
  const std::string& tool = entry.tool;
  if (MatchName(pattern, tool) ||
      ClaudeCode().tools.MainName(pattern) == ClaudeCode().tools.MainName(tool))
    return true;
  const std::string& server = entry.server;
  return !server.empty() && MatchName(pattern, "mcp__" + McpNamePart(server) + "__resources");
}

bool IsDenialOf(const AuditEntry& entry, const GrantTarget& grant) {
  // A stage is applied by the user, in no session.
  if (entry.verdict != LoggedVerdict::kDeny || !entry.stage.empty()) return false;
  if (grant.kind == TargetKind::kPath) return NamesPath(entry, grant);
  if (grant.kind == TargetKind::kTool) return NamesTool(entry, grant.text);
  const std::string denied_text = LowerAscii(entry.host), granted_text = LowerAscii(grant.text);
  Result<HostRule> denied = ParseHostRule(denied_text);
  const Result<HostRule> granted = ParseHostRule(granted_text);
  if (!denied || !granted) return false;
  denied->wide = true;  // the log has no port
  return Overlaps(*granted, *denied);
}

// Denials of one grant, the newest first.
class Denials {
 public:
  Denials(const GrantTarget& grant, const std::string& home) : grant_(grant), home_(home) {}

  // Returns false if no earlier line of the log counts.
  bool Take(const LogFromEnd::Line& line) {
    if (!line.is_apart && IsOfEarlierDay(line.text)) return false;
    if (line.text.find("\"deny\"") == std::string_view::npos)
      return true;  // saves most of the time
    const std::optional<AuditEntry> entry = ReadAuditEntry(line.text);
    if (entry && IsDenialOf(*entry, grant_)) TakeDenial(*entry);
    return found_.ids.size() < kMostSessions;
  }

  RefusedSessions& found() { return found_; }

 private:
  static constexpr int64_t kDay = int64_t{24} * 60 * 60;  // seconds
  static constexpr size_t kMostSessions = 10;

  void TakeDenial(const AuditEntry& entry) {
    const std::string& session = entry.session;
    if (session == kInitSession || session == kDoctorSession) return;
    if (entry.time < oldest_) return;  // a line out of order
    const bool is_newest = found_.ids.empty() && !found_.has_ended && !found_.has_other;
    found_.last_had_none = found_.last_had_none || (is_newest && session.empty());
    found_.has_other = found_.has_other || session.empty();
    if (session.empty() || Contains(found_.ids, session) || ended_.contains(session)) return;
    const std::optional<int64_t> time = UnixTime(entry.time);
    if (oldest_.empty() && time) oldest_ = AuditTime((*time - kDay) * 1'000'000'000);
    if (!IsEndedAgent(home_, session)) return found_.ids.push_back(session);
    found_.has_ended = true;
    ended_.insert(session);
  }

  // What a sandbox sent has a time of its own choosing in front, and does not count.
  bool IsOfEarlierDay(std::string_view line) const {
    constexpr std::string_view kBefore = "{\"time\":\"";
    if (oldest_.empty() || !line.starts_with(kBefore)) return false;
    const std::string_view time = line.substr(kBefore.size(), oldest_.size());
    return time < oldest_ && IsLogTime(time) && line.find("\"inside\":") == std::string_view::npos;
  }

  const GrantTarget& grant_;
  const std::string& home_;
  RefusedSessions found_;
  std::set<std::string> ended_;
  std::string oldest_;  // the time from which on denials count; "" before the first one
};

}  // namespace

Result<RefusedSessions> FindRefusedSessions(const Path& audit_file, const GrantTarget& grant,
                                            const std::string& home, uint64_t most) {
  LogFromEnd log(audit_file, most);
  if (Status s = log.Open(); !s) return s.error();
  Denials denials(grant, home);
  for (;;) {
    const Result<std::optional<LogFromEnd::Line>> line = log.Previous();
    if (!line) return line.error();
    if (!*line || !denials.Take(**line)) break;
  }
  denials.found().is_whole_day = !log.has_reached_bound();
  return std::move(denials.found());
}

}  // namespace ringfence
