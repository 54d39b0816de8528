// Inherited: the caller's signal actions and limits that would disturb a launcher. They are
// restored for the command, so it starts as it would without a sandbox.
#pragma once

#include <sys/resource.h>

#include "base/result.h"

namespace ringfence {

class Inherited {
 public:
  // Changes them for this process and the processes it clones.
  static Inherited Replace();

  // Restores the file size limit, for a process that acts in place of the command.
  Status RestoreFileSize() const;
  // Restores everything, for the command itself right before execve(2).
  Status RestoreAll() const;

 private:
  bool ignores_children_ = false;   // SIGCHLD: waitpid(2) would not report ended children
  bool ignores_file_size_ = false;  // SIGXFSZ: fatal if a limit is below the size of the log
  rlimit file_size_{RLIM_INFINITY, RLIM_INFINITY};
  rlimit files_{RLIM_INFINITY, RLIM_INFINITY};
  // Raised so that resources which the command makes the supervisor use do not end the supervisor.
  rlimit data_{RLIM_INFINITY, RLIM_INFINITY};
  rlimit memory_{RLIM_INFINITY, RLIM_INFINITY};
  rlimit processor_{RLIM_INFINITY, RLIM_INFINITY};
};

}  // namespace ringfence
