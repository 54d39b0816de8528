// The launcher: creates the first process of the sandbox, passes on signals and the terminal,
// receives the supervisor's messages, and waits.
#include "sandbox/backend.h"

#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <span>

#include "base/socket_pair.h"
#include "base/syscall.h"
#include "base/unique_fd.h"
#include "sandbox/linux/cgroup.h"
#include "sandbox/linux/channel.h"
#include "sandbox/linux/descendants.h"
#include "sandbox/linux/inside.h"
#include "sandbox/linux/made_places.h"
#include "sandbox/linux/network_holder.h"
#include "sandbox/linux/pausing.h"
#include "sandbox/linux/streams.h"
#include "sandbox/linux/terminal.h"
#include "sandbox/linux/unreached.h"

namespace ringfence {
namespace {

class Launcher {
 public:
  Launcher(const SandboxPlan& plan, const RunWatch& watch)
      : plan_(plan), watch_(watch), hangup_(watch.hangup), own_tmp_(plan), pausing_(watch.pause) {}

  Result<Ended> Run() {
    if (Status s = CheckOpenFiles(); !s) return s.error();
    if (Status s = CheckStreams(); !s) return s.error();
    const Status made = own_tmp_.Make();
    if (!made) return Ended{.failure = SetupFailure{"make places", made.error(), {}}};
    Result<Cgroup> cgroup = Cgroup::Make(plan_.limits);
    if (!cgroup) {
      return Ended{.failure = SetupFailure{"resource group", cgroup.error(), Feature::kDelegation}};
    }
    cgroup_ = std::move(*cgroup);
    if (Status s = Start(); !s) return s.error();
    if (!ended_.failure) Wait();
    return std::move(ended_);
  }

 private:
  Status Start() {
    Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
    if (!pair) return pair.error();
    channel_ = std::move(pair->own);
    if (plan_.takes_log) {
      if (Status s = audit_.Open(); !s) return s;
    }
    ::sigemptyset(&heard_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD,
                             SIGCONT, SIGTSTP}) {
      ::sigaddset(&heard_, signal);
    }
    sigset_t before;
    if (::sigprocmask(SIG_BLOCK, &heard_, &before) != 0) return SystemError("sigprocmask");
    signals_ = UniqueFd(::signalfd(-1, &heard_, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_.valid()) return SystemError("signalfd");
    if (Status s = pipes_.Make(); !s) return s;
    terminal_ = FindTerminalUse();
    if (terminal_.own) terminal_start_ = ReadTerminalStart(terminal_);
    if (Status s = PrepareToAdopt(); !s) return s;
    return StartFirst(std::move(pair->other), before);
  }

  // Returns in the launcher only.
  Status StartFirst(UniqueFd channel, const sigset_t& signals) {
    if (plan_.network.is_proxied()) {
      if (Status s = EnterNetwork(); !s) return s;
    } else {
      first_ = Clone();
    }
    if (first_ == 0) {
      channel_ = UniqueFd();
      if (!pipes_.BecomeStreams()) ::_exit(kSetupFailed);
      RunInside({.plan = plan_,
                 .channel = std::move(channel),
                 .cgroup = cgroup_.entry(),
                 .audit = audit_.socket().get(),
                 .network = std::move(network_),
                 .proxy = std::move(proxy_),
                 .caches = own_tmp_.caches(),
                 .signals = signals,
                 .inherited = watch_.inherited,
                 .terminal = terminal_start_});
    }
    pipes_.Begin();
    if (first_ < 0 && !ended_.failure) {
      if (!plan_.has_namespaces()) return SystemError("fork");
      ended_.failure = SetupFailure{"own namespaces", SystemError("clone"), Feature::kNamespaces};
    }
    return Unit{};
  }

  // If the supervisor ends without ending its descendants, they become children of this process.
  Status PrepareToAdopt() {
    if (plan_.has_own_processes()) return Unit{};
    if (Status s = Children().MoveTo(spared_); !s) return s;
    return CallStatus(::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0, "prctl(subreaper)");
  }

  // The namespaces of the first process, all created with the user namespace, which grants that
  // right.
  unsigned long NewNamespaces() const {
    if (!plan_.has_namespaces()) return 0;
    unsigned long flags =
        CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
    if (plan_.own_proc) flags |= CLONE_NEWPID;
    if (plan_.has_own_loopback()) flags |= CLONE_NEWNET;
    return flags;
  }

