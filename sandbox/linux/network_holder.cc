#include "sandbox/linux/network_holder.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message_socket.h"
#include "base/read_number.h"
#include "base/socket_pair.h"
#include "base/syscall.h"
#include "proxy/link/messages.h"
#include "sandbox/linux/gateway.h"
#include "sandbox/linux/privileges.h"

namespace ringfence {
namespace {

constexpr size_t kMaxWantedPorts = 64;  // then the oldest listener is replaced
constexpr size_t kMaxMembers = 256;
// With a listener from the start, so that all fit into one message; the others get theirs when a
// program connects.
constexpr size_t kMaxFirstPorts = 160;

Status Tell(const UniqueFd& socket, HolderMessage message,
            const std::vector<std::string_view>& fields, std::span<const int> fds = {}) {
  return SendSocketMessage(socket.get(), static_cast<char>(message), fields, fds);
}

// Closes all descriptors but the streams and these.
Status KeepOnly(std::array<int, 3> kept) {
  std::ranges::sort(kept);
  unsigned next = STDERR_FILENO + 1;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (number > next && ::syscall(SYS_close_range, next, number - 1, 0) != 0) {
      return SystemError("close_range", errno, Error::About::kCloseRange);
    }
    next = number + 1;
  }
  return CallStatus(::syscall(SYS_close_range, next, ~0U, 0) == 0, "close_range",
                    Error::About::kCloseRange);
}

// A sandbox in the network.
struct HeldSandbox {
  UniqueFd supervisor;  // socket
  UniqueFd first{};     // pidfd of its first process, with which all others end; may be invalid
};

class Holder {
 public:
  Holder(const SandboxPlan& plan, UniqueFd proxy, HeldSandbox member)
      : proxy_(std::move(proxy)), plan_(plan) {
    members_.push_back(std::move(member));
  }

  [[noreturn]] void Run() {
    const Status built = Build();
    const UniqueFd& first = members_.front().supervisor;
    if (!built) {
      const Error& error = built.error();
      [[maybe_unused]] const Status told = Tell(
          first, HolderMessage::kFailed, {error.where, error.what, std::to_string(error.code)});
      ::_exit(1);
    }
    if (!Tell(first, HolderMessage::kReady, {}) || !Confine()) ::_exit(1);
    for (;;) ServeOnce();
  }

 private:
  Status Build() {
    const UniqueFd user = OpenFile("/proc/self/ns/user", O_RDONLY);
    if (!user.valid()) return SystemError("open(own user namespace)");
    std::vector<uint16_t> ports(std::begin(kUsualPorts), std::end(kUsualPorts));
    for (const uint16_t port : plan_.network.ports) {
      const bool is_new = std::ranges::find(ports, port) == ports.end();
      if (is_new && ports.size() < kMaxFirstPorts) ports.push_back(port);
    }
    Result<Gateway> gateway = BuildGateway(ports);
    if (!gateway) return gateway.error();
    ports_ = std::move(ports);
    std::vector<std::string_view> names{kUserNamespace, kNetNamespace};
    std::vector<int> fds{user.get(), gateway->inner.get()};
    for (const NamedSocket& socket : gateway->sockets) {
      names.push_back(socket.name);
      fds.push_back(socket.fd.get());
    }
    Status told = Tell(proxy_, HolderMessage::kNetwork, names, fds);
    if (told || told.error().code != EPIPE) return told;
    return Error{Error::Kind::kSystem, "the egress proxy", "has ended", "", EPIPE};
  }

