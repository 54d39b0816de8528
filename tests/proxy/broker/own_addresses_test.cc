#include "proxy/broker/own_addresses.h"

#include <doctest/doctest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "tests/support/loopback.h"

using namespace ringfence;

namespace {

constexpr int kNoNamespace = 77;

bool Has(OwnAddresses& own, std::string_view text) {
  const std::optional<Address> address = ParseAddress(text);
  if (!address) return false;
  const Result<bool> found = own.Contains(*address);
  return found && *found;
}

// Gives the loopback interface an address, and brings it up.
bool Configure(in_addr_t ipv4) {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", sizeof "lo");
  sockaddr_in address = LoopbackAddress(0);
  address.sin_addr.s_addr = htonl(ipv4);
  std::memcpy(&request.ifr_addr, &address, sizeof address);
  if (::ioctl(socket.get(), SIOCSIFADDR, &request) != 0) return false;
  request.ifr_flags = IFF_UP;
  return ::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0;
}

// Returns 0, or the number of the step that failed.
int ChangeInterfaces() {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return kNoNamespace;
  OwnAddresses own;
  if (Has(own, "127.0.0.1") || Has(own, "203.0.113.9")) return 1;
  if (!Configure(0xCB007109)) return kNoNamespace;
  if (!Has(own, "203.0.113.9") || !Has(own, "203.0.113.9")) return 2;
  if (Has(own, "203.0.113.8")) return 3;
  if (!Configure(0xCB007108)) return kNoNamespace;
  return Has(own, "203.0.113.8") ? 0 : 4;
}

}  // namespace

TEST_CASE("own addresses: those of this machine's interfaces, in both families") {
  OwnAddresses own;
  CHECK(Has(own, "127.0.0.1"));
  CHECK_FALSE(Has(own, "127.0.0.2"));  // local, but no interface has it
  CHECK_FALSE(Has(own, "[2600::1]"));
}

TEST_CASE("own addresses: a change of the interfaces counts at once") {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(ChangeInterfaces());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNoNamespace) {
    MESSAGE("skipped: no network namespace of its own");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}