  pid_t Clone() const {
    return static_cast<pid_t>(
        ::syscall(SYS_clone, NewNamespaces() | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  }

  Status Fail(const Error& network) {
    ended_.failure = SetupFailure{"own network", network, Feature::kNamespaces};
    return Unit{};
  }

  // Forks the first process inside the network that the proxy serves. Returns twice, as Clone().
  Status EnterNetwork() {
    Result<NetworkEntry> entry = watch_.network.Enter(plan_);
    if (!entry) return entry.error().code == EPIPE ? Fail(entry.error()) : entry.error();
    if (plan_.network.is_by_port()) {
      proxy_ = std::move(entry->port);
      first_ = Clone();
      return Unit{};
    }
    Result<FirstProcess> first =
        CloneIntoNetwork({plan_, std::move(*entry), NewNamespaces() | SIGCHLD});
    if (!first) return Fail(first.error());
    first_ = first->pid;
    network_ = std::move(first->network);
    if (first->holder > 0) spared_.push_back(first->holder);
    return Unit{};
  }

  void Wait() {
    while (first_lives_) HearOnce();
    EndLeft();
    // All senders have ended, so only messages that have already arrived are left.
    while (channel_open_ && HasMore()) channel_open_ = Hear();
    relay_.Drain();
    pipes_.Drain(signals_, hangup_);
    InterruptJob();
    if (!knows_end_ && !ended_.failure && has_started_) {
      ended_.lost_supervisor = true;
      KeepEnd(SIGKILL);
    }
    if (!knows_end_ && !ended_.failure) {
      ended_.failure = SetupFailure{
          "sandbox", Error{Error::Kind::kSystem, "its first process", "has ended", ""}, {}};
    }
  }

  // Interrupts the rest of the job: in raw mode the user's terminal does not, so a script or
  // make(1) around the command would continue. This process receives the signal last, after its
  // cleanup.
  void InterruptJob() {
    if (ended_.signal != SIGINT || !relay_.has_interrupted()) return;
    relay_.Suspend();
    ::kill(0, SIGINT);
  }

  // With a process namespace, the kernel has already ended all descendants; without one, the
  // supervisor has if its status is 0.
  void EndLeft() {
    if (plan_.has_own_processes() || first_status_ == 0) return;
    if (relay_.guard() != -1) spared_.push_back(relay_.guard());
    EndDescendants(spared_);
  }

  bool HasMore() const {
    pollfd polled{.fd = channel_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&polled, 1, 0) > 0;
  }

  void HearOnce() {
    std::array<pollfd, 8 + PipeRelay::kPolled> polled{
        {{channel_open_ ? channel_.get() : -1, POLLIN, 0},
         {signals_.get(), POLLIN, 0},
         {relay_.is_on() ? relay_.master() : -1, relay_.master_events(), 0},
         {relay_.wants_input() ? STDIN_FILENO : -1, POLLIN, 0},
         {audit_.fd(), POLLIN, 0},
         {hangup_, POLLRDHUP, 0},
         {watch_.network.notices(), POLLIN, 0},
         {pausing_.notices(), POLLIN, 0}}};
    const auto pipes = std::span(polled).last<PipeRelay::kPolled>();
    pipes_.PreparePoll(pipes);
    if (::poll(polled.data(), polled.size(), WaitMilliseconds()) < 0) {
      if (errno != EINTR) EndUnheard();
      return;
    }
    relay_.Look();
    if ((polled[2].revents & POLLOUT) != 0) relay_.PassInput();
    if ((polled[2].revents & ~POLLOUT) != 0) relay_.PassOutput();
    if (polled[3].revents != 0) relay_.ReadInput();
    pipes_.Serve(pipes);
    if (polled[4].revents != 0) audit_.Serve();
    if (polled[0].revents != 0) channel_open_ = Hear();
    if (polled[1].revents != 0 && TakeSignals()) first_lives_ = false;
    if (polled[5].revents != 0) Abandon();
    if (has_buffer_ && watch_.observer.IsBufferFull()) Abandon();
    if (polled[6].revents != 0) watch_.network.Hear();
    pausing_.Look(channel_, polled[7].revents != 0);
  }

  int WaitMilliseconds() const {
    constexpr int kBufferLook = 50;
    const int wait = pausing_.Milliseconds(relay_.wait_milliseconds());
    return has_buffer_ && (wait < 0 || wait > kBufferLook) ? kBufferLook : wait;
  }

  // Ends the run after poll(2) failed for lack of memory, since it can no longer be followed.
  void EndUnheard() {
    ::kill(first_, SIGKILL);
    first_lives_ = ::waitpid(first_, &first_status_, 0) != first_;
  }

  // The caller no longer waits for the command. The supervisor ends all processes when the channel
  // closes.
  void Abandon() {
    hangup_ = -1;
    has_buffer_ = false;
    ::shutdown(channel_.get(), SHUT_WR);
    KeepEnd(SIGKILL);
  }

  // Returns true if the first process has ended.
  bool TakeSignals() {
    bool ended = false;
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      const int signal = static_cast<int>(info.ssi_signo);
      if (signal == SIGCHLD) {
        ended = ::waitpid(first_, &first_status_, WNOHANG) == first_ || ended;
      } else if (signal == SIGWINCH && relay_.is_on()) {
        relay_.PassSize();
      } else {
        Pass(signal);
      }
    }
    return ended;
  }

  void Pass(int signal) {
    if (signal == SIGCONT) relay_.Look();
    [[maybe_unused]] const Status sent =
        SendPacket(channel_, Message::kSignal, {std::to_string(signal)});
  }

  // Handles a stop of the command. If a shell can continue this process, all processes inside are
  // stopped too, before the shell can take the terminal.
  void PrepareToStop(int signal) {
    if (!IsInFront()) return;
    stopped_by_ = signal;
    [[maybe_unused]] const Status sent = SendPacket(channel_, Message::kFreeze, {});
  }

  // Returns false if no more messages can arrive.
  bool Hear() {
    Result<Packet> packet = ReceivePacket(channel_);
    if (!packet) return false;
    std::vector<std::string>& fields = packet->fields;
    fields.resize(std::max<size_t>(fields.size(), 3));
    switch (packet->message) {
      case Message::kFailed:
        ended_.failure = FailureIn(*packet);
        break;
      case Message::kNotRun:
        ended_.not_run = {fields[0], std::atoi(fields[1].c_str())};
        break;
      case Message::kRefused:
        KeepRefusal({fields[0], fields[1], std::atoi(fields[2].c_str())});
        break;
      case Message::kEnded:
        KeepEnd(std::atoi(fields[0].c_str()));
        ended_.lacked_network = TriedHosts(Unreached::Of(fields[1], fields[2]));
        break;
      case Message::kStopped:
        PrepareToStop(std::atoi(fields[0].c_str()));
        break;
      case Message::kFrozen:
        if (StopAlike(relay_, stopped_by_)) Pass(SIGCONT);
        break;
      case Message::kTerminal:
        BeginTerminal(std::move(packet->fd));
        break;
      case Message::kPaused:
        pausing_.HearPaused();
        break;
      case Message::kBuffer:
        has_buffer_ = true;
        watch_.observer.TakeBuffer(std::move(packet->fd));
        break;
      case Message::kStarted:
        Begin();
        break;
      case Message::kSignal:
      case Message::kFreeze:
      case Message::kPause:
      case Message::kGoOn:
        break;
    }
    return true;
  }

  void BeginTerminal(UniqueFd terminal) {
    if (!terminal.valid() || !terminal_start_) return;
    [[maybe_unused]] const Status begun =
        relay_.Begin(std::move(terminal), terminal_start_->modes, terminal_);
  }

  // The command has started.
  void Begin() {
    has_started_ = true;
    watch_.observer.Started(plan_);
    if (plan_.takes_log) {
      // If this fails, hooks get no answers.
      [[maybe_unused]] const Status listening = audit_.Listen(watch_.observer);
    }
    pausing_.Begin(channel_);
    own_tmp_.RemoveOld();
  }

  void KeepEnd(int status) {
    if (ended_.failure) return;
    knows_end_ = true;
    if (WIFSIGNALED(status)) ended_.signal = WTERMSIG(status);
    ended_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  void KeepRefusal(Refusal refusal) {
    ++ended_.refusal_count;
    const bool is_full = ended_.refusals.size() >= kMaxRefusals;
    const auto is_same = [&](const Refusal& kept) { return kept.path == refusal.path; };
    if (is_full || std::ranges::any_of(ended_.refusals, is_same)) return;
    ended_.refusals.push_back(std::move(refusal));
  }

  const SandboxPlan& plan_;
  const RunWatch& watch_;
  int hangup_;
  OwnTmp own_tmp_;
  Pausing pausing_;
  Cgroup cgroup_;
  UniqueFd channel_;
  sigset_t heard_{};
  UniqueFd signals_;
  pid_t first_ = -1;
  int first_status_ = 0;  // the supervisor's; 0 if it has ended all others
  Spared spared_;
  TerminalUse terminal_;
  std::optional<TerminalStart> terminal_start_;
  TerminalRelay relay_;
  PipeRelay pipes_;
  int stopped_by_ = 0;
  AuditReceiver audit_;
  UniqueFd network_;  // in the first process: to the holder of its network
  ProxyPort proxy_;
  bool channel_open_ = true;
  bool first_lives_ = true;
  bool has_started_ = false;  // the command has started
  bool has_buffer_ = false;   // the stage's changes are in memory
  bool knows_end_ = false;
  Ended ended_;
};

}  // namespace

Result<Ended> RunConfined(const SandboxPlan& plan, const RunWatch& watch) {
  std::vector<Path> left_out;
  if (Status made = MakePlaces(plan, left_out); !made) {
    return Ended{.failure = SetupFailure{"make places", made.error(), {}}};
  }
  if (left_out.empty()) return Launcher(plan, watch).Run();
  return Launcher(Without(plan, left_out), watch).Run();
}

}  // namespace ringfence
