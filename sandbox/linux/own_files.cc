#include <sched.h>
#include <unistd.h>

#include "base/syscall.h"
#include "sandbox/backend.h"
#include "sandbox/linux/privileges.h"

namespace ringfence {

Result<bool> ReachOwnFiles() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (user == 0) return true;
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  if (Status s = MapIdentity(user, group); !s) return s.error();
  return true;
}

}  // namespace ringfence
