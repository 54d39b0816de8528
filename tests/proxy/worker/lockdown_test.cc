#include "proxy/worker/lockdown.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string>

#include "base/message_socket.h"
#include "base/socket_pair.h"
#include "tests/support/loopback.h"

using namespace ringfence;

namespace {

constexpr int kNotConfined = 100;

// Ends this process. Not _exit(2), with which a coverage build opens a file; nor [[noreturn]],
// before which ASan makes calls of its own.
void Leave(int status) { ::syscall(SYS_exit_group, status); }

// Calls `act` in a process of its own, which leaves with the status that `act` returns. Returns
// that status, or 1000 and the signal that ended it.
template <typename Act>
int StatusOfChild(bool is_confined, const Act& act) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // doctest has a handler
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    if (is_confined && !ConfineWorker(Sanitized::kNo)) Leave(kNotConfined);
    Leave(act());
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

constexpr int kKilled = 1000 + SIGSYS;

// The descriptors of the child in the tests below.
struct Held {
  TcpPair tcp = MakeTcpPair();
  LoopbackListener listener;
  UniqueFd file = UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  UniqueFd folder = UniqueFd(::open("/", O_PATH | O_CLOEXEC));
};

template <typename... Arguments>
long Call(long number, Arguments... arguments) {
  return ::syscall(number, arguments...);
}

struct Forbidden {
  const char* name;
  long (*call)(const Held& held);
  bool works_outside = true;  // a confined call proves little if it fails everywhere
};

const char* const kProgram = "/bin/true";

constexpr Forbidden kForbidden[] = {
    {"open a file", [](const Held&) { return Call(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY); }},
    {"open below a descriptor",
     [](const Held& h) { return Call(SYS_openat, h.folder.get(), "dev/null", O_RDONLY); }},
    {"facts of a file",
     [](const Held&) {
       struct stat facts {};
       return Call(SYS_newfstatat, AT_FDCWD, "/dev/null", &facts, 0);
     }},
    {"read a link",
     [](const Held&) {
       std::array<char, 64> text{};
       return Call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", text.data(), text.size());
     }},
    {"remove a file", [](const Held&) { return Call(SYS_unlinkat, AT_FDCWD, "/dev/null/x", 0); },
     false},
    {"a TCP socket", [](const Held&) { return Call(SYS_socket, AF_INET, SOCK_STREAM, 0); }},
    {"a Unix socket", [](const Held&) { return Call(SYS_socket, AF_UNIX, SOCK_STREAM, 0); }},
    {"a netlink socket", [](const Held&) { return Call(SYS_socket, AF_NETLINK, SOCK_RAW, 0); }},
    {"a pair of sockets",
     [](const Held&) {
       std::array<int, 2> pair{};
       return Call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair.data());
     }},
    {"connect a socket that it holds",
     [](const Held& h) {
       const sockaddr none{.sa_family = AF_UNSPEC, .sa_data = {}};
       return Call(SYS_connect, h.tcp.own.get(), &none, sizeof none);
     }},
    {"bind",
     [](const Held& h) {
       const sockaddr_in any = LoopbackAddress(0);
       return Call(SYS_bind, h.tcp.own.get(), &any, sizeof any);
     },
     false},
    {"listen", [](const Held& h) { return Call(SYS_listen, h.listener.fd(), 1); }},
    {"several messages at once",
     [](const Held& h) {
       mmsghdr messages{};
       return Call(SYS_sendmmsg, h.tcp.own.get(), &messages, 1, 0);
     },
     false},
    {"connect while sending",
     [](const Held& h) {
       const sockaddr_in to = LoopbackAddress(h.listener.port());
       return Call(SYS_sendto, h.tcp.own.get(), "x", 1, MSG_FASTOPEN, &to, sizeof to);
     },
     false},
    {"connect while sending a message",
     [](const Held& h) {
       sockaddr_in to = LoopbackAddress(h.listener.port());
       msghdr message{};
       message.msg_name = &to;
       message.msg_namelen = sizeof to;
       return Call(SYS_sendmsg, h.tcp.own.get(), &message, MSG_FASTOPEN);
     },
     false},
    {"start a program",
     [](const Held&) {
       const std::array<const char*, 2> arguments{kProgram, nullptr};
       return Call(SYS_execve, kProgram, arguments.data(), nullptr);
     }},
    {"start a program below a descriptor",
     [](const Held& h) {
       const std::array<const char*, 2> arguments{kProgram, nullptr};
       return Call(SYS_execveat, h.folder.get(), "bin/true", arguments.data(), nullptr, 0);
     }},
    {"a process",
     [](const Held&) {
       const long child = Call(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
       if (child == 0) Leave(0);
       return child;
     }},
    {"signal another process",
     [](const Held&) { return Call(SYS_tgkill, ::getppid(), ::getppid(), 0); }},
    {"kill(2)", [](const Held&) { return Call(SYS_kill, ::getpid(), 0); }},
    {"a handle of a process", [](const Held&) { return Call(SYS_pidfd_open, ::getpid(), 0); }},
    {"trace", [](const Held&) { return Call(SYS_ptrace, PTRACE_TRACEME, 0, nullptr, nullptr); }},
    {"the memory of a process",
     [](const Held&) {
       char from = 'x';
       char to = 0;
       const iovec local{&to, 1};
       const iovec remote{&from, 1};
       return Call(SYS_process_vm_readv, ::getpid(), &local, 1, &remote, 1, 0);
     },
     false},
    {"a process's own settings",
     [](const Held&) { return Call(SYS_prctl, PR_SET_NAME, "worker", 0, 0, 0); }},
    {"dumps again", [](const Held&) { return Call(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0); }},
    {"its limits",
     [](const Held&) {
       rlimit files{};
       return Call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &files);
     }},
    {"code in new memory",
     [](const Held&) {
       return Call(SYS_mmap, nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                   0);
     }},
    {"code in memory that it has",
     [](const Held&) {
       void* const memory =
           ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
       return Call(SYS_mprotect, memory, 4096, PROT_READ | PROT_EXEC);
     }},
    {"a file in memory",
     [](const Held& h) {
       return Call(SYS_mmap, nullptr, 4096, PROT_READ, MAP_PRIVATE, h.file.get(), 0);
     },
     false},
    {"a copy of a descriptor", [](const Held& h) { return Call(SYS_dup, h.file.get()); }},
    {"a copy of a descriptor by fcntl",
     [](const Held& h) { return Call(SYS_fcntl, h.file.get(), F_DUPFD, 0); }},
    {"signals from a descriptor",
     [](const Held& h) { return Call(SYS_fcntl, h.tcp.own.get(), F_SETOWN, ::getppid()); }},
    {"type into a terminal",
     [](const Held& h) {
       constexpr unsigned long kType = 0x5412;  // TIOCSTI
       return Call(SYS_ioctl, h.file.get(), kType, "x");
     },
     false},
    {"an interface by ioctl",
     [](const Held& h) {
       constexpr unsigned long kInterfaces = 0x8912;  // SIOCGIFCONF
       std::array<char, 64> list{};
       return Call(SYS_ioctl, h.tcp.own.get(), kInterfaces, list.data());
     }},
    {"a pipe",
     [](const Held&) {
       std::array<int, 2> ends{};
       return Call(SYS_pipe2, ends.data(), 0);
     }},
    {"an event descriptor", [](const Held&) { return Call(SYS_eventfd2, 0, 0); }},
    {"a file without a name", [](const Held&) { return Call(SYS_memfd_create, "x", 0); }},
    {"from descriptor to descriptor",
     [](const Held& h) {
       return Call(SYS_sendfile, h.tcp.own.get(), h.tcp.other.get(), nullptr, 0);
     },
     false},
    {"a ring of calls",
     [](const Held&) {
       std::array<char, 256> parameters{};
       return Call(SYS_io_uring_setup, 1, parameters.data());
     },
     false},
    {"a namespace", [](const Held&) { return Call(SYS_unshare, CLONE_FILES); }},
    {"the namespace of another", [](const Held& h) { return Call(SYS_setns, h.folder.get(), 0); },
     false},
    {"mount",
     [](const Held&) { return Call(SYS_mount, "none", "/nonexistent", "tmpfs", 0, nullptr); },
     false},
    {"a BPF program",
     [](const Held&) {
       bpf_attr attributes{};
       return Call(SYS_bpf, BPF_MAP_GET_NEXT_ID, &attributes, sizeof attributes);
     },
     false},
    {"another filter", [](const Held&) { return Call(SYS_seccomp, 0, 1, nullptr); }, false},
};

}  // namespace

