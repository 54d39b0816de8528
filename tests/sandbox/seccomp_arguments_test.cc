// The filters' rules for the arguments of clone, unshare, ioctl, socket and open.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>

#include "sandbox/linux/privileges.h"
#include "tests/support/seccomp_emulator.h"

using namespace ringfence;

namespace {

constexpr uint64_t kGarbage = 0xFEDC'BA98'0000'0000;  // upper half of an int argument's register
constexpr SocketRules kAllRules[] = {SocketRules::kUsual, SocketRules::kNoUnix,
                                     SocketRules::kTcpOnly, SocketRules::kNoneAtAll};
constexpr uint64_t kThreadFlags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                                  CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
                                  CLONE_CHILD_CLEARTID;

FilterOutcome Guard(const Call& call, SocketRules rules = SocketRules::kUsual) {
  return Evaluate(GuardFilter(rules), call);
}
FilterOutcome Supervised(const Call& call) { return Evaluate(SupervisedFilter({}), call); }

}  // namespace

TEST_CASE("seccomp: a new namespace is refused, alone, with others, with garbage above") {
  for (const uint64_t flag :
       {uint64_t{CLONE_NEWNS}, uint64_t{CLONE_NEWCGROUP}, uint64_t{CLONE_NEWUTS},
        uint64_t{CLONE_NEWIPC}, uint64_t{CLONE_NEWUSER}, uint64_t{CLONE_NEWPID},
        uint64_t{CLONE_NEWNET}}) {
    CAPTURE(flag);
    for (const uint64_t more : {uint64_t{0}, uint64_t{SIGCHLD}, kThreadFlags, kGarbage,
                                uint64_t{0xFFFF'FFFF}, ~uint64_t{0}}) {
      CHECK(Guard({.number = SYS_clone, .args = {flag | more}}) == FailWith(EPERM));
      CHECK(Guard({.number = SYS_unshare, .args = {flag | more}}) == FailWith(EPERM));
    }
  }
}

TEST_CASE("seccomp: a new time namespace is refused if the flag means one") {
  constexpr uint64_t kNewTime = 0x80;
  CHECK(Guard({.number = SYS_unshare, .args = {kNewTime}}) == FailWith(EPERM));
  CHECK(Guard({.number = SYS_unshare, .args = {kNewTime | CLONE_FS | kGarbage}}) ==
        FailWith(EPERM));
}

TEST_CASE("seccomp: processes and threads start as usual") {
  for (const uint64_t flags :
       {uint64_t{SIGCHLD}, kThreadFlags, uint64_t{CLONE_VM | CLONE_VFORK | SIGCHLD}, uint64_t{0},
        uint64_t{CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD}, uint64_t{0xFF},
        uint64_t{CLONE_PIDFD | SIGCHLD}, kGarbage | SIGCHLD}) {
    CAPTURE(flags);
    for (const SocketRules rules : kAllRules) {
      CHECK(Guard({.number = SYS_clone, .args = {flags}}, rules) == Allow());
    }
  }
  CHECK(Guard({.number = SYS_clone3}) == FailWith(ENOSYS));
  for (const uint64_t flags : {uint64_t{CLONE_FS}, uint64_t{CLONE_FILES}, uint64_t{0}, kGarbage}) {
    CHECK(Guard({.number = SYS_unshare, .args = {flags}}) == Allow());
  }
}

TEST_CASE("seccomp: nothing is typed into a terminal, whatever the upper half of the register") {
  for (const uint64_t request : {uint64_t{TIOCSTI}, uint64_t{0x541C}, uint64_t{TIOCSETD}}) {
    CAPTURE(request);
    for (const uint64_t above : {uint64_t{0}, kGarbage, uint64_t{1} << 32, uint64_t{1} << 63}) {
      CHECK(Guard({.number = SYS_ioctl, .args = {0, request | above}}) == FailWith(EPERM));
      CHECK(Guard({.number = SYS_ioctl, .args = {~uint64_t{0}, request | above, 7}}) ==
            FailWith(EPERM));
    }
  }
}

TEST_CASE("seccomp: other terminal requests are allowed") {
  for (const uint64_t request :
       {uint64_t{TIOCGWINSZ}, uint64_t{TIOCSWINSZ}, uint64_t{TCGETS}, uint64_t{TCSETS},
        uint64_t{TIOCSPGRP}, uint64_t{TIOCSCTTY}, uint64_t{TIOCNOTTY}, uint64_t{FIONREAD},
        uint64_t{FIOCLEX}, uint64_t{TIOCGPTN}}) {
    CAPTURE(request);
    CHECK(Guard({.number = SYS_ioctl, .args = {0, request}}) == Allow());
  }
  // The descriptor number does not matter.
  CHECK(Guard({.number = SYS_ioctl, .args = {TIOCSTI, TCGETS, TIOCSTI}}) == Allow());
}

TEST_CASE("seccomp: leases are refused, and locks and flags are allowed") {
  constexpr uint64_t kSetDelegation = 1024 + 16;
  for (const uint64_t command : {uint64_t{F_SETLEASE}, kSetDelegation}) {
    CAPTURE(command);
    for (const uint64_t above : {uint64_t{0}, kGarbage}) {
      CHECK(Guard({.number = SYS_fcntl, .args = {3, command | above}}) == FailWith(EPERM));
    }
  }
  for (const int command : {F_GETLEASE, F_SETLK, F_OFD_SETLKW, F_SETFD, F_SETFL, F_DUPFD_CLOEXEC,
                            F_ADD_SEALS, F_SETPIPE_SZ, F_SETOWN}) {
    CAPTURE(command);
    const auto second = static_cast<uint64_t>(command);
    CHECK(Guard({.number = SYS_fcntl, .args = {F_SETLEASE, second, F_SETLEASE}}) == Allow());
  }
}

TEST_CASE("seccomp: the socket families that each kind of rules permits") {
  for (const SocketRules rules : kAllRules) {
    for (uint64_t family = 0; family < kFamilies; ++family) {
      if (family == AF_NETLINK) continue;
      CAPTURE(family);
      const bool is_internet = family == AF_INET || family == AF_INET6;
      const bool permitted = family == AF_UNIX ? rules == SocketRules::kUsual
                                               : is_internet && rules != SocketRules::kNoneAtAll;
      const FilterOutcome want = permitted ? Allow() : FailWith(EAFNOSUPPORT);
      CHECK(Guard({.number = SYS_socket, .args = {family, SOCK_STREAM}}, rules) == want);
      const bool only_tcp = rules == SocketRules::kTcpOnly;
      CHECK(Guard({.number = SYS_socket, .args = {family | kGarbage, SOCK_RAW, 255}}, rules) ==
            (only_tcp ? FailWith(EAFNOSUPPORT) : want));
    }
  }
}

TEST_CASE("seccomp: every family in the headers is decided") {
  CHECK(kFamilies >= AF_MAX);
  CHECK(kUnixFamily == AF_UNIX);
  CHECK(kInternetFamily == AF_INET);
  CHECK(kInternet6Family == AF_INET6);
  CHECK(kNetlinkFamily == AF_NETLINK);
}

TEST_CASE("seccomp: only the route protocol of netlink") {
  for (const SocketRules rules : {SocketRules::kUsual, SocketRules::kNoUnix}) {
    for (uint64_t protocol = 0; protocol < kNetlinkProtocols; ++protocol) {
      CAPTURE(protocol);
      const FilterOutcome want = protocol == 0 ? Allow() : FailWith(EAFNOSUPPORT);
      CHECK(Guard({.number = SYS_socket, .args = {AF_NETLINK, SOCK_RAW, protocol}}, rules) == want);
      CHECK(Guard({.number = SYS_socket,
                   .args = {AF_NETLINK | kGarbage, SOCK_DGRAM, protocol | kGarbage}},
                  rules) == want);
    }
  }
}

TEST_CASE("seccomp: the sockets of a program that only reaches the proxy are TCP clients") {
  const auto socket = [](uint64_t family, uint64_t type, uint64_t protocol) {
    return Guard({.number = SYS_socket, .args = {family, type, protocol}}, SocketRules::kTcpOnly);
  };
  for (const uint64_t family : {uint64_t{AF_INET}, uint64_t{AF_INET6} | kGarbage}) {
    for (uint64_t type = 0; type <= kSocketTypeBits; ++type) {
      CAPTURE(type);
      const FilterOutcome want = type == SOCK_STREAM ? Allow() : FailWith(EAFNOSUPPORT);
      CHECK(socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) == want);
    }
    for (uint64_t protocol = 0; protocol < 1024; ++protocol) {
      CAPTURE(protocol);
      const bool is_tcp = protocol == 0 || protocol == kTcpNumber;
      const FilterOutcome want = is_tcp ? Allow() : FailWith(EAFNOSUPPORT);
      CHECK(socket(family, SOCK_STREAM | kGarbage, protocol | kGarbage) == want);
      CHECK(socket(family, SOCK_STREAM, protocol | 1u << 31) == FailWith(EAFNOSUPPORT));
    }
  }
}

TEST_CASE("seccomp: no message connects a socket of a program that only reaches the proxy") {
  struct Row {
    int number;
    size_t flags;  // index of the argument
  };
  for (const Row& row : {Row{SYS_sendto, 3}, Row{SYS_sendmsg, 2}, Row{SYS_sendmmsg, 3}}) {
    CAPTURE(row.number);
    Call call{.number = row.number};
    for (const uint64_t flags : {uint64_t{0}, uint64_t{MSG_NOSIGNAL | MSG_MORE}, kGarbage}) {
      call.args[row.flags] = flags;
      CHECK(Guard(call, SocketRules::kTcpOnly) == Allow());
      call.args[row.flags] = flags | MSG_FASTOPEN;
      CHECK(Guard(call, SocketRules::kTcpOnly) == FailWith(EOPNOTSUPP));
      CHECK(Guard(call, SocketRules::kUsual) == Allow());
    }
  }
}

TEST_CASE("seccomp: a program that only reaches the proxy chooses no way to it") {
  struct Row {
    int level;
    int name;
    bool is_refused;
  };
  for (const Row& row :
       {Row{SOL_SOCKET, SO_BINDTODEVICE, true}, Row{SOL_SOCKET, SO_BINDTOIFINDEX, true},
        Row{IPPROTO_IP, IP_OPTIONS, true}, Row{IPPROTO_IP, IP_UNICAST_IF, true},
        Row{IPPROTO_IPV6, IPV6_UNICAST_IF, true}, Row{SOL_SOCKET, SO_REUSEADDR, false},
        Row{IPPROTO_IP, IP_TOS, false}, Row{IPPROTO_TCP, TCP_NODELAY, false}}) {
    CAPTURE(row.level);
    CAPTURE(row.name);
    for (const uint64_t more : {uint64_t{0}, kGarbage}) {
      const auto level = static_cast<uint64_t>(row.level) | more;
      const auto name = static_cast<uint64_t>(row.name) | more;
      const Call call{.number = SYS_setsockopt, .args = {3, level, name}};
      CHECK(Guard(call, SocketRules::kTcpOnly) == (row.is_refused ? FailWith(EPERM) : Allow()));
      CHECK(Guard(call, SocketRules::kUsual) == Allow());
    }
  }
}

TEST_CASE("seccomp: if no sockets are permitted, netlink routes are refused, too") {
  for (const SocketRules rules : {SocketRules::kTcpOnly, SocketRules::kNoneAtAll}) {
    CHECK(Guard({.number = SYS_socket, .args = {AF_NETLINK, SOCK_RAW, 0}}, rules) ==
          FailWith(EAFNOSUPPORT));
  }
}

TEST_CASE("seccomp: if no sockets are permitted, other netlink protocols are refused") {
  for (uint64_t protocol = 1; protocol < kNetlinkProtocols; ++protocol) {
    CAPTURE(protocol);
    CHECK(Guard({.number = SYS_socket, .args = {AF_NETLINK, SOCK_RAW, protocol}},
                SocketRules::kNoneAtAll) == FailWith(EAFNOSUPPORT));
  }
}

TEST_CASE("seccomp: a pair that can send elsewhere is refused if Unix sockets are") {
  for (const SocketRules rules : kAllRules) {
    const bool is_usual = rules == SocketRules::kUsual;
    for (const uint64_t type : {uint64_t{SOCK_DGRAM}, uint64_t{SOCK_RAW}}) {
      for (const uint64_t more : {uint64_t{0}, uint64_t{SOCK_CLOEXEC | SOCK_NONBLOCK}, kGarbage}) {
        CAPTURE(type);
        CAPTURE(more);
        CHECK(Guard({.number = SYS_socketpair, .args = {AF_UNIX | kGarbage, type | more}}, rules) ==
              (is_usual ? Allow() : FailWith(EAFNOSUPPORT)));
      }
    }
    for (const uint64_t type : {uint64_t{SOCK_STREAM}, uint64_t{SOCK_SEQPACKET | SOCK_CLOEXEC}}) {
      CHECK(Guard({.number = SYS_socketpair, .args = {AF_UNIX, type}}, rules) == Allow());
    }
  }
}

TEST_CASE("seccomp: a file's signals have no owner if signals are supervised") {
  for (const uint64_t command : {uint64_t{F_SETOWN}, uint64_t{15} /* F_SETOWN_EX */}) {
    const Call call{.number = SYS_fcntl, .args = {3, command | kGarbage, 77}};
    CHECK(Evaluate(SupervisedFilter({.signals = true}), call) == FailWith(EPERM));
    CHECK(Supervised(call) == Allow());
  }
  for (const uint64_t request : {uint64_t{0x8901} /* FIOSETOWN */, uint64_t{0x8902}}) {
    const Call call{.number = SYS_ioctl, .args = {3, request | kGarbage}};
    CHECK(Evaluate(SupervisedFilter({.signals = true}), call) == FailWith(EPERM));
    CHECK(Supervised(call) == Allow());
  }
  const Call asked{.number = SYS_fcntl, .args = {3, F_GETOWN}};
  CHECK(Evaluate(SupervisedFilter({.signals = true}), asked) == Allow());
}

TEST_CASE("seccomp: a pair of connected Unix sockets is always permitted") {
  for (const SocketRules rules : kAllRules) {
    CHECK(Guard({.number = SYS_socketpair, .args = {AF_UNIX, SOCK_STREAM}}, rules) == Allow());
    for (const uint64_t family :
         {uint64_t{AF_PACKET}, uint64_t{AF_VSOCK}, uint64_t{AF_ALG}, uint64_t{AF_TIPC}}) {
      CAPTURE(family);
      CHECK(Guard({.number = SYS_socketpair, .args = {family | kGarbage, SOCK_STREAM}}, rules) ==
            FailWith(EAFNOSUPPORT));
    }
  }
}

TEST_CASE("seccomp: opening a file for reading is not supervised") {
  for (const uint64_t flags :
       {uint64_t{O_RDONLY}, uint64_t{O_RDONLY | O_CLOEXEC}, uint64_t{O_DIRECTORY | O_NONBLOCK},
        uint64_t{O_PATH | O_NOFOLLOW}, uint64_t{O_RDONLY | O_NOCTTY | O_APPEND}, kGarbage}) {
    CAPTURE(flags);
    CHECK(Supervised({.number = SYS_openat, .args = {~uint64_t{0}, ~uint64_t{0}, flags, 0777}}) ==
          Allow());
#ifdef SYS_open
    CHECK(Supervised({.number = SYS_open, .args = {~uint64_t{0}, flags, ~uint64_t{0}}}) == Allow());
#endif
  }
}

TEST_CASE("seccomp: opening a file for writing or creating is") {
  for (const uint64_t flag :
       {uint64_t{O_WRONLY}, uint64_t{O_RDWR}, uint64_t{O_CREAT}, uint64_t{O_TRUNC},
        uint64_t{O_ACCMODE}, uint64_t{O_TMPFILE | O_RDWR}, uint64_t{O_TMPFILE | O_WRONLY}}) {
    for (const uint64_t more : {uint64_t{0}, uint64_t{O_CLOEXEC | O_EXCL | O_NOFOLLOW}, kGarbage,
                                uint64_t{O_PATH}, ~uint64_t{0}}) {
      CAPTURE(flag);
      CAPTURE(more);
      CHECK(Supervised({.number = SYS_openat, .args = {0, 0, flag | more}}) == Notify());
#ifdef SYS_open
      CHECK(Supervised({.number = SYS_open, .args = {0, flag | more}}) == Notify());
#endif
    }
  }
}
