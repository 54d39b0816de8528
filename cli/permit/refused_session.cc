#include "cli/permit/refused_session.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "agents/claude/agent.h"
#include "audit_log/entry.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/setup/proof.h"
#include "policy/mcp/mcp_name.h"
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
  if (entry.verdict != "deny") return false;
  switch (grant.kind) {
    case TargetKind::kPath:
      return NamesPath(entry, grant);
    case TargetKind::kTool:
      return NamesTool(entry, grant.text);
    case TargetKind::kHost:
      return entry.why.find("host " + Quote(LowerAscii(grant.text))) != std::string::npos;
  }
  return false;
}

}  // namespace

Result<std::string> RefusedSession(const Path& audit_file, const GrantTarget& grant) {
  const Result<std::string> log = EndOf(audit_file);
  if (!log) return log.error();
  std::string_view rest = *log;
  while (!rest.empty()) {
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    const size_t newline = rest.rfind('\n');
    const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const std::optional<AuditEntry> entry = ReadAuditEntry(rest.substr(start));
    rest = rest.substr(0, start);
    if (!entry || !IsDenialOf(*entry, grant)) continue;
    const std::string& session = entry->session;
    if (session.empty() || session == kInitSession || session == kDoctorSession) continue;
    return session;
  }
  return UsageError("--session",
                    "the audit log " + audit_file.text() + " has no denial of " + Quote(grant.text),
                    "name the session: --session-id ID");
}

}  // namespace ringfence
