// `ringfence audit`: evaluates fixtures and recorded calls against policies, and compares the
// decisions with a baseline.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "agents/claude/setup/call_event.h"
#include "base/environment.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "cli/audit/fixture.h"
#include "cli/audit/recorded.h"
#include "cli/audit/report.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "cli/common/file_place.h"
#include "policy/files/real_files.h"
#include "policy/load/layers.h"
#include "run/messages.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

struct AuditOptions {
  AuditQuestion question;
  std::vector<std::string> paths;
  std::string format = "text";
  bool json = false;
  std::string output;
  std::string baseline;
  bool update = false;
  bool coverage = false;
  bool record = false;
};

// Prints all errors but the last, which the caller reports.
Error LastOf(const std::vector<Error>& mistakes) {
  for (size_t i = 0; i + 1 < mistakes.size(); ++i) PrintError(mistakes[i]);
  return mistakes.back();
}

// Checks an output file, of which `path` is written, before the audit starts: its directory must
// exist, and it must not be a file that the audit reads.
Status CheckTarget(const std::string& option, const std::string& target, const std::string& path,
                   const std::vector<std::string>& inputs) {
  if (target.empty()) return Unit{};
  if (const std::vector<std::string> missing = MissingFolders(path); !missing.empty()) {
    return UsageError(option, "the directory " + Quote(missing.back()) + " does not exist",
                      "create it, or name a file in another directory");
  }
  for (const std::string& input : inputs) {
    std::error_code failure;  // ignored: one of the two may not exist
    const bool is_same =
        path == Absolute(input) || std::filesystem::equivalent(path, Absolute(input), failure);
    if (!is_same) continue;
    return UsageError(option, Quote(target) + " is one of the files of this audit",
                      "name another file");
  }
  return Unit{};
}

Status CheckTargets(const AuditOptions& options, std::vector<std::string> inputs) {
  for (const std::string& policy : options.question.policies) inputs.push_back(policy);
  if (!options.baseline.empty()) {
    const Result<std::string> file = FollowedPath(Absolute(options.baseline));
    if (!file) return file.error();
    if (Status s = CheckTarget("--baseline", options.baseline, *file, inputs); !s) return s;
    inputs.push_back(options.baseline);
  }
  return CheckTarget("--output", options.output, Absolute(options.output), inputs);
}

