#include "cli/permit/session_grants.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "agents/claude/agent.h"
#include "audit_log/entry.h"
#include "base/contains.h"
#include "base/regular_file.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/common/since.h"
#include "cli/permit/policy_edit.h"
#include "cli/setup/proof.h"
#include "policy/load/trust.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/domain.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

constexpr off_t kTail = 4 << 20;  // bytes at the end of the log to search

Result<std::string> EndOf(const Path& file) {
  const UniqueFd fd(::openat(AT_FDCWD, file.text().c_str(),
                             O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid() && errno == ENOENT) return std::string();
  if (!fd.valid()) return SystemError("open(" + file.text() + ")");
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return SystemError("fstat(" + file.text() + ")");
  const off_t start = std::max<off_t>(0, facts.st_size - kTail);
  if (::lseek(fd.get(), start, SEEK_SET) < 0) return SystemError("lseek(" + file.text() + ")");
  return ReadAll(fd.get(), 2 * static_cast<size_t>(kTail), file.text(),
                 static_cast<size_t>(facts.st_size - start));
}

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
  if (entry.verdict != LoggedVerdict::kDeny) return false;
  if (grant.kind == TargetKind::kPath) return NamesPath(entry, grant);
  if (grant.kind == TargetKind::kTool) return NamesTool(entry, grant.text);
  const std::string denied_text = LowerAscii(entry.host), granted_text = LowerAscii(grant.text);
  Result<HostRule> denied = ParseHostRule(denied_text);
  const Result<HostRule> granted = ParseHostRule(granted_text);
  if (!denied || !granted) return false;
  denied->wide = true;  // the log has no port
  return Overlaps(*granted, *denied);
}

using MaybeDecision = std::optional<TargetDecision>;

MaybeDecision EvaluateAs(const GrantTarget& grant, const Context& policies) {
  Result<MaybeDecision> evaluated = EvaluateTarget(grant, policies);
  return evaluated ? std::move(*evaluated) : MaybeDecision();
}

bool IsDenied(const MaybeDecision& evaluated) {
  return evaluated && evaluated->verdict == Verdict::kDeny;
}
bool IsPermitted(const MaybeDecision& evaluated) {
  return evaluated && evaluated->verdict != Verdict::kDeny;
}

// True if the session's file, which is the last source, has an entry for exactly this grant.
bool HasOwnEntry(const GrantTarget& grant, const Context& policies) {
  const std::string& path = policies.sources.sources.back().file->path;
  const Result<std::optional<std::string>> text = ReadIfThere(path);
  if (!text || !*text) return false;
  const ChangeTarget target{
      .shown = path, .home = policies.places.homes.front().text(), .is_session = true};
  const Result<PolicyEdit> removal = RemoveTarget(grant, policies.sources, target, **text);
  return removal && !removal->entries.empty();
}

// Returns the entry of the last source that permitted the target.
std::string PermittingEntry(const TargetDecision& decision, const Context& policies) {
  const std::string& file = policies.sources.sources.back().file->shown;
  const auto permits = [&](const RuleUse& rule) {
    return rule.place.file == file && rule.place.pointer.ends_with("/allow");
  };
  const auto rule = std::ranges::find_if(decision.rules, permits);
  return rule == decision.rules.end() ? "" : rule->written;
}

// Returns the entry of the last source, a session's, that permits one of `parts`; "" for an entry
// of the grant itself; nothing if it permits none.
std::optional<std::string> EntryToGrant(const GrantTarget& grant,
                                        const std::vector<GrantTarget>& parts,
                                        const Context& policies) {
  if (parts.empty()) {
    return HasOwnEntry(grant, policies) ? std::optional<std::string>("") : std::nullopt;
  }
  for (const GrantTarget& part : parts) {
    const MaybeDecision evaluated = EvaluateAs(part, policies);
    if (!IsPermitted(evaluated)) continue;
    return HasOwnEntry(grant, policies) ? "" : PermittingEntry(*evaluated, policies);
  }
  return {};
}

// Returns the grant and, if it also writes, its read part, because policies can deny writing alone.
std::vector<GrantTarget> PartsOf(const GrantTarget& grant) {
  std::vector<GrantTarget> parts{grant};
  if (grant.kind == TargetKind::kPath && grant.also_write) {
    parts.push_back(grant);
    parts.back().also_write = false;
  }
  return parts;
}

