// `ringfence check`: finds mistakes in policies, registrations and programs.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/check/annotated.h"
#include "cli/check/subjects.h"
#include "cli/command_line/options.h"
#include "cli/common/console.h"
#include "run/messages.h"

namespace ringfence {
namespace {

struct CheckOptions {
  CheckQuestion question;
  std::string format = "text";
  bool strict = false;
};

std::string_view SeverityName(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "note"};  // by Severity
  return kNames[static_cast<size_t>(severity)];
}

size_t FindingCount(const Findings& findings, Severity severity) {
  return static_cast<size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

// Prints in the format of compilers, so that editors can jump to the place.
void PrintFinding(const Console& console, const Finding& finding) {
  const Error& error = finding.error;
  const Tone tone = finding.severity == Severity::kError ? Tone::kBad : Tone::kStrong;
  console.Line((error.where.empty() ? "" : Printable(error.where) + ": ") +
               console.In(tone, SeverityName(finding.severity)) + ": " + Printable(error.what) +
               " [" + finding.code + "]");
  if (!error.hint.empty()) console.Line("  Hint: " + Printable(error.hint));
}

void PrintAll(const Checked& checked) {
  const Console console;
  for (const Finding& finding : checked.findings) PrintFinding(console, finding);
  const size_t errors = FindingCount(checked.findings, Severity::kError);
  const size_t warnings = FindingCount(checked.findings, Severity::kWarning);
  std::string subjects;
  for (const std::string& subject : checked.subjects) subjects += " " + Printable(subject);
  console.Line("checked" + subjects + ": " +
               (errors + warnings == 0
                    ? console.In(Tone::kGood, "sound")
                    : Counted(errors, "error") + ", " + Counted(warnings, "warning")));
}

OrderedJson CheckedJson(const Checked& checked) {
  const auto finding_json = [](const Finding& finding) {
    OrderedJson json{{"severity", SeverityName(finding.severity)},
                     {"code", finding.code},
                     {"where", finding.error.where},
                     {"what", finding.error.what}};
    if (!finding.error.hint.empty()) json["hint"] = finding.error.hint;
    return json;
  };
  return {{"checked", checked.subjects},
          {"errors", FindingCount(checked.findings, Severity::kError)},
          {"warnings", FindingCount(checked.findings, Severity::kWarning)},
          {"findings", JsonArray(checked.findings, finding_json)}};
}

void PrintChecked(const CheckOptions& options, const Checked& checked) {
  if (options.question.json || options.format == "json") return PrintJson(CheckedJson(checked));
  if (options.format == "sarif") return PrintDocument(SarifText(AnnotationsOf(checked)));
  if (options.format == "github") return PrintDocument(WorkflowCommands(AnnotationsOf(checked)));
  if (checked.unread.empty() || !checked.subjects.empty()) PrintAll(checked);
}

Outcome RunCheck(const CheckOptions& options) {
  const CheckQuestion& question = options.question;
  if (question.elsewhere && question.files.empty()) {
    return UsageError("", "--elsewhere needs files", "name a policy or a settings file");
  }
  const Result<Checked> checked =
      question.files.empty() ? CheckEverything(question) : CheckFiles(question);
  if (!checked) return checked.error();
  const std::vector<Error>& unread = checked->unread;
  PrintChecked(options, *checked);
  if (!unread.empty()) {
    for (size_t i = 0; i + 1 < unread.size(); ++i) PrintError(unread[i]);
    return unread.back();
  }
  const bool is_wrong = FindingCount(checked->findings, Severity::kError) > 0 ||
                        (options.strict && FindingCount(checked->findings, Severity::kWarning) > 0);
  return is_wrong ? 1 : 0;
}

constexpr const char* kCheckExamples =
    "  ringfence check                            everything that counts here\n"
    "  ringfence check .ringfence/policy.json     one policy: for editors and pre-commit\n"
    "  ringfence check .claude/settings.json      one settings file of the client\n"
    "  ringfence check --strict --json            warnings fail too; for CI\n"
    "Exit status: 0 no mistakes, 1 mistakes, 2 it could not be checked.";

}  // namespace

void AddCheck(Command& app, Action& chosen) {
  Command command =
      AddCommand(app, "check", "Find mistakes in policies and registrations", kCheckExamples);
  const auto options = std::make_shared<CheckOptions>();
  AddContextOptions(command, options->question.given, options->question.json);
  command.AddOption("file FILE", options->question.files,
                    "Policies, or settings files of the client (default: all that are in force)");
  command.AddOption("--hook PATH", options->question.hook,
                    "The hook's program (default: next to this one)");
  command.AddOption("--format FORMAT", options->format, "The report's format (default: text)")
      .OneOf({"text", "json", "sarif", "github"});
  command.AddFlag(
      "--elsewhere", options->question.elsewhere,
      "The files are for other machines: do not look for the programs and policies that they name");
  command.AddFlag("--strict", options->strict, "Exit with 1 on warnings too");
  command.OnGiven([options, &chosen] { chosen = [options] { return RunCheck(*options); }; });
}

}  // namespace ringfence
