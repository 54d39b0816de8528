// The addresses of this machine's network interfaces. What listens at one of them may trust local
// programs, or be protected by a firewall that a connection from this machine does not pass.
#pragma once

#include <vector>

#include "base/not_copied.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "policy/rules/address.h"

namespace ringfence {

class OwnAddresses : NotCopied {
 public:
  OwnAddresses();

  // Addresses that the kernel only routes here, without an interface that has them, do not count.
  // Reads the interfaces again if one has changed since the last call.
  Result<bool> Contains(const Address& address);

 private:
  bool HaveChanged();

  UniqueFd changes_;  // the kernel's notices; without it, each call reads the interfaces
  bool is_known_ = false;
  std::vector<Address> known_;
};

}  // namespace ringfence
