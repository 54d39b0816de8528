#include "sandbox/linux/inside.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "base/socket_pair.h"
#include "base/syscall.h"
#include "sandbox/environment.h"
#include "sandbox/linux/cgroup.h"
#include "sandbox/linux/channel.h"
#include "sandbox/linux/kernel_abi.h"
#include "sandbox/linux/nested_rules.h"
#include "sandbox/linux/network_holder.h"
#include "sandbox/linux/private_mounts.h"
#include "sandbox/linux/privileges.h"
#include "sandbox/linux/self_test.h"
#include "sandbox/linux/supervisor.h"
#include "sandbox/linux/view.h"
#include "staging/store/machine.h"
#include "staging/store/names.h"

namespace ringfence {
namespace {

class Inside {
 public:
  explicit Inside(InsideStart start) : start_(std::move(start)), plan_(start_.plan) {}

  [[noreturn]] void Run() {
    struct Step {
      const char* name;
      Status (Inside::*run)();
      std::optional<Feature> needs;  // feature that the host lacks if this fails
    };
    // The order is essential: mounting needs the capabilities of the new namespace, Landlock blocks
    // mounting, and the filter blocks calls that earlier steps make.
    constexpr Step kSteps[] = {
        {"tie to the launcher", &Inside::TieToLauncher, {}},
        {"resource group", &Inside::Group, Feature::kDelegation},
        {"close descriptors", &Inside::CloseDescriptors, {}},
        {"own identity", &Inside::EnterIdentity, Feature::kNamespaces},
        {"mount stage", &Inside::Stage, Feature::kOverlay},
        {"mount view", &Inside::View, Feature::kNamespaces},
        {"own processes", &Inside::Proc, Feature::kProc},
        {"leave the old root", &Inside::Root, Feature::kNamespaces},
        {"own network", &Inside::Network, Feature::kNamespaces},
        {"own keyring", &Inside::Keyring, {}},
        // Before Landlock: without a view, /dev/pts is the host's, and nothing in it may be opened.
        {"own terminal", &Inside::Terminal, {}},
        {"supervision", &Inside::Prepare, Feature::kSupervisor},
        {"rules for the outer sandbox", &Inside::HandOver, {}},
        {"no privileges", &Inside::Privileges, {}},
        {"resource limits", &Inside::Resources, {}},
        {"file rules", &Inside::Landlock, Feature::kLandlock},
        {"system calls", &Inside::Guard, {}},
        {"self-test", &Inside::Test, {}},
        {"start", &Inside::StartCommand, Feature::kSupervisor},
    };
    for (const Step& step : kSteps) {
      const Status done = (this->*step.run)();
      if (done) continue;
      [[maybe_unused]] const Status sent =
          SendFailure(start_.channel, {step.name, done.error(), step.needs});
      ::_exit(125);
    }
    Supervise({.plan = plan_,
               .launcher = std::move(start_.channel),
               .listener = std::move(listener_),
               .supervision = std::move(supervision_),
               .command = command_});
  }

 private:
  bool is_full() const { return plan_.has_namespaces(); }

  // --- the steps, in order ---

  // No process outlives the launcher, however it ends. If the kernel does not end all processes
  // with the first one, the first one notices and ends them.
  Status TieToLauncher() {
    if (plan_.has_own_processes() && ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) {
      return SystemError("prctl(death signal)");
    }
    pollfd launcher{.fd = start_.channel.get(), .events = 0, .revents = 0};
    if (::poll(&launcher, 1, 0) < 0) return SystemError("poll");
    if ((launcher.revents & POLLHUP) != 0) ::_exit(125);
    if (!plan_.has_own_processes() && ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) {
      return SystemError("prctl(subreaper)");
    }
    if (::setsid() < 0) return SystemError("setsid");
    if (Status s = start_.inherited.RestoreFileSize(); !s) return s;
    mask_ = ::umask(0);  // each caller's own mask is applied instead
    return Unit{};
  }

  Status Group() { return EnterCgroup(start_.cgroup); }

