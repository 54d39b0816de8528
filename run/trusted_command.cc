#include "run/trusted_command.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "policy/files/resolve.h"
#include "policy/rules/command_pattern.h"
#include "sandbox/environment.h"

namespace ringfence {
namespace {

// The first line of a script: what the kernel starts instead of it (execve(2)).
struct ScriptLine {
  std::string interpreter;
  std::string argument;  // the rest of the line, one argument; "" for none
};

// The kernel reads the line from this many bytes.
constexpr size_t kMostLine = 256;

// `start` is the beginning of a file that begins with "#!". Nothing for a line that the kernel does
// not read as it is written here.
std::optional<ScriptLine> ReadScriptLine(std::string_view start) {
  constexpr std::string_view kBlank = " \t";
  const size_t end = start.find('\n');
  if (end == start.npos && start.size() >= kMostLine) return {};
  std::string_view line = start.substr(2, end == start.npos ? end : end - 2);
  if (line.find('\0') != line.npos) return {};
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  line = line.substr(0, line.find_last_not_of(kBlank) + 1);
  const size_t blank = std::min(line.find_first_of(kBlank), line.size());
  const std::string_view rest = line.substr(blank);
  const size_t begin = std::min(rest.find_first_not_of(kBlank), rest.size());
  return ScriptLine{std::string(line.substr(0, blank)), std::string(rest.substr(begin))};
}

bool IsEnv(const Path& path) { return path.name() == "env"; }

// True for one name that `env NAME` looks up in PATH, or for a path: no option, no variable, and
// not several words, which env takes for one name.
bool IsNameForEnv(std::string_view argument) {
  return !argument.empty() && !argument.starts_with('-') &&
         argument.find_first_of(" \t=") == argument.npos;
}

class ProgramSearch {
 public:
  ProgramSearch(const SandboxCommand& command, const Surroundings& around)
      : command_(command), around_(around) {}

  // Says why commands can change which program is started; "" if they cannot.
  std::string WhyDoubtful() const {
    constexpr int kLevels = 4;
    const std::string& program = command_.argv.front();
    return WhyNot(ProgramCandidates(program, PathVariable()), program, kLevels);
  }

 private:
  std::string_view PathVariable() const { return EnvironmentValue(command_.environment, "PATH"); }

  // The same for one of several files that could be the program. `levels` limits the number of
  // interpreters.
  std::string WhyNot(const std::vector<std::string>& candidates, std::string_view name,
                     int levels) const {
    for (const std::string& candidate : candidates) {
      const std::string text =
          candidate.starts_with('/') ? candidate : command_.cwd + "/" + candidate;
      const Walked walked = Walk(text, around_.files);
      if (!IsOutOfReach(walked)) {
        return Quote(text) + " comes first in the search for " + Quote(name) +
               ", and commands may write there";
      }
      if (!MayStart(walked, 0)) continue;
      std::string why = WhyNotInterpreter(walked.end, levels);
      if (!why.empty() || MayStart(walked, kAll)) return why;
    }
    return "";
  }

  static constexpr uint32_t kAll = 0111;
  static constexpr std::string_view kShell = "/bin/sh";

  // True if commands cannot change where the path leads. This includes a path that leads nowhere.
  bool IsOutOfReach(const Walked& walked) const {
    const auto is_written = [this](const Path& place) { return MayWrite(place); };
    return walked.stop == Walked::Stop::kEnd && !is_written(walked.end) &&
           std::ranges::none_of(walked.links, is_written);
  }

  // True if the file has all of these permissions, and at least one of all. If every user can start
  // it, no later directory of PATH counts.
  static bool MayStart(const Walked& walked, uint32_t permissions) {
    const uint32_t mode = walked.facts.mode;
    return walked.EndsAt(FileKind::kFile) && (mode & kAll) != 0 &&
           (mode & permissions) == permissions;
  }

  // The same for the programs that the kernel starts instead of a script.
  std::string WhyNotInterpreter(const Path& program, int levels) const {
    const Result<std::string> start = around_.files.ReadStart(program, kMostLine);
    if (!start) return "the interpreter of " + Quote(program.text()) + " cannot be read";
    if (!start->starts_with("#!")) {
      // The shell runs a file that the kernel cannot start (sandbox/linux/command.cc).
      const bool is_safe = IsOutOfReach(Walk(kShell, around_.files));
      return is_safe ? "" : "commands may write " + std::string(kShell);
    }
    const std::optional<ScriptLine> line = ReadScriptLine(*start);
    const bool is_usual = line && line->interpreter.starts_with('/') && levels > 0;
    if (!is_usual) return Unusual(program);
    std::string why = WhyNot({line->interpreter}, line->interpreter, levels - 1);
    if (!why.empty()) return why;
    const bool is_env =
        IsEnv(Path::Clean(line->interpreter)) || IsEnv(Walk(line->interpreter, around_.files).end);
    if (!is_env) {
      // Anything but an option could be the name of another program.
      const bool is_option = line->argument.empty() || line->argument.starts_with('-');
      return is_option ? "" : Unusual(program);
    }
    if (!IsNameForEnv(line->argument)) return Unusual(program);
    return WhyNot(CandidatesOfEnv(line->argument), line->argument, levels - 1);
  }

  static std::string Unusual(const Path& program) {
    return "the first line of " + Quote(program.text()) +
           " does not name its interpreter in a way that can be checked";
  }

  // Unlike ringfence, env also looks in the relative directories of PATH; an empty one is the
  // current directory.
  std::vector<std::string> CandidatesOfEnv(const std::string& name) const {
    if (name.find('/') != name.npos) return {name};
    std::vector<std::string> candidates;
    const std::string path = std::string(PathVariable()) + ":";
    for (std::string_view rest = path; !rest.empty();) {
      std::string candidate(TakeUntil(rest, ':'));
      if (!candidate.empty()) candidate += '/';
      candidates.push_back(candidate.append(name));
    }
    return candidates;
  }

  // Also true if the policy asks the user first.
  bool MayWrite(const Path& path) const {
    if (path.IsInside(around_.places.root_real)) return true;
    Event event;
    event.cwd = command_.cwd;
    const Decision decision = DecidePath(event, path.text(), Access::kWrite, around_);
    return decision.failure || decision.verdict != Verdict::kDeny;
  }

  const SandboxCommand& command_;
  const Surroundings& around_;
};

}  // namespace

CommandTrust FindTrust(const SandboxCommand& command, const Surroundings& around) {
  const bool matches = std::ranges::any_of(
      around.policy.stage.trusted,
      [&](std::string_view pattern) { return MatchCommand(pattern, command.argv); });
  if (!matches) return {};
  std::string doubtful = ProgramSearch(command, around).WhyDoubtful();
  const bool is_trusted = doubtful.empty();
  return {.is_trusted = is_trusted, .why_not = std::move(doubtful)};
}

}  // namespace ringfence
