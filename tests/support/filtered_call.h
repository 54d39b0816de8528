// Makes one system call of this thread fail, or lets another thread decide about it
// (seccomp_unotify(2)). That lasts until the thread ends.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <thread>

namespace ringfence {

// Returns -1 if the kernel does not support this, and for SECCOMP_RET_USER_NOTIF the descriptor
// that receives the calls.
inline int FilterOwnCall(uint32_t number, uint32_t action) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, action),
  };
  const sock_fprog filter{.len = std::size(program), .filter = program};
  const unsigned flags =
      action == SECCOMP_RET_USER_NOTIF ? unsigned{SECCOMP_FILTER_FLAG_NEW_LISTENER} : 0;
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter));
}

// Runs `work` in a thread in which the call returns -1 with this errno value, or 0 if `code` is 0.
// Returns false if the kernel does not support this.
template <typename Work>
bool WithFailingCall(uint32_t number, uint32_t code, const Work& work) {
  bool is_filtered = false;
  std::thread([&] {
    is_filtered = FilterOwnCall(number, SECCOMP_RET_ERRNO | code) == 0;
    if (is_filtered) work();
  }).join();
  return is_filtered;
}

}  // namespace ringfence
