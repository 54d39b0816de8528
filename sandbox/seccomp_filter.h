// Which system calls a confined process may not make, by name: what the filter is compiled from and
// what --dry-run prints. Calls act on names or numbers of the kernel, so the lists are the same on
// every architecture; a name that one does not have is left out there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ringfence {

struct CallName {
  std::string_view name;
  int number =
      -1;  // for calls that libseccomp 2.5.4 has no name for; all architectures share these
};

// Refused with EPERM: mounts, namespaces, the kernel itself, other processes' insides.
std::span<const CallName> RefusedCalls();
// Refused with ENOSYS, so that programs fall back to older calls.
std::span<const CallName> AbsentCalls();
// Refused with ENOSYS where there are no namespaces and mounts: System V objects and POSIX message
// queues of the user's other processes (sysvipc(7), mq_overview(7)).
std::span<const CallName> CallsBeyondLandlock();
// Handed to the supervisor, which looks at the names in them (sandbox/linux/supervisor.h).
std::span<const CallName> SupervisedCalls();
// The same where neither a process namespace nor Landlock keeps signals inside.
std::span<const CallName> SignalCalls();
// The same, and refused to everybody but the supervisor.
std::span<const CallName> SupervisorsOwnCalls();

// Whether SignalCalls() are supervised as well. The kernel also sends signals when a file is ready
// (F_SETOWN of fcntl(2)), to any process: asking for them is then refused.
enum class SupervisedSignals : uint8_t { kNo, kYes };

// A resource limit that has no use, RLIMIT_LOCKS: nobody but the supervisor may set it.
constexpr uint32_t kMarkingLimit = 10;

// RLIMIT_CORE. It stays 1, with which the kernel does not start the host's crash handler. A program
// that sets it (most set 0) is told that it worked, since some end otherwise: there is no core file
// either way.
constexpr uint32_t kCoreLimit = 4;

// The newest call that was evaluated for the lists above; higher numbers are ENOSYS.
constexpr int kNewestCall = 469;  // file_setattr(2), Linux 6.17

// Bits of the first argument of clone(2) and unshare(2) that make a namespace.
std::span<const uint32_t> NamespaceFlags();
constexpr uint32_t kNewTimeNamespace = 0x80;  // of unshare(2) alone: part of clone(2)'s signal

// Requests of ioctl(2) that put characters into a terminal's input, or change its driver.
std::span<const uint32_t> RefusedTerminalRequests();

// Requests of ioctl(2), of any size, that make or remove a subvolume, which is a folder with a name
// that no other call has said (ioctl_btrfs), or change one; and the same of bcachefs, by their
// type.
std::span<const uint32_t> RefusedSubvolumeRequests();
constexpr uint32_t kBcachefsRequests = 0xBC00;
// Requests of ioctl(2) by which the owner of a file changes it through a descriptor that only
// reads: attributes, fs-verity, encryption (ioctl_iflags(2)). A standard stream can be such a
// descriptor of a file outside. Those of f2fs are refused by their type.
std::span<const uint32_t> RefusedFileRequests();
constexpr uint32_t kF2fsRequests = 0xF500;

// Commands of fcntl(2) by which one process keeps another's open(2) waiting: the supervisor's, and
// so every call of the sandbox.
std::span<const uint32_t> RefusedFileCommands();

// Commands of fcntl(2) and requests of ioctl(2) that name the process which gets a file's signals.
std::span<const uint32_t> SignalOwnerCommands();
std::span<const uint32_t> SignalOwnerRequests();
// SHM_LOCK of shmctl(2): the kernel counts what is locked by it for all processes of the user.
constexpr uint32_t kLockSharedMemory = 11;

// Bits of open(2)'s flags with which it may change something.
std::span<const uint32_t> ChangingOpenFlags();

// Families of socket(2) that are of use without a right of the host: the rest is refused.
constexpr uint32_t kUnixFamily = 1;
constexpr uint32_t kInternetFamily = 2;
constexpr uint32_t kInternet6Family = 10;
constexpr uint32_t kNetlinkFamily = 16;  // with protocol 0, NETLINK_ROUTE, only
constexpr uint32_t kFamilies = 48;       // above all that a kernel has (AF_MAX)

// Types of a Unix socketpair(2) whose ends can still send to any other address. The bits above are
// flags.
std::span<const uint32_t> AddressableSocketTypes();
constexpr uint32_t kSocketTypeBits = 0xF;
constexpr uint32_t kNetlinkProtocols = 32;  // MAX_LINKS

// What of sockets a process may have.
enum class SocketRules : uint8_t {
  kUsual,      // Unix, internet, routes
  kNoUnix,     // where Unix sockets of the host could not be told from one's own
  kNoneAtAll,  // and the network is the host's, which is refused
};
constexpr int kSocketRules = 3;

}  // namespace ringfence