// Denials of one grant, the newest first.
class Denials {
 public:
  explicit Denials(const GrantTarget& grant) : grant_(grant) {}

  // Returns false if no earlier entry of the log counts.
  bool Take(const AuditEntry& entry) {
    if (!IsDenialOf(entry, grant_)) return true;
    const std::string& session = entry.session;
    has_other_ = has_other_ || session.empty();
    if (session.empty() || session == kInitSession || session == kDoctorSession) return true;
    const int64_t time = UnixTime(entry.time).value_or(0);
    if (sessions_.empty()) newest_ = time;
    if (newest_ - time > kRecentSeconds) return false;
    if (!Contains(sessions_, session)) sessions_.push_back(session);
    return sessions_.size() < kMostSessions;
  }

  const std::vector<std::string>& sessions() const { return sessions_; }
  bool has_other() const { return has_other_; }  // of no session

 private:
  static constexpr int64_t kRecentSeconds = int64_t{24} * 60 * 60;
  static constexpr size_t kMostSessions = 10;

  const GrantTarget& grant_;
  std::vector<std::string> sessions_;
  int64_t newest_ = 0;
  bool has_other_ = false;
};

}  // namespace

Result<std::vector<std::string>> RefusedSessions(const Path& audit_file, const GrantTarget& grant) {
  const Result<std::string> log = EndOf(audit_file);
  if (!log) return log.error();
  std::string_view rest = *log;
  Denials denials(grant);
  while (!rest.empty()) {
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    const size_t newline = rest.rfind('\n');
    const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const std::optional<AuditEntry> entry = ReadAuditEntry(rest.substr(start));
    rest = rest.substr(0, start);
    if (entry && !denials.Take(*entry)) break;
  }
  if (!denials.sessions().empty()) return denials.sessions();
  if (denials.has_other()) {
    return UsageError("--session",
                      "the denials of " + Quote(grant.text) + " in the audit log " +
                          audit_file.text() + " belong to no session",
                      "leave --session out, or give the command a session: ringfence run "
                      "--session ID; then: ringfence allow --session-id ID");
  }
  return UsageError("--session",
                    "the audit log " + audit_file.text() + " has no denial of " +
                        Quote(grant.text) + " in a session",
                    "name the session: --session-id ID");
}

std::vector<std::string> SessionsWithGrants(const std::string& home) {
  constexpr size_t kMost = 20;
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> found;
  std::error_code failed;
  const std::filesystem::path folder = StateFolder(home) + "/sessions";
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() != ".json") continue;
    found.emplace_back(entry.last_write_time(failed), entry.path().stem().string());
  }
  std::ranges::sort(found, std::greater());
  std::vector<std::string> sessions;
  for (const auto& [time, session] : found) {
    if (sessions.size() < kMost) sessions.push_back(session);
  }
  return sessions;
}

std::vector<std::string> SessionsWithEntry(const GrantTarget& grant, Context& policies) {
  std::vector<std::string> sessions;
  if (policies.places.homes.empty()) return sessions;
  for (const std::string& session : SessionsWithGrants(policies.places.homes.front().text())) {
    const Result<bool> added = AddSessionGrants(session, policies.places, policies.sources);
    if (!added || !*added) continue;
    if (HasOwnEntry(grant, policies)) sessions.push_back(session);
    policies.sources.sources.pop_back();
  }
  return sessions;
}

std::vector<SessionPermit> SessionsThatPermit(const GrantTarget& grant, Context& policies) {
  std::vector<SessionPermit> permits;
  if (policies.places.homes.empty()) return permits;
  std::vector<GrantTarget> parts = PartsOf(grant);
  const bool is_evaluated = EvaluateAs(grant, policies).has_value();
  std::erase_if(parts,
                [&](const GrantTarget& part) { return !IsDenied(EvaluateAs(part, policies)); });
  if (is_evaluated && parts.empty()) return permits;  // permitted to every session
  for (const std::string& session : SessionsWithGrants(policies.places.homes.front().text())) {
    const Result<bool> added = AddSessionGrants(session, policies.places, policies.sources);
    if (!added || !*added) continue;  // an unreadable file permits nothing
    const std::optional<std::string> entry = EntryToGrant(grant, parts, policies);
    if (entry) permits.push_back({session, *entry});
    policies.sources.sources.pop_back();
  }
  return permits;
}

}  // namespace ringfence