  // What the holder keeps: the two kinds of sockets, and the right to listen on low ports.
  bool Confine() {
    const UniqueFd nothing = OpenFile("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) ::dup2(nothing.get(), fd);
    ::prctl(PR_SET_NAME, "ringfence-net");
    return ::chdir("/") == 0 && ForbidNewPrivileges() && HideMemory() &&
           DropCapabilities(Kept::kLowPorts);
  }

  void ServeOnce() {
    std::vector<pollfd> polled{{proxy_.get(), POLLIN, 0}};
    polled.reserve(2 * members_.size() + 1);
    for (const HeldSandbox& member : members_) {
      polled.push_back({member.supervisor.get(), POLLIN, 0});
      polled.push_back({member.first.get(), POLLIN, 0});
    }
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) ::_exit(1);
    for (size_t i = 0; i < members_.size(); ++i) {
      HeldSandbox& member = members_[i];
      if (polled[2 * i + 1].revents != 0 && !HearMember(member)) member.supervisor = UniqueFd();
      if (polled[2 * i + 2].revents != 0) member = HeldSandbox{};
    }
    const auto has_ended = [](const HeldSandbox& member) {
      return !member.supervisor.valid() && !member.first.valid();
    };
    const size_t ended = std::erase_if(members_, has_ended);
    if (ended > 0 && members_.empty() && !Tell(proxy_, HolderMessage::kFree, {})) ::_exit(0);
    if (polled[0].revents != 0) HearProxy();
  }

  void HearProxy() {
    Result<SocketMessage> message = ReceiveSocketMessage(proxy_.get());
    if (!message) ::_exit(0);
    if (message->type != static_cast<char>(HolderMessage::kMember) || message->fds.empty()) return;
    if (members_.size() == kMaxMembers) return;  // its supervisor sees the closed socket
    const HeldSandbox& member = members_.emplace_back(HeldSandbox{std::move(message->fds.front())});
    [[maybe_unused]] const Status told = Tell(member.supervisor, HolderMessage::kReady, {});
  }

  // Returns false if the supervisor has ended.
  bool HearMember(HeldSandbox& member) {
    Result<SocketMessage> message = ReceiveSocketMessage(member.supervisor.get());
    if (!message) return false;
    if (message->type == static_cast<char>(HolderMessage::kFirst)) {
      if (message->fds.empty()) return false;
      member.first = std::move(message->fds.front());
      return true;
    }
    uint16_t port = 0;
    const bool is_port = message->type == static_cast<char>(HolderMessage::kWant) &&
                         message->fields.size() == 1 && ReadNumber(message->fields[0], port);
    if (!is_port) return false;
    Provide(port);
    return Tell(member.supervisor, HolderMessage::kHave, {message->fields[0]}).has_value();
  }

  // Without a listener the connection is refused at once, only without an explanation.
  void Provide(uint16_t port) {
    if (port == 0 || std::ranges::find(ports_, port) != ports_.end()) return;
    if (std::ranges::find(wanted_, port) != wanted_.end()) return;
    const Result<UniqueFd> listener = ListenOn(port);
    if (!listener) return;
    const std::string name = std::to_string(port);
    const int fd = listener->get();
    if (!Tell(proxy_, HolderMessage::kNetwork, {name}, {&fd, 1})) return;
    if (wanted_.size() == kMaxWantedPorts) wanted_.erase(wanted_.begin());
    wanted_.push_back(port);
  }

  UniqueFd proxy_;
  const SandboxPlan& plan_;
  std::vector<HeldSandbox> members_;
  std::vector<uint16_t> ports_;   // with a listener from the start
  std::vector<uint16_t> wanted_;  // the proxy keeps as many, and closes the oldest
};

// Forks twice: a process that is in the network, and from it, with CLONE_PARENT, the first process
// of the sandbox. The launcher itself cannot enter a user namespace and return from it.
class NetworkCloner {
 public:
  explicit NetworkCloner(NetworkStart start) : start_(std::move(start)) {}

  Result<FirstProcess> Clone() {
    Result<SocketPair> report = MakeSocketPair(SOCK_SEQPACKET);
    if (!report) return report.error();
    const unsigned long flags = start_.entry.exists() ? 0 : CLONE_NEWUSER | CLONE_NEWNET;
    const pid_t between = ForkWith(flags | SIGCHLD);
    if (between < 0) return SystemError("clone(network)");
    if (between > 0) {
      report->other = UniqueFd();
      return HearOf(report->own, between);
    }
    report->own = UniqueFd();
    Result<FirstProcess> first = start_.entry.exists() ? FollowIn() : Found();
    if (first && first->pid == 0) return first;
    Report(report->other, first);
    if (!first || start_.entry.exists()) ::_exit(0);
    report->other = UniqueFd();
    BecomeHolder();
  }

