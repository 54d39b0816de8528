#include "cli/permit/refused_session.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "agents/claude/agent.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/setup/proof.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

using Json = nlohmann::json;

constexpr off_t kTail = 4 << 20;  // bytes of the log that are looked at

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

std::string Text(const Json& line, const char* key) {
  const auto value = line.find(key);
  return value != line.end() && value->is_string() ? value->get<std::string>() : "";
}

bool CoversPath(const Wish& wish, const std::string& path) {
  const Path wanted = Path::Clean(wish.path);
  if (!wish.is_pattern) return Path::Clean(path).IsInside(wanted);
  return MatchPattern(wanted.text().substr(1), path.substr(1), {.covers = true});
}

bool NamesPath(const Json& line, const Wish& wish) {
  const auto paths = line.find("paths");
  if (paths == line.end() || !paths->is_array() || wish.path.empty()) return false;
  return std::ranges::any_of(*paths, [&wish](const Json& named) {
    return named.is_string() && named.get<std::string>().starts_with('/') &&
           CoversPath(wish, named.get<std::string>());
  });
}

// A tool by any of its names, or the server whose resource was refused.
bool NamesTool(const Json& line, const std::string& pattern) {
  const std::string tool = Text(line, "tool");
  if (MatchName(pattern, tool) ||
      ClaudeCode().tools.MainName(pattern) == ClaudeCode().tools.MainName(tool))
    return true;
  const std::string server = Text(line, "server");
  return !server.empty() && MatchName(pattern, "mcp__" + McpNamePart(server) + "__resources");
}

bool IsDenialOf(const Json& line, const Wish& wish) {
  if (!line.is_object() || Text(line, "verdict") != "deny") return false;
  switch (wish.kind) {
    case WishKind::kPath:
      return NamesPath(line, wish);
    case WishKind::kTool:
      return NamesTool(line, wish.text);
    case WishKind::kHost:
      return Text(line, "why").find("host " + Quote(LowerAscii(wish.text))) != std::string::npos;
  }
  return false;
}

}  // namespace

Result<std::string> RefusedSession(const Path& audit_file, const Wish& wish) {
  const Result<std::string> log = EndOf(audit_file);
  if (!log) return log.error();
  std::string_view rest = *log;
  while (!rest.empty()) {
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    const size_t newline = rest.rfind('\n');
    const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const Json line = Json::parse(rest.substr(start), nullptr, false);
    rest = rest.substr(0, start);
    if (!IsDenialOf(line, wish)) continue;
    const std::string session = Text(line, "session");
    if (session.empty() || session == kInitSession || session == kDoctorSession) continue;
    return session;
  }
  return Error{Error::Kind::kUsage, "--session",
               "the audit log " + audit_file.text() + " has no denial of " + Quote(wish.text),
               "name the session: --session-id ID"};
}

}  // namespace ringfence
