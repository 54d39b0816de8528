// `ringfence audit`: what a policy decides about recorded and written calls, and what has changed.
#include "cli/audit/audit.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "cli/audit/fixture_files.h"
#include "cli/audit/recorded.h"
#include "cli/audit/report.h"
#include "cli/files.h"
#include "cli/progress.h"
#include "policy/layers.h"
#include "policy/real_files.h"
#include "run/ground.h"
#include "run/messages.h"

namespace ringfence {
namespace {

struct AuditOptions {
  AuditQuestion question;
  std::vector<std::string> paths;
  std::string format = "text";
  std::string output;
  std::string baseline;
  bool update = false;
  bool coverage = false;
  bool record = false;
};

Error Usage(std::string what, std::string hint) {
  return Error{Error::Kind::kUsage, "", std::move(what), std::move(hint)};
}

// Prints every mistake but the last, which the caller hands on.
Error LastOf(const std::vector<Error>& mistakes) {
  for (size_t i = 0; i + 1 < mistakes.size(); ++i) PrintError(mistakes[i]);
  return mistakes.back();
}

Status WriteWhole(const std::string& path, const std::string& text) {
  Transaction transaction;
  const std::string absolute = Absolute(path);
  const Result<std::optional<std::string>> before = ReadIfThere(absolute);
  if (!before) return before.error();
  if (Status s = transaction.Write(absolute, *before, text, {}); !s) return s;
  transaction.Commit();
  return Unit{};
}

Status Deliver(const AuditOptions& options, const std::string& text) {
  if (!options.output.empty()) return WriteWhole(options.output, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return Unit{};
  return Error{Error::Kind::kSystem, "stdout", "the report could not be written", ""};
}

std::string Rendered(const AuditOptions& options, const AuditReport& report) {
  if (options.format == "json") return AuditJson(report);
  if (options.format == "junit") return AuditJunit(report);
  if (options.format == "sarif") return AuditSarif(report);
  if (options.format == "html") return AuditHtml(report);
  return AuditText(report, Console());
}

// The decisions become the baseline, or are compared with it.
Status UseBaseline(const AuditOptions& options, AuditReport& report) {
  if (options.baseline.empty()) return Unit{};
  report.baseline = options.baseline;
  const std::vector<BaselineEntry> now = EntriesOf(report.matrix);
  if (options.update) return WriteWhole(options.baseline, RenderBaseline(now));
  Result<std::optional<std::string>> text = ReadIfThere(Absolute(options.baseline));
  if (!text) return text.error();
  if (!*text) {
    return Usage(Quote(options.baseline) + " does not exist", "make it: add --update");
  }
  const auto before = ParseBaseline(std::move(**text), options.baseline);
  if (!before) return before.error();
  report.changes = ChangesSince(*before, now);
  return Unit{};
}

// "Read /etc/hosts"; the second of that name gets a number.
std::string NameFor(const Fixture& fixture, std::set<std::string>& names) {
  const OrderedJson event = OrderedJson::parse(fixture.event, nullptr, false);
  std::string name = event.value("tool_name", "");
  for (const auto& value : event.value("tool_input", OrderedJson::object())) {
    if (value.is_string()) name += " " + value.get<std::string>();
  }
  name = CutText(name, 120);
  std::string unique = name;
  for (int i = 2; !names.insert(unique).second; ++i) unique = name + " (" + std::to_string(i) + ")";
  return unique;
}

// The same call is decided the same way each time: one fixture is enough.
Outcome Record(const AuditOptions& options) {
  std::vector<std::string> paths = options.paths;
  if (paths.empty()) {
    GroundOptions ground = options.question.ground;
    if (!options.question.policies.empty()) ground.policy = options.question.policies.front();
    const Result<Path> log = AuditFileInForce(ground);
    if (!log) return log.error();
    paths.push_back(log->text());
  }
  std::vector<Error> mistakes;
  FixtureFile log = ReadFixtureFiles(paths, mistakes);
  if (!mistakes.empty()) return LastOf(mistakes);
  std::set<std::string> seen;
  std::set<std::string> names;
  std::string lines;
  for (Fixture& fixture : log.fixtures) {
    Fixture timeless = fixture;
    timeless.name = timeless.time = "";
    if (!seen.insert(FixtureLine(timeless)).second) continue;
    fixture.name = NameFor(fixture, names);
    lines += FixtureLine(fixture);
  }
  if (Status s = Deliver(options, lines); !s) return s.error();
  return 0;
}

Outcome RunAudit(const AuditOptions& options) {
  if (options.update && options.baseline.empty()) {
    return Usage("--update needs --baseline", "say which file is to be written: --baseline FILE");
  }
  if (options.record) return Record(options);
  if (options.paths.empty()) return Usage("no fixtures are named", "ringfence audit fixtures/");
  std::vector<Error> mistakes;
  FixtureFile file = ReadFixtureFiles(options.paths, mistakes);
  if (!mistakes.empty()) return LastOf(mistakes);
  if (file.fixtures.empty()) {
    return Usage("there is nothing to decide", "name fixtures, or a folder of them");
  }
  AuditReport report;
  Progress progress("audit", file.fixtures.size(), true, "fixtures");
  Result<Matrix> matrix =
      DecideAll(options.question, std::move(file.fixtures), [&progress] { progress.Add(1); });
  if (!matrix) return matrix.error();
  report.matrix = std::move(*matrix);
  report.skipped = std::move(file.skipped);
  if (options.coverage) report.unmet = UnmetRules(report.matrix);
  if (Status s = UseBaseline(options, report); !s) return s.error();
  if (Status s = Deliver(options, Rendered(options, report)); !s) return s.error();
  return report.is_sound() ? 0 : 1;
}

constexpr const char* kExamples =
    "  ringfence audit fixtures/\n"
    "  ringfence audit calls.jsonl --policy old.json --policy new.json --profile worker\n"
    "  ringfence audit fixtures/ --baseline matrix.json            (differences end with 1)\n"
    "  ringfence audit fixtures/ --baseline matrix.json --update   (take them over)\n"
    "  ringfence audit fixtures/ --coverage --format html --output audit.html\n"
    "  ringfence audit --record > calls.jsonl    (fixtures of what the audit log has)\n"
    "Exit status: 0 as expected, 1 a decision differs, 2 unusable input.";

void AddReportOptions(Command& command, AuditOptions& options) {
  command.AddOption("--format", options.format, "How the report looks (default: text)")
      .OneOf({"text", "json", "junit", "sarif", "html"})
      .Type("FORMAT");
  command.AddFlag(
      "--json", [&options] { options.format = "json"; }, "The same as --format json");
  command.AddOption("--output", options.output, "Write to this file instead of standard output")
      .Type("FILE");
  command.AddOption("--baseline", options.baseline, "Compare with this matrix").Type("FILE");
  command.AddFlag("--update", options.update, "Write the baseline anew");
  command.AddFlag("--coverage", options.coverage, "List the rules that no fixture met");
}

}  // namespace

void AddAudit(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "audit", "Run fixtures against policies and profiles", kExamples);
  const auto options = std::make_shared<AuditOptions>();
  AuditQuestion& question = options->question;
  command.AddOption("path", options->paths,
                    "Fixtures, captured events, lines of them or of the audit log; or a folder");
  command.AddOption("--home", question.ground.common.home, "The home directory, instead of HOME")
      .Type("DIR");
  command.AddOption("--root", question.ground.root, "The project (default: the current directory)")
      .Type("DIR");
  command
      .AddOption("--policy", question.policies, "Policies to decide by, instead of those in force")
      .Type("FILE")
      .OneEach();
  command.AddOption("--profile", question.profiles, "Profiles to decide by").Type("NAME").OneEach();
  command.AddFlag("--in-memory", question.in_memory,
                  "Decide all of them without the disk, as if only their own files existed");
  AddReportOptions(command, *options);
  command.AddFlag("--record", options->record, "Turn lines of the audit log into fixtures");
  command.OnGiven([options, &chosen] { chosen = [options] { return RunAudit(*options); }; });
}

}  // namespace ringfence