  // Closes all descriptors except the standard streams and those of InsideStart.
  Status CloseDescriptors() {
    std::array<int, 3> kept{start_.channel.get(), start_.audit, start_.network.get()};
    std::ranges::sort(kept);
    unsigned next = STDERR_FILENO + 1;
    for (const int fd : kept) {
      if (fd < 0) continue;
      const auto number = static_cast<unsigned>(fd);
      if (number > next && ::syscall(SYS_close_range, next, number - 1, 0) != 0) {
        return SystemError("close_range", errno, Error::About::kCloseRange);
      }
      next = number + 1;
    }
    return CallStatus(::syscall(SYS_close_range, next, ~0U, 0) == 0, "close_range",
                      Error::About::kCloseRange);
  }

  Status EnterIdentity() {
    return is_full() ? MapIdentity(plan_.user, plan_.group) : Status(Unit{});
  }

  Status Stage() {
    if (!is_full()) return Unit{};
    if (Status s = MountStage(plan_); !s) return s;
    if (plan_.stage.memory == 0) return Unit{};
    const std::string written = plan_.stage.folder.Child(kStageWritten).text();
    const UniqueFd buffer = OpenFile(written.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!buffer.valid()) return SystemError("open(" + written + ")");
    return SendPacket(start_.channel, Message::kBuffer, {}, buffer.get());
  }

  Status View() {
    if (!is_full()) return Unit{};
    return BuildView({.plan = plan_, .audit = start_.audit, .caches = start_.caches})
        .MoveTo(caches_);
  }

  Status Proc() { return plan_.has_own_processes() ? MountProc(plan_) : Status(Unit{}); }

  // Must follow Proc(): a new /proc cannot be mounted once the outer one is out of view.
  Status Root() { return is_full() ? LeaveOldRoot(plan_) : Status(Unit{}); }

  Status Network() {
    // The holder has built it while the view was mounted.
    if (start_.network.valid()) return AwaitNetwork(start_.network);
    const bool own = is_full() && !plan_.network.is_hosts();
    return own ? RaiseLoopback() : Status(Unit{});
  }

  // The outer sandbox has already left its keyring, and refuses the call.
  Status Keyring() { return plan_.is_nested ? Status(Unit{}) : LeaveKeyring(); }

  Status Terminal() {
    if (!start_.terminal) return Unit{};
    const UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    // An outer sandbox that has only Landlock refuses this. The command then uses the terminal of
    // the outer command.
    if (!master.valid() && plan_.is_nested && errno == EACCES) return Unit{};
    if (!master.valid()) return SystemError("posix_openpt");
    int unlocked = 0;
    if (::ioctl(master.get(), TIOCSPTLCK, &unlocked) != 0) return SystemError("ioctl(TIOCSPTLCK)");
    terminal_ = UniqueFd(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!terminal_.valid()) return SystemError("ioctl(TIOCGPTPEER)");
    if (Status s = PrepareTerminal(master, *start_.terminal); !s) return s;
    return SendPacket(start_.channel, Message::kTerminal, {}, master.get());
  }

  Status Prepare() {
    nothing_ = OpenFile("/dev/null", O_RDWR);
    if (!nothing_.valid()) return SystemError("open(/dev/null)");
    if (!plan_.supervised) return Unit{};
    Result<Supervision> supervision = PrepareSupervision(plan_);
    if (!supervision) return supervision.error();
    supervision_.emplace(std::move(*supervision));
    supervision_->holds_ptrace = is_full();
    supervision_->network.holder = std::move(start_.network);
    supervision_->network.proxy_port = start_.proxy.port;
    return Unit{};
  }

  Status Privileges() {
    if (Status s = ForbidNewPrivileges(); !s) return s;
    if (Status s = HideMemory(); !s) return s;
    return DropCapabilities(is_full() ? Kept::kPtrace : Kept::kNothing);
  }

  // Runs while this process's memory is readable, since the outer supervisor carries out the call.
  Status HandOver() { return plan_.is_nested ? HandOverRules(plan_.names) : Status(Unit{}); }

  Status Resources() { return LimitResources(plan_.limits); }

