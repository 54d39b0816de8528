#include "run/trusted_command.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "policy/files/resolve.h"
#include "policy/rules/command_pattern.h"
#include "sandbox/environment.h"

namespace ringfence {
namespace {

class ProgramSearch {
 public:
  ProgramSearch(const SandboxCommand& command, const Surroundings& around)
      : command_(command), around_(around) {}

  // The first path on the way to the program that a command can write or that leads nowhere; "" if
  // there is none.
  std::string DoubtfulPath() const {
    const std::string_view path = EnvironmentValue(command_.environment, "PATH");
    for (const std::string& candidate : ProgramCandidates(command_.argv.front(), path)) {
      std::string text = candidate.starts_with('/') ? candidate : command_.cwd + "/" + candidate;
      const Walked walked = Walk(text, around_.files);
      if (walked.stop != Walked::Stop::kEnd) return text;
      const auto is_written = [this](const Path& place) { return MayWrite(place); };
      if (is_written(walked.end) || std::ranges::any_of(walked.links, is_written)) return text;
      if (IsProgram(walked)) return "";
    }
    return "";
  }

 private:
  // True if every user can start it, so that no later directory of PATH counts.
  static bool IsProgram(const Walked& walked) {
    constexpr uint32_t kAll = 0111;
    return walked.EndsAt(FileKind::kFile) && (walked.facts.mode & kAll) == kAll;
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
  const std::string doubtful = ProgramSearch(command, around).DoubtfulPath();
  if (doubtful.empty()) return {.is_trusted = true, .why_not = ""};
  return {.why_not = Quote(doubtful) +
                     " comes first in the search for the program, and commands "
                     "may write there"};
}

}  // namespace ringfence
