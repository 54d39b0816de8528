#include "sandbox/linux/self_test.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <string>

#include "base/syscall.h"
#include "base/unique_fd.h"
#include "proxy/link/messages.h"

namespace ringfence {
namespace {

Error Surprise(const char* what, std::string got) {
  return Error{Error::Kind::kSystem, what, std::move(got), ""};
}

// Succeeds if the call failed with one of `codes`.
Status MustFail(const char* what, long result, std::initializer_list<int> codes) {
  if (result >= 0) return Surprise(what, "is possible");
  for (const int code : codes) {
    if (errno == code) return Unit{};
  }
  return Surprise(what, "fails with " + ErrnoName(errno));
}

Status TestPrivileges(const SandboxPlan& plan) {
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return Surprise("new privileges", "possible");
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return SystemError("capget");
  const uint32_t held = data[0].permitted | data[1].permitted | data[0].effective |
                        data[1].effective | data[0].inheritable | data[1].inheritable;
  if (held != 0) return Surprise("capabilities", "some are held");
  const int bits = ::prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
  if (bits < 0) return SystemError("prctl(secure bits)");
  if (plan.has_namespaces() && (bits & SECBIT_NOROOT) == 0) {
    return Surprise("user id 0", "would give capabilities");
  }
  return Unit{};
}

Status TestCalls(const SandboxPlan& plan) {
  if (Status s = MustFail("unshare", ::unshare(CLONE_NEWUSER), {EPERM}); !s) return s;
  if (Status s = MustFail("clone3", ::syscall(SYS_clone3, nullptr, 0), {ENOSYS}); !s) return s;
  if (Status s = MustFail("open_tree", ::syscall(SYS_open_tree, -1, "", 0), {EPERM}); !s) return s;
  if (Status s = MustFail("keyctl", ::syscall(SYS_keyctl, 0, -3, 0), {EPERM}); !s) return s;
  const UniqueFd packet(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (Status s = MustFail("packet socket", packet.valid() ? 0 : -1, {EAFNOSUPPORT}); !s) return s;
  if (plan.has_own_processes() && ::getpid() != 2) {
    return Surprise("own processes", "the first process is not alone");
  }
  return Unit{};
}

// Creates a file without a name, so that an unexpected success leaves nothing behind.
long MakeUnnamed(const char* folder) {
  const UniqueFd file(::open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  return file.valid() ? 0 : -1;
}

// Checks that a route leads to the gateway: then the socket has the address of that link, or where
// there is no link, that of its peer.
Status TestRoute(const UniqueFd& socket, uint32_t peer) {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  void* bytes = &own;
  if (::getsockname(socket.get(), static_cast<sockaddr*>(bytes), &size) != 0) {
    return SystemError("getsockname");
  }
  std::array<uint8_t, 4> host{};
  std::memcpy(host.data(), &own.sin_addr, host.size());
  const bool is_right = host == kInnerAddress || own.sin_addr.s_addr == htonl(peer);
  return is_right ? Status(Unit{}) : Surprise("the route to hosts", "does not lead to the gateway");
}

constexpr uint32_t kUnusedAddress = 0xC0000201;  // 192.0.2.1, for documentation (RFC 5737)

sockaddr_in UnusedAddress(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(kUnusedAddress);
  return address;
}

// Connecting a datagram socket sends nothing.
Status TestNetwork(const SandboxPlan& plan) {
  if (!plan.has_namespaces() || plan.network.is_hosts()) return Unit{};
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return SystemError("socket");
  const sockaddr_in address = UnusedAddress(53);
  const void* bytes = &address;
  const int result = ::connect(socket.get(), static_cast<const sockaddr*>(bytes), sizeof address);
  if (plan.network.is_proxied()) return TestRoute(socket, kUnusedAddress);
  return MustFail("another host", result, {ENETUNREACH});
}

}  // namespace

Status TestView(const SandboxPlan& plan) {
  const bool all = !plan.writable.empty() && plan.writable.front().path.is_root();
  // EACCES if the user could not write there anyway. In a nested sandbox the outer supervisor would
  // report the attempt.
  if (!all && !plan.is_nested) {
    if (Status s = MustFail("write to /", MakeUnnamed("/"), {EROFS, EACCES}); !s) return s;
  }
  if (!plan.has_namespaces()) return Unit{};
  // The private /dev is mounted read-only, so this tests the mounts...
  if (Status s = MustFail("write to /dev", MakeUnnamed("/dev"), {EROFS}); !s) return s;
  // ...the private /run is not, so this tests Landlock, which has one rule if all is writable.
  if (plan.landlock_abi == 0 || all) return Unit{};
  return MustFail("write to /run", MakeUnnamed("/run"), {EACCES, ENOENT});
}

Status TestProxyPort() {
  const UniqueFd datagrams(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const long made = datagrams.valid() ? 0 : -1;
  if (Status s = MustFail("UDP socket", made, {EAFNOSUPPORT}); !s) return s;
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return SystemError("socket");
  const sockaddr_in address = UnusedAddress(80);
  const void* bytes = &address;
  const int result = ::connect(socket.get(), static_cast<const sockaddr*>(bytes), sizeof address);
  return MustFail("another host", result, {EACCES});
}

Status TestNames(const SandboxPlan& plan) {
  if (!plan.supervised && !plan.is_nested) return Unit{};
  const std::string name = SelfTestName(plan).text();
  const UniqueFd file(::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  if (file.valid()) ::unlink(name.c_str());
  // Returns the supervisor's own error: EPERM if it may not read this process.
  if (!file.valid() && errno == EPERM) {
    return SystemError("process_vm_readv", EPERM);
  }
  return MustFail("a refused name", file.valid() ? 0 : -1, {EACCES});
}

Status TestSandbox(const SandboxPlan& plan) {
  if (Status s = TestPrivileges(plan); !s) return s;
  if (Status s = TestCalls(plan); !s) return s;
  return TestNetwork(plan);
}

}  // namespace ringfence
