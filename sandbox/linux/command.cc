#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/program.h"
#include "base/syscall.h"
#include "sandbox/linux/channel.h"
#include "sandbox/linux/inside.h"
#include "sandbox/linux/privileges.h"
#include "sandbox/linux/self_test.h"

namespace ringfence {
namespace {

constexpr int kNotFound = 127, kNotExecutable = 126;  // as in a shell

class Command {
 public:
  explicit Command(CommandStart start) : start_(std::move(start)), plan_(start_.plan) {}

  [[noreturn]] void Run() {
    struct Step {
      const char* name;
      Status (Command::*run)();
      bool needs_supervisor = false;  // if it fails, the host lacks a supervisor
    };
    constexpr Step kSteps[] = {
        {"terminal", &Command::TakeTerminal},
        {"no privileges", &Command::DropAll},
        {"signals to the supervisor", &Command::SpareParent},
        {"no way but the proxy", &Command::LeaveNetwork},
        {"supervised calls", &Command::BeSupervised},
        {"directory", &Command::EnterDirectory},
        {"close descriptors", &Command::CloseAtExec},
        {"self-test", &Command::TestConfinement},
        {"supervision", &Command::TestSupervision, true},
        {"memory limit", &Command::TakeMemoryLimit},
        {"start", &Command::TellStart},
        // Last, because a process that is stopped earlier would block the supervisor.
        {"signals", &Command::ResetSignals},
    };
    for (const Step& step : kSteps) {
      const Status done = (this->*step.run)();
      if (done) continue;
      SetupFailure failure{step.name, done.error(), {}};
      if (step.needs_supervisor) failure.lacks = Feature::kSupervisor;
      [[maybe_unused]] const Status sent = SendFailure(start_.launcher, failure);
      ::_exit(125);
    }
    Execute();
  }

 private:
  Status TakeTerminal() {
    // A new process group in the parent's session: in another session it would be orphaned, and
    // SIGTSTP would not stop it (POSIX, "orphaned process group").
    if (::setpgid(0, 0) != 0) return SystemError("setpgid");
    if (!start_.terminal.valid()) return Unit{};
    if (::tcsetpgrp(start_.terminal.get(), ::getpid()) != 0) return SystemError("tcsetpgrp");
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
      if (::isatty(fd) == 0) continue;
      if (::dup2(start_.terminal.get(), fd) < 0) return SystemError("dup2(terminal)");
    }
    return Unit{};
  }

  Status ResetSignals() {
    ::umask(start_.mask);
    if (Status s = start_.inherited.RestoreAll(); !s) return s;
    if (Status s = LeaveDescriptorsInMessages(); !s) return s;
    if (::sigprocmask(SIG_SETMASK, &start_.signals, nullptr) != 0)
      return SystemError("sigprocmask");
    return Unit{};
  }

  Status DropAll() {
    // The supervisor must be able to read this process's memory.
    if (::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) return SystemError("prctl(dumpable)");
    return DropCapabilities(Kept::kNothing);
  }

  // As the first process of a namespace, the supervisor receives no signals from inside.
  Status SpareParent() {
    const bool is_first = plan_.has_own_processes();
    return is_first ? Status(Unit{}) : KeepSignalsFromParent(plan_.landlock_abi);
  }

  // The supervisor makes the connections to the proxy: Landlock's rule is for a port, which other
  // hosts have as well.
  Status LeaveNetwork() {
    if (!plan_.network.is_by_port()) return Unit{};
    if (Status s = ForbidTcp(); !s) return s;
    return TestProxyPort();
  }

  Status BeSupervised() {
    if (!plan_.supervised) return Unit{};
    const Result<UniqueFd> listener = InstallSupervised(
        {.signals = plan_.supervises_signals(), .connects = plan_.network.is_proxied()});
    if (!listener) return listener.error();
    Status sent = SendPacket(start_.supervisor, Message::kStarted, {}, listener->get());
    start_.supervisor = UniqueFd();
    return sent;
  }

  Status EnterDirectory() {
    return CallStatus(::chdir(plan_.cwd.text().c_str()) == 0, "chdir(" + plan_.cwd.text() + ")");
  }

  Status CloseAtExec() {
    return CallStatus(::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) == 0, "close_range",
                      Error::About::kCloseRange);
  }

  Status TestConfinement() { return TestSandbox(plan_); }

  Status TestSupervision() { return TestNames(plan_); }

  // Limits the command but not the supervisor: a command can make the supervisor use memory, and
  // must not be able to end it.
  Status TakeMemoryLimit() { return LimitMemory(plan_.limits); }

  // The launcher logs the start.
  Status TellStart() { return SendPacket(start_.launcher, Message::kStarted, {}); }

  // The shell runs a file without an interpreter line, as execvp(3) and shells do.
  void RunAsScript(const std::string& program, std::vector<std::string>& environment) {
    std::vector<std::string> arguments{"sh", program};
    arguments.insert(arguments.end(), plan_.argv.begin() + 1, plan_.argv.end());
    ::execve("/bin/sh", ArgumentPointers(arguments).data(), ArgumentPointers(environment).data());
  }

  [[noreturn]] void Execute() {
    std::vector<std::string> arguments = plan_.argv;
    std::vector<std::string>& environment = start_.environment;
    const std::vector<char*> argv = ArgumentPointers(arguments);
    const std::vector<char*> envp = ArgumentPointers(environment);
    int code = ENOENT;
    for (const std::string& program : plan_.programs) {
      ::execve(program.c_str(), argv.data(), envp.data());
      // The error of an existing file takes precedence over that of a missing one.
      const int failed = errno;
      if (::access(program.c_str(), F_OK) == 0 || code == ENOENT) code = failed;
      if (code == EACCES && ::access(program.c_str(), F_OK) != 0) code = ENOENT;
      if (code == ENOEXEC) RunAsScript(program, environment);
      if (code != ENOENT && code != EACCES) break;
    }
    [[maybe_unused]] const Status sent =
        SendPacket(start_.launcher, Message::kNotRun, {plan_.argv.front(), std::to_string(code)});
    ::_exit(code == ENOENT ? kNotFound : kNotExecutable);
  }

  CommandStart start_;
  const SandboxPlan& plan_;
};

}  // namespace

void RunCommand(CommandStart start) { Command(std::move(start)).Run(); }

}  // namespace ringfence