TEST_CASE("lockdown: a confined worker can do nothing of this") {
  const Held held;
  for (const Forbidden& forbidden : kForbidden) {
    CAPTURE(std::string(forbidden.name));
    const auto act = [&] { return forbidden.call(held) < 0 ? 1 : 0; };
    CHECK(StatusOfChild(true, act) == kKilled);
    const int outside = StatusOfChild(false, act);
    CHECK(outside != kKilled);
    if (forbidden.works_outside) CHECK(outside == 0);
  }
}

TEST_CASE("lockdown: a confined worker can use the sockets that it holds") {
  const Held held;
  Result<SocketPair> channel = MakeSocketPair(SOCK_SEQPACKET);
  REQUIRE(channel);
  const int passed[] = {held.tcp.own.get()};
  REQUIRE(SendSocketMessage(channel->own.get(), 'x', {}, passed));
  const UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  CHECK(StatusOfChild(true, [&] {
          Result<SocketMessage> message = ReceiveSocketMessage(channel->other.get());
          if (!message || message->fds.size() != 1) return 1;
          const int socket = message->fds.front().get();
          epoll_event event{.events = EPOLLOUT, .data = {}};
          if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, socket, &event) != 0) return 2;
          if (::epoll_wait(epoll.get(), &event, 1, kPatience) != 1) return 3;
          if (::send(socket, "from within", 11, MSG_NOSIGNAL) != 11) return 4;
          return ::shutdown(socket, SHUT_WR) == 0 ? 0 : 5;
        }) == 0);
  std::array<char, 64> got{};
  CHECK(::recv(held.tcp.other.get(), got.data(), got.size(), 0) == 11);
}