 private:
  // With CLONE_PIDFD in `flags`, `pidfd` receives the descriptor.
  static pid_t ForkWith(unsigned long flags, int* pidfd = nullptr) {
    return static_cast<pid_t>(::syscall(SYS_clone, flags, nullptr, pidfd, nullptr, nullptr));
  }

  Result<FirstProcess> FollowIn() {
    NetworkEntry& entry = start_.entry;
    if (::setns(entry.user.get(), CLONE_NEWUSER) != 0) return SystemError("setns(user)");
    if (::setns(entry.net.get(), CLONE_NEWNET) != 0) return SystemError("setns(network)");
    HeldSandbox member{UniqueFd(::fcntl(entry.holder.get(), F_DUPFD_CLOEXEC, 0))};
    Result<FirstProcess> first = CloneFirst(std::move(entry.holder), member);
    if (!first || first->pid == 0) return first;
    const int fds[] = {member.first.get()};
    const Status told = Tell(member.supervisor, HolderMessage::kFirst, {}, fds);
    if (!told) return told.error();
    return first;
  }

  Result<FirstProcess> Found() {
    if (Status s = MapIdentity(start_.plan.user, start_.plan.group); !s) return s.error();
    if (Status s = RaiseLoopback(); !s) return s.error();
    Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
    if (!pair) return pair.error();
    member_.supervisor = std::move(pair->own);
    return CloneFirst(std::move(pair->other), member_);
  }

  Result<FirstProcess> CloneFirst(UniqueFd network, HeldSandbox& member) const {
    int pidfd = -1;
    const pid_t first = ForkWith(start_.flags | CLONE_PARENT | CLONE_PIDFD, &pidfd);
    if (first < 0) return SystemError("clone");
    if (first == 0) {
      member.supervisor = UniqueFd();  // the holder's end
      return FirstProcess{.pid = 0, .network = std::move(network)};
    }
    member.first = UniqueFd(pidfd);
    return FirstProcess{.pid = first};
  }

  // A message is the number of the first process or, with three fields, the error.
  static void Report(const UniqueFd& launcher, const Result<FirstProcess>& first) {
    std::vector<std::string> fields;
    if (first) {
      fields = {std::to_string(first->pid)};
    } else {
      fields = {first.error().where, first.error().what, std::to_string(first.error().code)};
    }
    const std::vector<std::string_view> views(fields.begin(), fields.end());
    [[maybe_unused]] const Status sent = SendSocketMessage(launcher.get(), 'p', views);
  }

  Result<FirstProcess> HearOf(const UniqueFd& report, pid_t between) const {
    Result<SocketMessage> message = ReceiveSocketMessage(report.get());
    const bool is_done = message && message->fields.size() == 1;
    const bool holds = is_done && !start_.entry.exists();
    if (!holds) ::waitpid(between, nullptr, 0);
    if (!message) return message.error();
    if (!is_done) {
      message->fields.resize(3);
      return Error{Error::Kind::kSystem, message->fields[0], message->fields[1], "",
                   std::atoi(message->fields[2].c_str())};
    }
    return FirstProcess{.pid = std::atoi(message->fields.front().c_str()),
                        .holder = holds ? between : -1};
  }

  [[noreturn]] void BecomeHolder() {
    UniqueFd& proxy = start_.entry.proxy;
    if (::setsid() < 0 || !KeepOnly({proxy.get(), member_.supervisor.get(), member_.first.get()})) {
      ::_exit(1);
    }
    Holder(start_.plan, std::move(proxy), std::move(member_)).Run();
  }

  NetworkStart start_;
  HeldSandbox member_{};
};

}  // namespace

Result<FirstProcess> CloneIntoNetwork(NetworkStart start) {
  return NetworkCloner(std::move(start)).Clone();
}

Status AwaitNetwork(const UniqueFd& holder) {
  Result<SocketMessage> message = ReceiveSocketMessage(holder.get());
  if (!message) {
    return Error{Error::Kind::kSystem, "the network holder", "ended before the network was ready",
                 "", message.error().code};
  }
  if (message->type == static_cast<char>(HolderMessage::kReady)) return Unit{};
  message->fields.resize(3);
  return Error{Error::Kind::kSystem, message->fields[0], message->fields[1], "",
               std::atoi(message->fields[2].c_str())};
}

}  // namespace ringfence
