// Entries of /proc that the supervisor opens for a caller. The kernel checks the rights of the
// supervisor, which may inspect every process of the sandbox and itself; so the caller's rights are
// checked here.
#pragma once

#include "base/not_copied.h"
#include "sandbox/linux/location.h"

namespace ringfence {

// Returns 0, or EACCES if `path`, a real path, is in /proc/PID of the supervisor or of a process
// that is not in the caller's own sandbox.
int EvaluateProcEntry(const SupervisedCaller& caller, const std::string& path);

// Gives up CAP_SYS_PTRACE, which callers do not have, for the lifetime of the object. Keeps it if
// `path` belongs to the caller's own process: a process may always inspect itself (ptrace(2),
// PTRACE_MODE).
class AsCaller : NotCopied {
 public:
  AsCaller(const SupervisedCaller& caller, const std::string& path);
  explicit AsCaller(const Supervision& supervision);
  ~AsCaller();

 private:
  bool gave_up_;
};

// Opens the target of a magic link of /proc, which leads to an open file and not to a name, with
// O_PATH and `flags`.
Result<UniqueFd> Jump(const SupervisedCaller& caller, const Location& link, int flags = 0);

}  // namespace ringfence