TEST_CASE("lockdown: a confined worker can still abort") {
  CHECK(StatusOfChild(true, [] {
          ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), SIGABRT);
          return 0;
        }) == 1000 + SIGABRT);
}

// A socket that was connected without waiting counts as connecting until somebody asks. Once its
// host has reset it, MSG_FASTOPEN connects it to any other address.
TEST_CASE("lockdown: a connection to one host is no way to another") {
  const LoopbackListener listed;
  const LoopbackListener other;
  const auto reset_connection = [&] {
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const sockaddr_in address = LoopbackAddress(listed.port());
    ::connect(socket.get(), SocketAddress(address), sizeof address);
    pollfd writable{.fd = socket.get(), .events = POLLOUT, .revents = 0};
    REQUIRE(::poll(&writable, 1, kPatience) == 1);
    UniqueFd host = listed.Accept();
    REQUIRE(host.valid());
    CloseWithReset(std::move(host));
    pollfd ended{.fd = socket.get(), .events = POLLRDHUP, .revents = 0};
    REQUIRE(::poll(&ended, 1, kPatience) == 1);
    return socket;
  };
  const auto reconnect = [&](const UniqueFd& socket) {
    const sockaddr_in to = LoopbackAddress(other.port());
    for (int i = 0; i < 2; ++i) {
      ::sendto(socket.get(), "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, SocketAddress(to), sizeof to);
    }
    return 0;
  };
  const UniqueFd first = reset_connection();
  CHECK(StatusOfChild(true, [&] { return reconnect(first); }) == kKilled);
  pollfd arrived{.fd = other.fd(), .events = POLLIN, .revents = 0};
  CHECK(::poll(&arrived, 1, 0) == 0);
  const UniqueFd second = reset_connection();
  CHECK(StatusOfChild(false, [&] { return reconnect(second); }) == 0);
  // The kernel may be told to open no connection so (net.ipv4.tcp_fastopen).
  WARN(::poll(&arrived, 1, 1000) == 1);
}
