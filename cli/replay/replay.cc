// `ringfence replay`: shows what a policy would have decided about the calls of past sessions.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "agents/claude/agent.h"
#include "agents/claude/setup/settings_files.h"
#include "base/contains.h"
#include "base/environment.h"
#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "cli/common/policies.h"
#include "cli/common/since.h"
#include "cli/replay/filter.h"
#include "cli/replay/survey.h"
#include "run/messages.h"

namespace ringfence {
namespace {

constexpr size_t kMaxJobs = 64;
constexpr size_t kFilterChunk = size_t{256} * 1024;

struct ReplayOptions {
  bool json = false;
  std::vector<std::string> paths;
  SurveyQuestion survey{.jobs = 0, .shows_progress = true};  // no jobs: one per processor
};

Result<std::string> UsualFolder(const std::string& home_option) {
  const std::string config = Variable(ClaudeCode().variables.settings);
  if (!config.empty() && home_option.empty()) return config + "/projects";
  const Result<std::string> home = GivenOrOwnHome(home_option);
  if (!home) return home.error();
  if (!home->empty()) return *home + "/" + std::string(ClaudeCode().state.folder) + "/projects";
  return UsageError("", "no transcripts given, and no home directory is known",
                    "name files or directories: ringfence replay PATH");
}

// Cuts ".000Z" or "Z" from the time. Times in transcripts have any precision, and compared as text
// the shortened time precedes every later one.
std::string ComparableSince(std::string_view time) {
  constexpr std::string_view kZeros = ".000Z";
  time.remove_suffix(time.ends_with(kZeros) ? kZeros.size() : 1);
  return std::string(time);
}

Outcome FilterStandardInput(ReplayOptions& options) {
  if (options.paths.size() > 1 || !options.survey.since.empty()) {
    return UsageError("", "\"-\" cannot be combined with other paths or --since",
                      "ringfence replay - < lines > lines");
  }
  options.survey.sizes.chunk = kFilterChunk;
  return FilterLines(options.survey, STDIN_FILENO, STDOUT_FILENO);
}

void PrintUnreadable(const Survey& survey, uint64_t count) {
  for (const Error& error : survey.unreadable) Say(Printable(error.text()));
  if (count > survey.unreadable.size()) {
    Say(std::to_string(count - survey.unreadable.size()) + " more could not be read");
  }
}

Outcome Report(const ReplayOptions& options) {
  std::vector<std::string> paths = options.paths;
  if (paths.empty()) {
    Result<std::string> usual = UsualFolder(options.survey.calls.given.home);
    if (!usual) return usual.error();
    paths.push_back(std::move(*usual));
  }
  const Result<TranscriptFiles> files = FindTranscripts(paths);
  if (!files) return files.error();
  Survey survey = SurveyTranscripts(options.survey, *files);
  const uint64_t count = files->unreadable_count + survey.unreadable.size();
  survey.unreadable.insert(survey.unreadable.begin(), files->unreadable.begin(),
                           files->unreadable.end());
  const ReportNames names{options.survey.calls.against, files->files.size()};
  if (options.json) {
    PrintJson(ReportJson(survey, names));
  } else {
    PrintReport(survey, names);
  }
  if (count > 0) {
    PrintUnreadable(survey, count);
    return 2;
  }
  return survey.tally.has_changes() ? 1 : 0;
}

Outcome RunReplay(ReplayOptions& options) {
  SurveyQuestion& survey = options.survey;
  if (Status s = ReplayedCalls(survey.calls).Check(); !s) return s.error();
  if (survey.jobs == 0) survey.jobs = std::thread::hardware_concurrency();
  survey.jobs = std::clamp<size_t>(survey.jobs, 1, kMaxJobs);
  if (Contains(options.paths, "-")) return FilterStandardInput(options);
  if (!survey.since.empty()) {
    const Result<std::string> since = ReadSince(survey.since);
    if (!since) return since.error();
    survey.since = ComparableSince(*since);
  }
  return Report(options);
}

}  // namespace

void AddReplay(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "replay", "Show what a policy would have decided in past sessions",
                 "  ringfence replay\n"
                 "  ringfence replay --policy new.json --against ~/.config/ringfence/policy.json\n"
                 "  ringfence replay ~/.claude/projects/-home-dev-shop --since 7d --json\n"
                 "  ringfence replay - < lines > lines      one line out for each line in\n"
                 "Exit status: 0 success, 1 a decision differs from --against, 2 something could\n"
                 "not be read.");
  const auto options = std::make_shared<ReplayOptions>();
  AddContextOptions(command, options->survey.calls.given, options->json);
  command.Describe(
      "--root", "The project of every call (default: the directory in which its session started)");
  command.AddOption("path PATH", options->paths,
                    "Transcripts, and directories with *.jsonl (default: ~/.claude/projects); "
                    "- to filter standard input");
  command.AddOption("--against FILE", options->survey.calls.against,
                    "Compare with this policy, and show what differs");
  command.AddOption("--since TIME", options->survey.since,
                    "Only calls since then: 7d, 12h, 2026-11-22");
  command
      .AddOption("--examples N", options->survey.examples,
                 "Examples shown of each group (default: 3)")
      .Between(0, 10000);
  command
      .AddOption("--jobs N", options->survey.jobs, "Number of threads (default: one per processor)")
      .Between(1, 64);
  command.OnGiven([options, &chosen] { chosen = [options] { return RunReplay(*options); }; });
}

}  // namespace ringfence