Status Deliver(const AuditOptions& options, const std::string& text) {
  if (!options.output.empty()) return WriteWhole(Absolute(options.output), text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return Unit{};
  return Error{Error::Kind::kSystem, "standard output", "could not be written", ""};
}

std::string Rendered(const AuditOptions& options, const AuditReport& report) {
  if (options.json || options.format == "json") return AuditJson(report);
  if (options.format == "junit") return AuditJunit(report);
  if (options.format == "sarif") return AuditSarif(report);
  if (options.format == "github") return AuditWorkflowCommands(report);
  if (options.format == "html") return AuditHtml(report);
  return AuditText(report, Console());
}

// Reads the existing baseline. With --update the file may be missing or empty, but any contents
// must be a baseline.
Result<std::vector<BaselineEntry>> ReadBaseline(const AuditOptions& options) {
  if (options.baseline.empty()) return std::vector<BaselineEntry>{};
  Result<std::optional<std::string>> text = ReadIfThere(Absolute(options.baseline));
  if (!text) return text.error();
  const bool is_empty = !*text || (*text)->find_first_not_of(" \t\r\n") == std::string::npos;
  if (options.update && is_empty) return std::vector<BaselineEntry>{};
  if (!*text) {
    return UsageError("", Quote(options.baseline) + " does not exist", "make it: add --update");
  }
  Result<std::vector<BaselineEntry>> entries = ParseBaseline(std::move(**text), options.baseline);
  if (entries || !options.update) return entries;
  Error error = entries.error();
  error.hint = "--update only overwrites a baseline: name another file, or remove this one";
  return error;
}

// Writes the decisions as the new baseline (--update), or compares them with it.
Status UseBaseline(const AuditOptions& options, const std::vector<BaselineEntry>& before,
                   AuditReport& report) {
  if (options.baseline.empty()) return Unit{};
  report.baseline = options.baseline;
  const std::vector<BaselineEntry> now = EntriesOf(report.matrix);
  if (options.update) {
    const Result<std::string> file = FollowedPath(Absolute(options.baseline));
    return file ? WriteWhole(*file, RenderBaseline(now)) : file.error();
  }
  report.changes = ChangesSince(before, now);
  return Unit{};
}

// Returns a unique name, such as "Read /etc/hosts" or "Read /etc/hosts (2)".
std::string NameFor(const Fixture& fixture, std::set<std::string>& names) {
  const CallEvent call = ReadCallEvent(fixture.event);
  std::string name = call.tool;
  for (const auto& value : call.input) {
    if (value.is_string()) name += " " + value.get<std::string>();
  }
  name = CutText(name, 120);
  std::string unique = name;
  for (int i = 2; !names.insert(unique).second; ++i) unique = name + " (" + std::to_string(i) + ")";
  return unique;
}

// Skips fixtures that repeat an earlier one at another time.
std::string RecordedLines(std::vector<Fixture> fixtures) {
  std::set<std::string> seen;
  std::set<std::string> names;
  std::string lines;
  for (Fixture& fixture : fixtures) {
    Fixture timeless = fixture;
    timeless.name = timeless.time = "";
    if (!seen.insert(FixtureLine(timeless)).second) continue;
    fixture.name = NameFor(fixture, names);
    lines += FixtureLine(fixture);
  }
  return lines;
}

void SayForeign(const std::vector<FixturePlace>& foreign) {
  if (foreign.empty()) return;
  const FixturePlace& first = foreign.front();
  const bool is_one = foreign.size() == 1;
  Say("skipped " + std::to_string(foreign.size()) + (is_one ? " line that is" : " lines that are") +
      " torn or not from the audit log" + (is_one ? ": " : ", the first one ") +
      Printable(first.file) + ":" + std::to_string(first.line));
}

Outcome Record(const AuditOptions& options) {
  Registration asked = options.question.given;
  if (!options.question.policies.empty()) asked.policy = options.question.policies.front();
  std::vector<std::string> paths = options.paths;
  if (paths.empty()) {
    const Result<Path> log = AuditFileInForce(asked);
    if (!log) return log.error();
    paths.push_back(log->text());
  }
  std::vector<Error> mistakes;
  FixtureFile log = ReadLogFiles(paths, mistakes);
  if (!mistakes.empty()) return LastOf(mistakes);
  if (Status s = CheckTargets(options, log.files); !s) return s.error();
  const bool is_other = log.fixtures.empty() && log.skipped.size() == log.foreign.size();
  if (is_other && !log.foreign.empty()) {
    return UsageError("", "no line of an audit log is in " + Quote(log.foreign.front().file),
                      "name the hook's log; the default is the one in force");
  }
  if (const Result<Context> context = FindTypedContext(asked, RealFiles())) {
    std::erase_if(log.fixtures, [&context](const Fixture& fixture) {
      return MayBeOfPattern(fixture, context->places.root_real);
    });
  }
  if (Status s = Deliver(options, RecordedLines(std::move(log.fixtures))); !s) return s.error();
  SayForeign(log.foreign);
  return 0;
}

Outcome RunAudit(const AuditOptions& options) {
  if (options.update && options.baseline.empty()) {
    return UsageError("", "--update needs --baseline", "name the file to write: --baseline FILE");
  }
  if (options.record) return Record(options);
  if (options.paths.empty())
    return UsageError("", "no fixtures given", "ringfence audit fixtures/");
  std::vector<Error> mistakes;
  FixtureFile file = ReadFixtureFiles(options.paths, mistakes);
  if (!mistakes.empty()) return LastOf(mistakes);
  if (file.fixtures.empty()) {
    return UsageError("", "nothing to decide", "name fixtures, or a directory of them");
  }
  if (Status s = CheckTargets(options, file.files); !s) return s.error();
  const Result<std::vector<BaselineEntry>> before = ReadBaseline(options);
  if (!before) return before.error();
  AuditReport report;
  Progress progress("audit", file.fixtures.size(), true, "fixtures");
  Result<Matrix> matrix =
      DecideAll(options.question, std::move(file.fixtures), [&progress] { progress.Add(1); });
  if (!matrix) return matrix.error();
  report.matrix = std::move(*matrix);
  report.skipped = std::move(file.skipped);
  if (options.coverage) report.unmet = UnmetRules(report.matrix);
  if (Status s = UseBaseline(options, *before, report); !s) return s.error();
  if (Status s = Deliver(options, Rendered(options, report)); !s) return s.error();
  return report.is_sound() ? 0 : 1;
}

constexpr const char* kAuditExamples =
    "  ringfence audit fixtures/\n"
    "  ringfence audit calls.jsonl --policy old.json --policy new.json --profile worker\n"
    "  ringfence audit fixtures/ --baseline matrix.json            (exit 1 if anything differs)\n"
    "  ringfence audit fixtures/ --baseline matrix.json --update   (accept them)\n"
    "  ringfence audit fixtures/ --coverage --format html --output audit.html\n"
    "  ringfence audit --record > calls.jsonl    (turn the audit log into fixtures)\n"
    "Exit status: 0 as expected, 1 a decision differs, 2 invalid input.";

// Returns the options that --record excludes.
std::vector<Option> AddReportOptions(Command& command, AuditOptions& options) {
  std::vector<Option> added;
  added.push_back(
      command.AddOption("--format FORMAT", options.format, "The report's format (default: text)")
          .OneOf({"text", "json", "junit", "sarif", "github", "html"}));
  added.push_back(command.AddFlag("--json", options.json, "The same as --format json"));
  command.AddOption("--output FILE", options.output,
                    "Write to this file instead of standard output");
  added.push_back(
      command.AddOption("--baseline FILE", options.baseline, "Compare with this matrix"));
  added.push_back(command.AddFlag("--update", options.update, "Rewrite the baseline"));
  added.push_back(
      command.AddFlag("--coverage", options.coverage, "List the rules that no fixture met"));
  return added;
}

}  // namespace

void AddAudit(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "audit", "Run fixtures against policies and profiles", kAuditExamples);
  const auto options = std::make_shared<AuditOptions>();
  AuditQuestion& question = options->question;
  command.AddOption(
      "path PATH", options->paths,
      "Fixtures, captured events or lines of the audit log: files, or a directory of them");
  command.AddOption("--home DIR", question.given.home, "The home directory, instead of HOME");
  command.AddOption("--root DIR", question.given.root,
                    "The project (default: the current directory)");
  command
      .AddOption("--policy FILE", question.policies, "Use these policies instead of those in force")
      .OneEach();
  Option profile =
      command.AddOption("--profile NAME", question.profiles, "Use these profiles").OneEach();
  Option in_memory =
      command.AddFlag("--in-memory", question.in_memory,
                      "Decide as if only the fixtures' own files existed, not those on the disk");
  std::vector<Option> deciding = AddReportOptions(command, *options);
  deciding.insert(deciding.end(), {profile, in_memory});
  const Option record =
      command.AddFlag("--record", options->record, "Turn lines of the audit log into fixtures");
  for (Option& option : deciding) option.Excludes(record);  // --record decides nothing
  command.OnGiven([options, &chosen] { chosen = [options] { return RunAudit(*options); }; });
}

}  // namespace ringfence
