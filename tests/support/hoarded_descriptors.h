// A kernel that takes no descriptor in a message, as when another program of the user has put too
// many into messages that nobody takes (unix(7), ETOOMANYREFS).
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "base/message_socket.h"
#include "base/not_copied.h"
#include "base/socket_pair.h"
#include "base/syscall.h"

namespace ringfence {

// While it lives, this thread can send no descriptor. Others can: the limit of a process
// counts what all of the user's processes have sent, and no other process has so low a limit.
class HoardedDescriptors : NotCopied {
 public:
  HoardedDescriptors() {
    REQUIRE(pair_);
    const UniqueFd null = OpenFile("/dev/null", O_RDONLY);
    const std::vector<int> many(kMaxSocketMessageFds, null.get());
    for (size_t sent = 0; sent <= kLimit; sent += many.size()) {
      REQUIRE(SendSocketMessage(pair_->own.get(), 'h', {}, many));
    }
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual_limit_) == 0);
    rlimit low = usual_limit_;
    low.rlim_cur = kLimit;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
    // The limit does not hold for a process with one of these.
    REQUIRE(::syscall(SYS_capget, &header_, usual_) == 0);
    __user_cap_data_struct fewer[2] = {usual_[0], usual_[1]};
    fewer[0].effective &= ~(Bit(CAP_SYS_RESOURCE) | Bit(CAP_SYS_ADMIN));
    REQUIRE(::syscall(SYS_capset, &header_, fewer) == 0);
  }
  ~HoardedDescriptors() {
    CHECK(::syscall(SYS_capset, &header_, usual_) == 0);
    CHECK(::setrlimit(RLIMIT_NOFILE, &usual_limit_) == 0);
  }

 private:
  static constexpr size_t kLimit = 300;
  static constexpr uint32_t Bit(int capability) { return uint32_t{1} << capability; }

  Result<SocketPair> pair_ = MakeSocketPair(SOCK_SEQPACKET);
  rlimit usual_limit_{};
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct usual_[2] = {};
};

}  // namespace ringfence
