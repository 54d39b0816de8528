#include <unistd.h>

#include <memory>

#include "base/text.h"
#include "cli/command_line/options.h"
#include "cli/common/policies.h"
#include "policy/files/real_files.h"
#include "run/report.h"
#include "run/request.h"
#include "run/start.h"
#include "sandbox/backend.h"
#include "sandbox/render.h"

namespace ringfence {
namespace {

struct Options {
  RunOptions run;
  bool json = false;
  std::string for_system;
  bool dry_run = false;
};

// Returns the facts of a typical machine with this system.
HostFacts FactsOf(const std::string& system) {
  HostFacts facts{.kernel = system, .user = ::geteuid(), .group = ::getegid()};
  if (system == "macos") facts.system = HostSystem::kMacos;
  if (system == "windows") facts.system = HostSystem::kWindows;
  constexpr int kUsualLandlock = 7;
  if (system == "linux") facts.landlock_abi = kUsualLandlock;
  return facts;
}

// Returns the plan as JSON, in the format of the system that --for names, or as text.
std::string PlanTextFor(const SandboxPlan& plan, const Options& options) {
  if (options.json) return PrintableLines(PlanJson(plan));
  if (options.for_system == "macos") {
    const std::string profile = SeatbeltProfile(plan);
    return ::isatty(STDOUT_FILENO) == 1 ? PrintableLines(profile) : profile;
  }
  return options.for_system == "windows" ? WindowsPlan(plan) : PlanText(plan);
}

Outcome Show(const Options& options) {
  const RealFiles disk;
  const CachedFiles files(disk);
  const bool has_text = options.for_system == "macos" || options.for_system == "windows";
  if (has_text && options.json) {
    return UsageError("--json", "is not available for " + options.for_system,
                      "leave it out: the plan is printed in that system's own format");
  }
  const Result<RunRequest> request = ReadRequest(options.run, files, options.for_system == "macos");
  if (!request) return request.error();
  const bool is_here = options.for_system.empty();
  const Result<SandboxPlan> plan = request->Plan(
      files, is_here ? ProbeHostForReport(request->policy.sandbox) : FactsOf(options.for_system));
  if (!plan) return plan.error();
  const std::string text = PlanTextFor(*plan, options);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

Outcome ShowAndReport(const Options& options) {
  if (options.run.report.empty()) return Show(options);
  const Result<RunReport> report = RunReport::To(options.run.report);
  if (!report) return report.error();
  Outcome outcome = Show(options);
  if (outcome.error && report->Failed("", *outcome.error)) outcome.error.reset();
  return outcome;
}

// Returns "" if the options of a stage fit together.
std::string StageMistake(const RunOptions& run) {
  const char* end = run.apply ? "--apply" : run.discard ? "--discard" : run.keep ? "--keep" : "";
  if (!run.stage) return *end == 0 ? "" : std::string(end) + " needs --stage";
  if (int{run.apply} + int{run.discard} + int{run.keep} > 1) {
    return "--apply, --discard and --keep exclude each other";
  }
  return run.trial ? "--trial leaves nothing behind, so there is nothing to stage" : "";
}

Outcome RunOrShow(const Options& options) {
  const std::string mistake = StageMistake(options.run);
  if (!mistake.empty()) {
    return UsageError("", mistake, "ringfence help stage run shows what a stage can do");
  }
  if (options.run.stage && options.run.command.empty()) {
    return UsageError("", "no command is given", "ringfence stage run -- COMMAND [ARGUMENT...]");
  }
  if (options.dry_run) return ShowAndReport(options);
  if (options.run.stage || !options.json) {
    RunOptions run = options.run;
    run.json = options.json;
    return RunUnderPolicy(run);
  }
  return UsageError("--json", "needs --dry-run: a run prints no result of its own",
                    "add --dry-run, or leave --json out");
}

void AddConfinement(Command& command, RunOptions& run) {
  command.AddOption("--mode MODE", run.mode, "sandbox, rx (the project is read-only) or rwx")
      .OneOf({"sandbox", "rx", "rwx"});
  command
      .AddOption("--layers LAYERS", run.layers,
                 "full, or landlock (weaker) for hosts without namespaces (default: the policy's)")
      .OneOf({"full", "landlock"});
}

// The options of every form of `run`.
void AddRunOptions(Command& command, Options& options) {
  RunOptions& run = options.run;
  AddContextOptions(command, run, options.json);
  AddConfinement(command, run);
  command.AddOption("--chdir DIR", run.chdir,
                    "Start in this directory; without --root it is also the project");
  command.AddOption(
      "--session ID", run.session,
      "The id of the client's session, whose commands share a /tmp and the session's permissions");
  command.AddOption("--write DIR", run.write, "Also allow writing in this directory");
  command.AddOption(
      "--report FD", run.report,
      "Report the command's progress on this socket; when it is closed, the command ends");
  command.AddFlag("--agent", run.is_agent, "The command is the agent: its state is writable");
  command.AddFlag("--apply", run.apply,
                  "Apply the changes of the stage at the end, without asking");
  command.AddFlag("--discard", run.discard, "Show the changes of the stage, then discard them");
  command.AddFlag("--keep", run.keep, "Keep the stage, without asking");
}

void EndWithCommand(Command& command, const std::shared_ptr<Options>& options, Action& chosen) {
  command.AddOption("command COMMAND", options->run.command,
                    "The command and its arguments, after --");
  command.EndWithPositionals();
  command.OnGiven([options, &chosen] { chosen = [options] { return RunOrShow(*options); }; });
}

}  // namespace

void AddRun(Command& app, Action& chosen) {
  const auto options = std::make_shared<Options>();
  Command command =
      AddCommand(app, "run", "Run a command in a sandbox",
                 "  ringfence run -- claude\n"
                 "  ringfence run --stage -- claude\n"
                 "  ringfence run --mode rx -- make test\n"
                 "  ringfence run --dry-run -- npm install\n\n"
                 "The command reaches the hosts of the policy's \"network\" and no "
                 "others; without that\nsection none, and an agent its own service.\n\n"
                 "Exit status: the command's own; 125 the sandbox could not be set "
                 "up and nothing\nran; 126 and 127 as in a shell; 2 a mistake on the "
                 "command line or in a policy.");
  AddRunOptions(command, *options);
  command.AddFlag("--stage", options->run.stage,
                  "Keep the changes to the project apart until you have seen them");
  command.AddFlag("--no-sandbox", options->run.no_sandbox, "Run it without any confinement");
  command.AddFlag("--trial", options->run.trial,
                  "Leave nothing behind: allowed paths that do not exist are not created, and "
                  "nothing is logged");
  command.AddFlag("--dry-run", options->dry_run, "Print the plan and run nothing");
  command
      .AddOption("--for SYSTEM", options->for_system,
                 "With --dry-run: the plan for linux, macos (a Seatbelt profile) or windows")
      .OneOf({"linux", "macos", "windows"})
      .Needs("--dry-run");
  EndWithCommand(command, options, chosen);
}

void AddStagedRun(Command& stage, Action& chosen) {
  const auto options = std::make_shared<Options>();
  options->run.stage = true;
  Command command = AddCommand(
      stage, "run", "Run a command in a sandbox, and keep its changes to the project apart",
      "  ringfence stage run -- npm install\n"
      "  ringfence stage run --apply -- cargo fmt\n"
      "  ringfence stage run --json --keep -- make\n\n"
      "Nothing in the project changes before you apply the changes. At the end, you see them\n"
      "and choose; without a terminal, the stage is kept. With --json, what the command prints\n"
      "goes to standard error.\n\n"
      "Exit status: as for ringfence run; 1 if the changes could not be listed or applied.");
  AddRunOptions(command, *options);
  EndWithCommand(command, options, chosen);
}

}  // namespace ringfence
