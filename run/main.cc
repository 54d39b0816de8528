// `ringfence`: starts confined commands itself, since every command pays for the start; hands
// everything else over to ringfence-cli, which is in the same directory. It uses only the system's
// libraries, so that little can go wrong.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agents/claude/agent.h"
#include "agents/claude/answer.h"
#include "agents/claude/shell.h"
#include "base/environment.h"
#include "base/not_copied.h"
#include "base/path.h"
#include "base/program.h"
#include "base/syscall.h"
#include "hook/wrap.h"
#include "policy/files/real_files.h"
#include "policy/load/context.h"
#include "policy/load/layers.h"
#include "run/messages.h"
#include "run/staged_run.h"
#include "run/start.h"
#include "sandbox/backend.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// The file that tells the client in which directory the shell ended. The command may write to this
// file, but gains no access to the directory around it. The content is checked before the client
// may see it.
class DirectoryReport : NotCopied {
 public:
  explicit DirectoryReport(std::string path) : path_(std::move(path)) {}
  ~DirectoryReport() {
    if (file_.valid() && !Holds()) ::unlink(path_.c_str());
  }

  Status Make() {
    if (path_.empty()) return Unit{};
    file_ =
        UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    return CallStatus(file_.valid(), "open(" + path_ + ")");
  }

  const std::string& path() const { return path_; }

 private:
  // True if the file contains the path of an existing directory, as pwd(1) prints it.
  bool Holds() const {
    std::array<char, 4098> text{};  // PATH_MAX, a newline, and one more
    const ssize_t size = ::pread(file_.get(), text.data(), text.size(), 0);
    if (size < 2 || size == static_cast<ssize_t>(text.size())) return false;
    const std::string_view line(text.data(), static_cast<size_t>(size));
    const std::optional<Path> path = Path::Parse(line.substr(0, line.size() - 1));
    struct stat facts {};
    return line.find('\n') == line.size() - 1 && path &&
           ::stat(path->text().c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
  }

  std::string path_;
  UniqueFd file_;
};

std::string LineOfWords(std::span<char* const> words) {
  std::string line;
  for (const char* word : words) line += (line.empty() ? "" : " ") + std::string(word);
  return line + std::string(kWrapEnd);
}

// `ringfence enter`: started by the line that the hook puts before a command (hook/wrap.h). It runs
// the script of the calling shell confined, without that line, and exits with its status. On
// failure nothing is run and the status is 125.
class Entrance {
 public:
  explicit Entrance(std::span<char* const> words) : words_(words) {}

  Outcome Run() {
    if (Status s = ReadCommand(); !s) return s.error();
    if (Status s = FindRules(); !s) return s.error();
    DirectoryReport report(DirectoryFile(request_.command.argv.back()));
    if (Status s = report.Make(); !s) return s.error();
    request_.command.result_file = report.path();
    const std::string left_behind = PlaceInSession(report.path());
    Outcome outcome = RunRequested(std::move(request_));
    if (!left_behind.empty()) ::unlink(left_behind.c_str());
    return outcome;
  }

 private:
  Status ReadCommand() {
    Registration& registration = registration_;
    if (Status s = ReadWrapWords(words_.subspan(2), registration, event_); !s) return s;
    Result<ClientShell> shell = ReadParentShell();
    if (!shell) return shell.error();
    Result<std::string> script = WithoutLine(shell->words.back(), LineOfWords(words_));
    if (!script) return script.error();
    SandboxCommand& command = request_.command;
    command.argv = std::move(shell->words);
    command.argv.back() = std::move(*script);
    if (!command.argv.front().starts_with('/')) command.argv.front() = shell->program;
    command.cwd = CurrentDirectory();
    command.environment = OwnEnvironment();
    command.session = event_.session_id;
    request_.caller = event_;
    return Unit{};
  }

