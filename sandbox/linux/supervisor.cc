#include "sandbox/linux/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "base/syscall.h"
#include "sandbox/linux/channel.h"
#include "sandbox/linux/descendants.h"
#include "sandbox/linux/kernel_abi.h"
#include "sandbox/linux/private_mounts.h"
#include "sandbox/linux/self_test.h"
#include "sandbox/linux/supervised_calls.h"
#include "sandbox/linux/unreached.h"
#include "sandbox/linux/waiting_opens.h"

namespace ringfence {
namespace {

constexpr int kFifoRetryMilliseconds = 5;  // no event reports the reader of a FIFO

class Supervisor {
 public:
  explicit Supervisor(Supervised start) : start_(std::move(start)) {}

  [[noreturn]] void Run() {
    sigset_t children;
    ::sigemptyset(&children);
    ::sigaddset(&children, SIGCHLD);
    const UniqueFd signals(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals.valid()) ::_exit(125);
    for (;;) ServeOnce(signals);
  }

 private:
  void ServeOnce(const UniqueFd& signals) {
    std::array<pollfd, 4> polled{
        {{signals.get(), POLLIN, 0},
         {start_.launcher.get(), POLLIN, 0},
         {start_.listener.valid() ? start_.listener.get() : -1, POLLIN, 0},
         {start_.supervision ? start_.supervision->network.holder.get() : -1, POLLIN, 0}}};
    const bool waits = start_.supervision && !start_.supervision->waiting.empty();
    if (::poll(polled.data(), polled.size(), waits ? kFifoRetryMilliseconds : -1) < 0) {
      if (errno == EINTR) return;
      ::_exit(125);
    }
    if ((polled[2].revents & POLLIN) != 0) AnswerOne();
    if ((polled[2].revents & POLLHUP) != 0) start_.listener = UniqueFd();
    if (waits && IsTimeToTry()) TryWaiting(start_.listener.get(), *start_.supervision);
    if (polled[3].revents != 0) ContinueConnects(start_.listener.get(), *start_.supervision);
    if (polled[1].revents != 0) HearLauncher();
    if ((polled[0].revents & POLLIN) != 0) Reap(signals);
    SendReports();
  }

  // Limits the rate, since other calls also wake the supervisor.
  bool IsTimeToTry() {
    const int64_t now = Nanoseconds(CLOCK_MONOTONIC) / 1'000'000;
    if (now - tried_ < kFifoRetryMilliseconds) return false;
    tried_ = now;
    return true;
  }

