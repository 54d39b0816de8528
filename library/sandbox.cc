#include "ringfence/sandbox.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/json_tree.h"
#include "base/socket_pair.h"
#include "base/syscall.h"
#include "base/unique_fd.h"
#include "library/launch.h"

namespace ringfence::sandbox {

// Reads the lines that `ringfence run --report` writes (docs/library.md).
class Report {
 public:
  explicit Report(UniqueFd socket) : socket_(std::move(socket)) {}

  // Reads until the command has started or failed to start, or the report ends.
  void ReadStart() {
    while (!has_started && !failure && ReadMore()) {
    }
  }
  void ReadToEnd() {
    while (ReadMore()) {
    }
  }
  void HangUp() const noexcept { ::shutdown(socket_.get(), SHUT_WR); }

  // The reports so far.
  bool has_started = false;
  bool is_confined = true;
  bool has_ended = false;
  std::vector<std::string> weaker;
  End end;
  std::optional<Error> failure;

 private:
  bool ReadMore() {
    std::array<char, 4096> bytes{};
    ssize_t got = -1;
    do {
      got = ::read(socket_.get(), bytes.data(), bytes.size());
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    text_.append(bytes.data(), static_cast<size_t>(got));
    for (size_t line = text_.find('\n'); line != std::string::npos; line = text_.find('\n')) {
      Take(text_.substr(0, line));
      text_.erase(0, line + 1);
    }
    return true;
  }

  // A missing member counts as empty.
  void Take(std::string line) {
    const ringfence::Result<JsonTree> tree = JsonTree::Parse(std::move(line), "report", false);
    if (!tree) return;
    const auto text = [&](std::string_view key) {
      const JsonTree::Node* node = tree->Find(tree->root(), key);
      return node == nullptr ? "" : std::string(node->content());
    };
    const auto number = [&](std::string_view key) {
      return std::strtoull(text(key).c_str(), nullptr, 10);
    };
    const std::string event = text("event");
    if (event == "started") {
      has_started = true;
      is_confined = text("mode") != "rwx";
      TakeWeaker(*tree);
    } else if (event == "warning") {
      end.warnings.push_back(text("text"));
    } else if (event == "refused") {
      end.refusals.push_back({text("path"), text("code"), text("why")});
    } else if (event == "failed") {
      failure = Error{text("step"), text("call"), text("what"), text("remedy")};
    } else if (event == "ended") {
      has_ended = true;
      end.status = static_cast<int>(number("status"));
      end.refusal_count = number("refusals");
      end.not_run = text("not_run");
    }
  }

  void TakeWeaker(const JsonTree& tree) {
    const JsonTree::Node* list = tree.Find(tree.root(), "weaker");
    if (list == nullptr) return;
    for (const JsonTree::Node& node : tree.ChildrenOf(*list)) weaker.emplace_back(node.content());
  }

  UniqueFd socket_;
  std::string text_;  // an incomplete line
};

namespace {

constexpr size_t kMaxPlan = 64u << 20;
constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP};

// Returns the exit status of a child as a shell would; nothing if other code has already reaped it.
std::optional<int> Reap(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return {};
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Returns the error for a launcher that ended without a report.
Error Silent(const std::string& launcher, std::optional<int> status) {
  const std::string how = status ? "status " + std::to_string(*status) : "an unknown status";
  return Error{"", launcher, "ended with " + how + " before the sandbox was ready",
               "library and program must be of the same version"};
}

}  // namespace

std::string Error::text() const {
  std::string line;
  for (const std::string* part : {&step, &call, &what}) {
    if (!part->empty()) line += (line.empty() ? "" : ": ") + *part;
  }
  return line;
}

void Throw(const Error& error) { throw Failure(error); }

Expected<std::string> Plan(const Command& command, PlanFormat format) {
  Expected<std::vector<std::string>> options = LaunchOptions(command);
  if (!options) return options.error();
  options->emplace_back("--dry-run");
  if (format == PlanFormat::kJson) options->emplace_back("--json");
  Result<SocketPair> output = MakeSocketPair(SOCK_STREAM);
  if (!output) return FailedCall("socketpair", output.error().code);
  Result<SocketPair> told = MakeSocketPair(SOCK_STREAM);
  if (!told) return FailedCall("socketpair", told.error().code);
  const Expected<pid_t> pid = Start({.command = command,
                                     .options = std::move(*options),
                                     .stdout_fd = output->other.get(),
                                     .stderr_fd = command.stderr_fd,
                                     .report = std::move(told->other)});
  output->other = UniqueFd();
  if (!pid) return pid.error();
  Result<std::string> text = ReadAll(output->own.get(), kMaxPlan, "plan");
  Report report(std::move(told->own));
  report.ReadToEnd();
  const std::optional<int> status = Reap(*pid);
  if (report.failure) return *report.failure;
  if (!text) return Error{"", text.error().where, text.error().what, ""};
  if (text->empty() || (status && *status != 0)) return Silent(LauncherOf(command), status);
  return std::move(*text);
}

class Process::Impl {
 public:
  Impl(pid_t child, UniqueFd socket) : pid(child), report(std::move(socket)) {
    // The PID belongs to this child until the child is waited for.
    handle = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  }