  // Finds the policy in the same way as the hook, which wrote the line.
  Status FindRules() {
    if (Status s = OwnProgramReal().MoveTo(registration_.program_real); !s) return s;
    registration_.user = ::geteuid();
    if (Status s = FindContext(registration_, files_).MoveTo(request_.context); !s) return s;
    const Result<bool> granted =
        AddSessionGrants(event_.session_id, request_.context.places, request_.context.sources);
    if (!granted) return granted.error();
    if (Status s = request_.context.PolicyFor(CallerOf(event_)).MoveTo(request_.policy); !s)
      return s;
    request_.context.places.audit_file =
        OwnPath(request_.policy.audit.file, request_.context.places);
    return Unit{};
  }

  // Returns the path in the session's /tmp at which a file of the host's /tmp will be mounted, for
  // removal afterwards; "" if there is none.
  std::string PlaceInSession(const std::string& file) const {
    constexpr std::string_view kTmp = "/tmp/";
    const Path folder = SessionFolder(request_.context.places, event_.session_id);
    const std::optional<Path> path = Path::Parse(file);
    if (!path || folder.is_root() || path->Parent().text() + "/" != kTmp) return "";
    return folder.Child(path->name()).text();
  }

  std::span<char* const> words_;
  Registration registration_{.agent = &ClaudeCode()};
  Event event_;
  RealFiles files_;
  RunRequest request_;
};

// `words` is the whole command line. Returns the exit status.
int Enter(std::span<char* const> words) {
  if (words.size() == 3 && std::string_view(words[2]) == "--help") {
    constexpr std::string_view kHelp =
        "The hook puts ringfence enter in front of a command that the policy wraps\n"
        "(\"bash\": {\"wrap\": true}). It confines the rest of its shell's script.\n"
        "For your own commands, use ringfence run -- COMMAND.\n";
    return WriteAll(STDOUT_FILENO, kHelp) ? 0 : kSetupFailed;
  }
  const Outcome outcome = Entrance(words).Run();
  if (!outcome.error) return outcome.status;
  [[maybe_unused]] const Status told =
      WriteAll(STDERR_FILENO, RefusalLine(*outcome.error, "The command was not run"));
  return kSetupFailed;
}

// Returns only on failure.
Error HandOver(char** argv) {
  const Result<std::string> program = ProgramBeside("ringfence-cli");
  if (!program) return program.error();
  ::execve(program->c_str(), argv, EnvironmentPointers());
  return ProgramNotStarted(*program, errno);
}

// Opens /dev/null in place of each closed standard stream. Otherwise a file that is opened later
// could take its number, and the command would inherit it.
bool HasStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != fd) return false;
  }
  return true;
}

// `words` begins with the command. Returns nothing for everything but a run without mistakes.
std::optional<RunOptions> ReadRun(std::span<char* const> words) {
  const auto take = [&words](std::string_view word) {
    const bool is_next = !words.empty() && words.front() == word;
    if (is_next) words = words.subspan(1);
    return is_next;
  };
  const bool is_staged = take("stage");
  return take("run") ? ReadRunLine(words, is_staged) : std::nullopt;
}

int Main(std::span<char*> words) {
  if (!HasStreams()) return kSetupFailed;
  if (words.size() > 1 && std::string_view(words[1]) == "enter") return Enter(words);
  if (const std::optional<RunOptions> options =
          ReadRun(words.subspan(std::min<size_t>(words.size(), 1)))) {
    const Outcome outcome = RunUnderPolicy(*options);
    if (outcome.error) PrintError(*outcome.error);
    return outcome.status;
  }
  const bool is_stage = words.size() > 1 && std::string_view(words[1]) == "stage";
  PrintError(is_stage ? BecomeStageProgram({words.begin(), words.end()}) : HandOver(words.data()));
  return 2;
}

}  // namespace
}  // namespace ringfence

int main(int argc, char** argv) {
  return ringfence::Main({argv, static_cast<size_t>(argc < 0 ? 0 : argc)});
}
