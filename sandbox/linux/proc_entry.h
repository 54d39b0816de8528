// What of /proc the supervisor opens for a caller. To the kernel the supervisor asks, who may look
// into every process of the sandbox, and itself; so the caller's rights are looked at here.
#pragma once

#include "sandbox/linux/location.h"

namespace ringfence {

// 0, or EACCES where `path`, real, lies below /proc/PID of the supervisor's or of a process that
// the caller's own sandbox does not hold.
int EvaluateProcEntry(const SupervisedCaller& caller, const Supervision& supervision,
                      const std::string& path);

// Gives up CAP_SYS_PTRACE, which callers do not have, unless `path` is of the caller's own process:
// one may always look into itself (ptrace(2), PTRACE_MODE).
class AsCaller {
 public:
  AsCaller(const SupervisedCaller& caller, const Supervision& supervision, const std::string& path);
  explicit AsCaller(const Supervision& supervision);
  ~AsCaller();
  AsCaller(const AsCaller&) = delete;
  AsCaller& operator=(const AsCaller&) = delete;

 private:
  bool gave_up_;
};

// Through a link of /proc, which leads to an open file and not to a name: O_PATH and `flags`.
Result<UniqueFd> Jump(const SupervisedCaller& caller, const Supervision& supervision,
                      const Location& link, int flags = 0);

}  // namespace ringfence
