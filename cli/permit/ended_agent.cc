#include "cli/permit/ended_agent.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/unique_fd.h"
#include "policy/load/sources.h"

namespace ringfence {

// If that cannot be found out, the agent counts as running: then the user is asked which session is
// meant.
bool IsEndedAgent(const std::string& home, const std::string& session) {
  if (!IsAgentSession(session)) return false;
  const std::string path = AgentLockPath(home, session);
  const UniqueFd fd(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return errno == ENOENT;
  // Shared, so that another `ringfence allow` that looks does not make the agent seem to run.
  if (::flock(fd.get(), LOCK_SH | LOCK_NB) != 0) return false;
  ::unlink(path.c_str());
  return true;
}

}  // namespace ringfence