  // Waits for the start. Without a pidfd it hangs up, so that nothing is run.
  std::optional<Error> Begin(const std::string& launcher) {
    if (!handle.valid()) {
      const Error error = FailedCall("pidfd_open", errno);
      report.HangUp();
      Reap(pid);
      return error;
    }
    report.ReadStart();
    if (report.has_started) return {};
    status = Reap(pid);
    is_reaped = true;
    return report.failure ? *report.failure : Silent(launcher, status);
  }

  Expected<End> Wait() {
    if (!is_reaped) {
      report.ReadToEnd();
      status = Reap(pid);
      is_reaped = true;
    }
    if (report.failure) return *report.failure;
    if (!report.has_ended && !status) {
      return Error{"", "waitpid", "ECHILD",
                   "the program must not ignore SIGCHLD nor wait for children of the library's"};
    }
    End end = report.end;
    if (!report.has_ended) end.status = *status;
    return end;
  }

  void Kill() const noexcept {
    report.HangUp();
    Send(report.is_confined ? SIGCONT : SIGKILL);  // a stopped launcher notices nothing
  }

  bool Send(int signal) const noexcept {
    return ::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) == 0;
  }

  pid_t pid;
  UniqueFd handle;
  Report report;
  std::optional<int> status;
  bool is_reaped = false;
};

Process::Process(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Process::Process(Process&& other) noexcept = default;

Process& Process::operator=(Process&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

Process::~Process() {
  if (impl_ == nullptr || impl_->is_reaped) return;
  impl_->Kill();
  [[maybe_unused]] const Expected<End> end = impl_->Wait();
}

Expected<End> Process::Wait() { return impl_->Wait(); }
void Process::Kill() noexcept { impl_->Kill(); }

bool Process::Signal(int signal) noexcept {
  return std::ranges::find(kPassedOn, signal) != std::end(kPassedOn) && impl_->Send(signal);
}

pid_t Process::pid() const noexcept { return impl_->pid; }
int Process::descriptor() const noexcept { return impl_->handle.get(); }
bool Process::is_confined() const noexcept { return impl_->report.is_confined; }
const std::vector<std::string>& Process::weaker() const noexcept { return impl_->report.weaker; }

Expected<Process> Spawn(const Command& command) {
  Expected<std::vector<std::string>> options = LaunchOptions(command);
  if (!options) return options.error();
  Result<SocketPair> told = MakeSocketPair(SOCK_STREAM);
  if (!told) return FailedCall("socketpair", told.error().code);
  const Expected<pid_t> pid = Start({.command = command,
                                     .options = std::move(*options),
                                     .stdout_fd = command.stdout_fd,
                                     .stderr_fd = command.stderr_fd,
                                     .report = std::move(told->other)});
  if (!pid) return pid.error();
  auto impl = std::make_unique<Process::Impl>(*pid, std::move(told->own));
  if (std::optional<Error> error = impl->Begin(LauncherOf(command))) return *error;
  return Process(std::move(impl));
}

}  // namespace ringfence::sandbox
