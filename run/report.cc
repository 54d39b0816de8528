#include "run/report.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <csignal>

#include "base/syscall.h"
#include "base/text.h"
#include "run/messages.h"

namespace ringfence {
// One JSON object.
class RunReport::Line {
 public:
  explicit Line(std::string_view event) { Text("event", event); }

  Line& Text(std::string_view key, std::string_view value) {
    Key(key);
    AppendJsonString(text_, value);
    return *this;
  }
  Line& Number(std::string_view key, uint64_t value) {
    Key(key);
    text_ += std::to_string(value);
    return *this;
  }
  Line& List(std::string_view key, const std::vector<std::string>& values) {
    Key(key);
    text_ += '[';
    for (const std::string& value : values) {
      if (text_.back() != '[') text_ += ',';
      AppendJsonString(text_, value);
    }
    text_ += ']';
    return *this;
  }
  std::string text() const { return text_ + "}\n"; }

 private:
  void Key(std::string_view key) {
    text_ += text_.size() == 1 ? "" : ",";
    AppendJsonString(text_, key);
    text_ += ':';
  }
  std::string text_ = "{";
};

Result<RunReport> RunReport::To(const std::string& descriptor) {
  const auto wrong = [&](std::string_view what) {
    return Error{Error::Kind::kUsage, "--report", Quote(descriptor) + " is " + std::string(what),
                 "give the number of a socket that this program inherits"};
  };
  int fd = -1;
  const char* end = descriptor.data() + descriptor.size();
  const auto [at, code] = std::from_chars(descriptor.data(), end, fd);
  if (code != std::errc() || at != end || fd <= STDERR_FILENO) return wrong("no descriptor");
  struct stat facts {};
  if (::fstat(fd, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return wrong("no socket");
  if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return SystemError("fcntl(--report)");
  RunReport report;
  report.socket_ = UniqueFd(fd);
  return report;
}

// Ignores write errors: they mean that the reader has hung up, which the run notices itself.
void RunReport::Send(const Line& line) const {
  struct sigaction ignored {};
  struct sigaction before {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignored, &before);
  [[maybe_unused]] const Status sent = WriteAll(socket_.get(), line.text());
  ::sigaction(SIGPIPE, &before, nullptr);
}

void RunReport::Warn(std::string_view text) const {
  if (socket_.valid()) return Send(Line("warning").Text("text", text));
  Say("warning: " + std::string(text));
}

void RunReport::Started(const SandboxPlan& plan) const {
  if (!socket_.valid()) return;
  Send(Line("started")
           .Text("mode", ModeName(plan.mode))
           .Text("layers", LayersName(plan.layers))
           .List("weaker", plan.weaker));
}

void RunReport::Refused(const Refusal& refusal, std::string_view text) const {
  if (socket_.valid()) {
    Send(Line("refused")
             .Text("path", refusal.path)
             .Text("code", ErrnoName(refusal.code))
             .Text("why", text));
    return;
  }
  Say(text);
}

namespace {

// Explains a failure such as "claude: ENOENT".
std::string WhyNotRun(std::string_view not_run) {
  const size_t end = std::min(not_run.rfind(": "), not_run.size());
  const std::string_view name = not_run.substr(0, end);
  std::string why = "the kernel cannot execute it";
  if (not_run.ends_with(": ENOENT")) {
    const bool is_path = name.find('/') != std::string_view::npos;
    why = is_path ? "no such file, or the interpreter in its first line is missing"
                  : "not found in PATH";
  } else if (not_run.ends_with(": EACCES")) {
    why = "it is not an executable file";
  }
  return Quote(name) + " could not be run: " + why + " (" +
         Printable(not_run.substr(std::min(end + 2, not_run.size()))) + ")";
}

}  // namespace

void RunReport::Ended(const ringfence::Ended& ended) const {
  if (socket_.valid()) {
    Send(Line("ended")
             .Number("status", static_cast<uint64_t>(ended.status))
             .Number("refusals", ended.refusal_count)
             .Text("not_run", ended.not_run));
  } else if (!ended.not_run.empty()) {
    Say(WhyNotRun(ended.not_run));
  }
}

bool RunReport::Failed(std::string_view step, const Error& error) const {
  if (!socket_.valid()) return false;
  Send(Line("failed")
           .Text("step", step)
           .Text("call", error.where)
           .Text("what", error.what)
           .Text("remedy", error.hint));
  return true;
}

}  // namespace ringfence
