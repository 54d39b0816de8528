// Inherited: signal actions and limits of the caller that a launcher cannot work with. The command
// gets them back, so it starts as it would without a sandbox.
#pragma once

#include <sys/resource.h>

#include "base/result.h"

namespace ringfence {

class Inherited {
 public:
  // Changes them for this process and the processes it clones.
  static Inherited Replace();

  // For a process that acts in place of the command: the file size limit.
  Status RestoreFileSize() const;
  // For the command itself, right before execve(2).
  Status RestoreAll() const;

 private:
  bool ignores_children_ = false;   // SIGCHLD: waitpid(2) would never tell of an end
  bool ignores_file_size_ = false;  // SIGXFSZ: a limit below the size of the log would be deadly
  rlimit file_size_{RLIM_INFINITY, RLIM_INFINITY};
  rlimit files_{RLIM_INFINITY, RLIM_INFINITY};
  // What a command makes the supervisor use must not end it.
  rlimit data_{RLIM_INFINITY, RLIM_INFINITY};
  rlimit memory_{RLIM_INFINITY, RLIM_INFINITY};
  rlimit processor_{RLIM_INFINITY, RLIM_INFINITY};
};

}  // namespace ringfence
