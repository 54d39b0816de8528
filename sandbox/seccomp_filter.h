// System calls that a confined process may not make. The filter is compiled from these lists, and
// --dry-run prints them. They use the kernel's names or numbers, so they are the same on every
// architecture; names that an architecture lacks are skipped there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ringfence {

struct CallName {
  std::string_view name;
  int number = -1;  // for calls unknown to libseccomp 2.5.4; the same on all architectures
};

// Refused with EPERM: mounts, namespaces, the kernel itself, internals of other processes.
std::span<const CallName> RefusedCalls();
// Refused with ENOSYS, so that programs fall back to older calls.
std::span<const CallName> AbsentCalls();
// Refused with ENOSYS without namespaces and mounts: these calls reach System V objects and POSIX
// message queues of the user's other processes (sysvipc(7), mq_overview(7)).
std::span<const CallName> CallsBeyondLandlock();
// Passed to the supervisor, which checks the names in them (sandbox/linux/supervisor.h).
std::span<const CallName> SupervisedCalls();
// The same, if neither a process namespace nor Landlock confines signals.
std::span<const CallName> SignalCalls();
// Refused with EPERM in all processes but the supervisor, which needs them.
std::span<const CallName> SupervisorsOwnCalls();

// Selects supervision of SignalCalls(). The kernel also sends a signal, to any process, when a file
// is ready (F_SETOWN of fcntl(2)); requests for that are then refused.
enum class SupervisedSignals : uint8_t { kNo, kYes };

// RLIMIT_LOCKS, a resource limit without effect, which only the supervisor may set.
constexpr uint32_t kMarkingLimit = 10;

// RLIMIT_CORE. It stays 1, at which the kernel does not start the host's crash handler. Setting it
// (mostly to 0) appears to succeed, since some programs exit on an error; there is no core file
// either way.
constexpr uint32_t kCoreLimit = 4;

// The newest call considered for the lists above; higher numbers fail with ENOSYS.
constexpr int kNewestCall = 469;  // file_setattr(2), Linux 6.17

// Bits of the first argument of clone(2) and unshare(2) that create a namespace.
std::span<const uint32_t> NamespaceFlags();
// For unshare(2) only: in clone(2) the bit is part of the signal.
constexpr uint32_t kNewTimeNamespace = 0x80;

// ioctl(2) requests that put characters into a terminal's input or change its driver.
std::span<const uint32_t> RefusedTerminalRequests();

// ioctl(2) requests, of any size, that create, remove or change a subvolume: a directory whose name
// no other call contains (ioctl_btrfs). Those of bcachefs are refused by type.
std::span<const uint32_t> RefusedSubvolumeRequests();
constexpr uint32_t kBcachefsRequests = 0xBC00;
// ioctl(2) requests by which a file's owner changes it through a read-only descriptor: attributes,
// fs-verity, encryption (ioctl_iflags(2)). A standard stream can be such a descriptor of a file
// outside. Those of f2fs are refused by type.
std::span<const uint32_t> RefusedFileRequests();
constexpr uint32_t kF2fsRequests = 0xF500;

// fcntl(2) commands that let one process block another's open(2). A blocked open(2) of the
// supervisor would block every call of the sandbox.
std::span<const uint32_t> RefusedFileCommands();

// fcntl(2) commands and ioctl(2) requests that select the process to receive a file's signals.
std::span<const uint32_t> SignalOwnerCommands();
std::span<const uint32_t> SignalOwnerRequests();
// SHM_LOCK of shmctl(2): the kernel counts the locked memory for all of the user's processes.
constexpr uint32_t kLockSharedMemory = 11;

// Flags of open(2) with which it can change something.
std::span<const uint32_t> ChangingOpenFlags();

// Families of socket(2) that are useful without host privileges; all others are refused.
constexpr uint32_t kUnixFamily = 1;
constexpr uint32_t kInternetFamily = 2;
constexpr uint32_t kInternet6Family = 10;
constexpr uint32_t kNetlinkFamily = 16;  // only with protocol 0, NETLINK_ROUTE
constexpr uint32_t kFamilies = 48;       // above every family of the kernel (AF_MAX)

// Types of a Unix socketpair(2) whose ends can still send to any other address. The higher bits are
// flags.
std::span<const uint32_t> AddressableSocketTypes();
constexpr uint32_t kSocketTypeBits = 0xF;
constexpr uint32_t kNetlinkProtocols = 32;  // MAX_LINKS

// Sockets that a process may create.
enum class SocketRules : uint8_t {
  kUsual,      // Unix, internet, routes
  kNoUnix,     // if the host's Unix sockets cannot be told from the sandbox's own
  kNoneAtAll,  // no network either, since it is the host's
};
constexpr int kSocketRules = 3;

}  // namespace ringfence
