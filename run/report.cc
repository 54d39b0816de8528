#include "run/report.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/joined.h"
#include "base/read_number.h"
#include "base/syscall.h"
#include "base/text.h"
#include "run/messages.h"

namespace ringfence {
namespace {

std::string JsonList(const std::vector<std::string>& values) {
  return "[" + Joined(values, ",", JsonString) + "]";
}

// Explains a failure such as "claude: ENOENT".
std::string WhyNotRun(const NotExecuted& not_run) {
  std::string why = "the kernel cannot execute it";
  if (not_run.code == ENOENT) {
    const bool is_path = not_run.program.find('/') != std::string_view::npos;
    why = is_path ? "no such file, or the interpreter in its first line is missing"
                  : "not found in PATH";
  } else if (not_run.code == EACCES) {
    why = "it is not an executable file";
  }
  return Quote(not_run.program) + " could not be run: " + why + " (" + ErrnoName(not_run.code) +
         ")";
}

}  // namespace

Result<RunReport> RunReport::To(const std::string& descriptor) {
  const auto wrong = [&](std::string_view what) {
    return UsageError("--report", Quote(descriptor) + " is " + std::string(what),
                      "give the number of a socket that this program inherits");
  };
  int fd = -1;
  if (!ReadNumber(descriptor, fd) || fd <= STDERR_FILENO) return wrong("not a descriptor above 2");
  struct stat facts {};
  if (::fstat(fd, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return wrong("not a socket");
  if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return SystemError("fcntl(--report)");
  RunReport report;
  report.socket_ = UniqueFd(fd);
  return report;
}

// Ignores write errors: they mean that the reader has hung up, which the run notices itself.
void RunReport::Send(std::string_view event, Members members) const {
  std::string line = "{\"event\":" + JsonString(event);
  for (const auto& [key, json] : members) line += "," + JsonString(key) + ":" + json;
  struct sigaction ignored {};
  struct sigaction before {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignored, &before);
  [[maybe_unused]] const Status sent = WriteAll(socket_.get(), line + "}\n");
  ::sigaction(SIGPIPE, &before, nullptr);
}

void RunReport::Warn(std::string_view text) const {
  if (socket_.valid()) return Send("warning", {{"text", JsonString(text)}});
  Say("warning: " + std::string(text));
}

void RunReport::Started(const SandboxPlan& plan) const {
  if (!socket_.valid()) return;
  Send("started", {{"mode", JsonString(ModeName(plan.mode))},
                   {"layers", JsonString(LayersName(plan.layers))},
                   {"weaker", JsonList(plan.weaker)}});
}

void RunReport::Refused(const Refusal& refusal, std::string_view text) const {
  if (socket_.valid()) {
    Send("refused", {{"path", JsonString(refusal.path)},
                     {"code", JsonString(ErrnoName(refusal.code))},
                     {"why", JsonString(text)}});
    return;
  }
  Say(text);
}

void RunReport::HostRefused(std::string_view host, std::string_view text) const {
  if (!socket_.valid()) return Say(text);
  Send("host_refused", {{"host", JsonString(host)}, {"why", JsonString(text)}});
}

void RunReport::Ended(const ringfence::Ended& ended) const {
  const std::optional<NotExecuted>& not_run = ended.not_run;
  if (socket_.valid()) {
    Send("ended",
         {{"status", std::to_string(ended.status)},
          {"refusals", std::to_string(ended.refusal_count)},
          {"not_run",
           JsonString(not_run ? not_run->program + ": " + ErrnoName(not_run->code) : "")}});
  } else if (not_run) {
    Say(WhyNotRun(*not_run));
  }
}

bool RunReport::Failed(std::string_view step, const Error& error) const {
  if (!socket_.valid()) return false;
  Send("failed", {{"step", JsonString(step)},
                  {"call", JsonString(error.where)},
                  {"what", JsonString(error.what)},
                  {"remedy", JsonString(error.hint)}});
  return true;
}

}  // namespace ringfence
