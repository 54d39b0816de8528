// `ringfence replay`: shows what a policy would have decided about the calls of past sessions.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

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
  Registration given;
  bool json = false;
  std::vector<std::string> paths;
  std::string against;
  std::string since;
  size_t examples = 3;
  size_t jobs = 0;  // 0 for one per processor
};

Result<std::string> UsualFolder(const std::string& home_option) {
  const std::string config = Variable("CLAUDE_CONFIG_DIR");
  if (!config.empty() && home_option.empty()) return config + "/projects";
  const Result<std::string> home = GivenOrOwnHome(home_option);
  if (!home) return home.error();
  if (!home->empty()) return *home + "/.claude/projects";
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

size_t JobsOf(const ReplayOptions& options) {
  const size_t wanted = options.jobs == 0 ? std::thread::hardware_concurrency() : options.jobs;
  return std::clamp<size_t>(wanted, 1, kMaxJobs);
}

ReplayQuestion ReplayQuestionOf(const ReplayOptions& options) {
  return {options.given, options.against};
}

Outcome FilterStandardInput(const ReplayOptions& options) {
  if (options.paths.size() > 1 || !options.since.empty()) {
    return UsageError("", "\"-\" cannot be combined with other paths or --since",
                      "ringfence replay - < lines > lines");
  }
  FilterQuestion question{ReplayQuestionOf(options), JobsOf(options), {}};
  question.sizes.chunk = kFilterChunk;
  return FilterLines(question, STDIN_FILENO, STDOUT_FILENO);
}

void PrintUnreadable(const Survey& survey, uint64_t count) {
  for (const Error& error : survey.unreadable) Say(Printable(error.text()));
  if (count > survey.unreadable.size()) {
    Say(std::to_string(count - survey.unreadable.size()) + " more could not be read");
  }
}

Outcome Report(const ReplayOptions& options, const SurveyQuestion& question) {
  std::vector<std::string> paths = options.paths;
  if (paths.empty()) {
    Result<std::string> usual = UsualFolder(options.given.home);
    if (!usual) return usual.error();
    paths.push_back(std::move(*usual));
  }
  const Result<TranscriptFiles> files = FindTranscripts(paths);
  if (!files) return files.error();
  Survey survey = SurveyTranscripts(question, *files);
  const uint64_t count = files->unreadable_count + survey.unreadable.size();
  survey.unreadable.insert(survey.unreadable.begin(), files->unreadable.begin(),
                           files->unreadable.end());
  const ReportNames names{options.against, files->files.size()};
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

Outcome RunReplay(const ReplayOptions& options) {
  if (Status s = ReplayedCalls(ReplayQuestionOf(options)).Check(); !s) return s.error();
  if (Contains(options.paths, "-")) return FilterStandardInput(options);
  SurveyQuestion question{.calls = ReplayQuestionOf(options),
                          .since = "",
                          .examples = options.examples,
                          .jobs = JobsOf(options),
                          .sizes = {},
                          .shows_progress = true};
  if (!options.since.empty()) {
    const Result<std::string> since = ReadSince(options.since);
    if (!since) return since.error();
    question.since = ComparableSince(*since);
  }
  return Report(options, question);
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
  AddContextOptions(command, options->given, options->json);
  command.Describe(
      "--root", "The project of every call (default: the directory in which its session started)");
  command.AddOption("path", options->paths,
                    "Transcripts, and directories with *.jsonl (default: ~/.claude/projects); "
                    "- to filter standard input");
  command.AddOption("--against FILE", options->against,
                    "Compare with this policy, and show what differs");
  command.AddOption("--since TIME", options->since, "Only calls since then: 7d, 12h, 2026-11-22");
  command.AddOption("--examples N", options->examples, "Examples shown of each group (default: 3)")
      .Between(0, 10000);
  command.AddOption("--jobs N", options->jobs, "Number of threads (default: one per processor)")
      .Between(1, 64);
  command.OnGiven([options, &chosen] { chosen = [options] { return RunReplay(*options); }; });
}

}  // namespace ringfence