  void AnswerOne() {
    seccomp_notif call{};
    if (::ioctl(start_.listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;
    const SupervisedCaller caller(call, start_.listener.get(), *start_.supervision);
    AnswerCall(caller);
  }

  void HearLauncher() {
    const Result<Packet> packet = ReceivePacket(start_.launcher);
    if (!packet) EndAll(125);  // the launcher has ended
    if (packet->message == Message::kFreeze) return Freeze();
    if (packet->message == Message::kPause) return Pause();
    if (packet->message == Message::kGoOn) return GoOn();
    if (packet->message != Message::kSignal || packet->fields.empty()) return;
    PassSignal(std::atoi(packet->fields.front().c_str()));
  }

  void PassSignal(int signal) {
    if (signal == SIGCONT && is_paused_) {
      continues_ = true;
      return;
    }
    if (signal == SIGCONT) Continue(std::exchange(frozen_, {}));
    // The command may have left its process group.
    if (::kill(-start_.command, signal) != 0) ::kill(start_.command, signal);
  }

  void Pause() {
    is_paused_ = true;
    const std::vector<pid_t> stopped = FreezeDescendants();
    paused_.insert(paused_.end(), stopped.begin(), stopped.end());
    [[maybe_unused]] const Status sent = SendPacket(start_.launcher, Message::kPaused, {});
  }

  void GoOn() {
    is_paused_ = false;
    Continue(std::exchange(paused_, {}));
    if (const int signal = std::exchange(stopped_by_, 0); signal != 0) SendStop(signal);
    if (std::exchange(continues_, false)) PassSignal(SIGCONT);
  }

  // The command itself has already stopped.
  void Freeze() {
    frozen_ = FreezeDescendants();
    [[maybe_unused]] const Status sent = SendPacket(start_.launcher, Message::kFrozen, {});
  }

  void Reap(const UniqueFd& signals) {
    signalfd_siginfo info{};
    while (::read(signals.get(), &info, sizeof info) > 0) {
    }
    int status = 0;
    for (;;) {
      const pid_t child = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
      if (child <= 0) return;
      if (child != start_.command) continue;
      if (WIFSTOPPED(status)) {
        const bool is_own = std::ranges::find(paused_, child) != paused_.end();
        if (is_paused_ && !is_own) stopped_by_ = WSTOPSIG(status);
        if (is_paused_) continue;
        SendStop(WSTOPSIG(status));
        continue;
      }
      SendReports();
      SendEnd(status);
      EndAll(0);
    }
  }

  void SendStop(int signal) {
    [[maybe_unused]] const Status sent =
        SendPacket(start_.launcher, Message::kStopped, {std::to_string(signal)});
  }

  void SendEnd(int status) {
    // Other networks are not this run's alone, and their proxy knows what was refused.
    const bool counts = status != 0 && start_.plan.has_own_loopback();
    Unreached unreached = counts ? ReadUnreached() : Unreached{};
    unreached.without_route -= std::min(unreached.without_route, kTriedByTest);
    [[maybe_unused]] const Status sent =
        SendPacket(start_.launcher, Message::kEnded,
                   {std::to_string(status), std::to_string(unreached.without_route),
                    std::to_string(unreached.without_port)});
  }

  void SendReports() {
    if (!start_.supervision || start_.supervision->reports.empty()) return;
    const std::string tested = SelfTestName(start_.plan).text();
    for (const Supervision::Report& report : start_.supervision->reports) {
      if (report.path == tested) continue;  // by a self-test, here or in a nested sandbox
      const std::string& why = report.rule == nullptr ? report.why : report.rule->why;
      [[maybe_unused]] const Status sent = SendPacket(
          start_.launcher, Message::kRefused, {report.path, why, std::to_string(report.code)});
    }
    start_.supervision->reports.clear();
  }

  // In a process namespace the kernel ends all processes when the first one ends.
  [[noreturn]] void EndAll(int status) {
    if (!start_.plan.has_own_processes()) EndDescendants();
    ::_exit(status);
  }

  Supervised start_;
  std::vector<pid_t> frozen_;  // until the launcher sends SIGCONT
  std::vector<pid_t> paused_;  // until the launcher sends kGoOn
  bool is_paused_ = false;
  bool continues_ = false;  // the launcher has sent SIGCONT meanwhile
  int stopped_by_ = 0;      // the signal that stopped the command before that
  int64_t tried_ = 0;       // last retry of the waiting opens, in milliseconds (CLOCK_MONOTONIC)
};

}  // namespace

Result<Supervision> PrepareSupervision(const SandboxPlan& plan) {
  Supervision supervision{.names = plan.names};
  supervision.root = OpenFile("/", O_PATH | O_DIRECTORY);
  supervision.proc = OpenFile("/proc", O_PATH | O_DIRECTORY);
  supervision.own_fds = OpenFile("/proc/self/fd", O_PATH | O_DIRECTORY);
  if (!supervision.root.valid() || !supervision.proc.valid() || !supervision.own_fds.valid()) {
    return SystemError("open(/proc)");
  }
  if (Status s = FindStreams().MoveTo(supervision.streams); !s) return s.error();
  const UniqueFd memory(::memfd_create("", MFD_CLOEXEC));
  struct stat facts {};
  if (!memory.valid() || ::fstat(memory.get(), &facts) != 0) return SystemError("memfd_create");
  supervision.memory = facts.st_dev;
  supervision.own_process = "/proc/" + std::to_string(::getpid());
  if (::chdir("/") != 0) return SystemError("chdir(/)");
  timespec now{};
  if (::clock_gettime(CLOCK_REALTIME, &now) != 0) return SystemError("clock_gettime");
  supervision.began = {now.tv_sec, static_cast<uint32_t>(now.tv_nsec)};
  if (!plan.has_view()) {
    for (const PlannedPlace& place : plan.writable) supervision.modes_within.push_back(place.path);
    if (!plan.scratch.is_root()) supervision.modes_within.push_back(plan.scratch);
  }
  for (const Path& path : SavedFolders(plan)) {
    const std::string name =
        std::string(kSavedFolders) + "/" + std::to_string(supervision.saved.size());
    UniqueFd folder = OpenFile(name.c_str(), O_PATH | O_DIRECTORY);
    if (!folder.valid()) return SystemError("open(" + name + ")");
    std::vector<std::string> names;
    for (const SavedFile& file : plan.saved) {
      if (file.path.Parent() == path) names.emplace_back(file.path.name());
    }
    supervision.saved.push_back({path.text(), std::move(names), std::move(folder)});
  }
  return supervision;
}

void Supervise(Supervised start) { Supervisor(std::move(start)).Run(); }

}  // namespace ringfence