  Status Landlock() {
    if (plan_.landlock_abi == 0) return Unit{};
    return RestrictByLandlock(plan_, caches_, start_.proxy.port);
  }

  Status Guard() {
    if (is_full() || plan_.is_nested) return InstallGuard(SocketRules::kUsual);
    if (plan_.network.is_hosts()) return InstallGuard(SocketRules::kNoUnix);
    return InstallGuard(plan_.network.is_by_port() ? SocketRules::kTcpOnly
                                                   : SocketRules::kNoneAtAll);
  }

  Status Test() { return TestView(plan_); }

  Status StartCommand() {
    if (plan_.is_staged()) {
      if (Status s = AwaitFileTime(plan_.stage.begun); !s) return s;
    }
    Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
    if (!pair) return pair.error();
    UniqueFd own = std::move(pair->own);
    UniqueFd other = std::move(pair->other);
    if (terminal_.valid() && ::ioctl(terminal_.get(), TIOCSCTTY, 0) != 0) {
      return SystemError("ioctl(TIOCSCTTY)");
    }
    sigset_t all;
    ::sigfillset(&all);
    if (::sigprocmask(SIG_BLOCK, &all, nullptr) != 0) return SystemError("sigprocmask");
    // Bypasses fork(2), which would also update C library state; there is only one thread.
    command_ =
        static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (command_ < 0) return SystemError("fork");
    if (command_ == 0) {
      own = UniqueFd();
      RunCommand({.plan = plan_,
                  .environment = Environment(),
                  .launcher = std::move(start_.channel),
                  .supervisor = std::move(other),
                  .terminal = std::move(terminal_),
                  .signals = start_.signals,
                  .inherited = start_.inherited,
                  .mask = mask_});
    }
    other = UniqueFd();
    if (supervision_ && !plan_.has_view()) supervision_->terminal = std::move(terminal_);
    terminal_ = UniqueFd();
    if (Status s = LeaveStreams(); !s) return s;
    return plan_.supervised ? ReceiveListener(own) : Status(Unit{});
  }

  // Replaces the standard streams, which belong to the command: a process that waits for the end of
  // its output or input must not wait for the supervisor.
  Status LeaveStreams() {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
      if (::dup2(nothing_.get(), fd) < 0) return SystemError("dup2(/dev/null)");
    }
    nothing_ = UniqueFd();
    return Unit{};
  }

  // Points programs to the proxy's port, and to another directory for each cache that could not be
  // mounted.
  std::vector<std::string> Environment() const {
    std::vector<std::string> environment = plan_.environment;
    if (start_.proxy.port != 0) {
      SetProxyVariables(environment, start_.proxy.port, start_.proxy.credential);
    }
    for (const PlannedCache& cache : plan_.caches) {
      if (std::ranges::find(caches_, &cache) != caches_.end()) continue;
      for (const std::string& variable : cache.instead) SetVariable(environment, variable);
    }
    return environment;
  }

  // The command's process sends the listener once its filter is installed, and waits for nothing
  // before that.
  Status ReceiveListener(const UniqueFd& socket) {
    Result<Packet> packet = ReceivePacket(socket);
    // The command's process has reported the reason to the launcher.
    if (!packet || !packet->fd.valid()) ::_exit(125);
    listener_ = std::move(packet->fd);
    uint64_t flags = kWakeOnSameProcessor;  // caller and supervisor take turns
    [[maybe_unused]] const int set =        // slower before Linux 6.6
        ::ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SET_FLAGS, flags);
    return Unit{};
  }

  InsideStart start_;
  const SandboxPlan& plan_;
  mode_t mask_ = 077;
  std::vector<const PlannedCache*> caches_;  // those that are mounted
  UniqueFd nothing_;                         // /dev/null
  UniqueFd terminal_;                        // the command's side
  UniqueFd listener_;
  std::optional<Supervision> supervision_;
  pid_t command_ = -1;
};

}  // namespace

void RunInside(InsideStart start) { Inside(std::move(start)).Run(); }

}  // namespace ringfence
