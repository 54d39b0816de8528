#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text.h"
#include "cli/command_line/commands.h"
#include "cli/common/console.h"
#include "cli/setup/agent_guard.h"
#include "cli/setup/installation.h"
#include "cli/setup/mcp_offer.h"

namespace ringfence {
namespace {

struct InitOptions {
  Registration given;
  bool json = false;
  LayerOptions layers;
  std::string project;
  std::string profile;
  std::string policy;
  std::string hook;
  std::string root;
  bool no_client_sandbox = false;
  bool client_fence = false;
  bool dry_run = false;
};

constexpr const char* kInitExamples =
    "  ringfence init                    all your projects (~/.claude/settings.json)\n"
    "  ringfence init --local .          this project, only for you\n"
    "  ringfence init --project .        this project, for all who work on it\n"
    "  ringfence init --dry-run          show what would change\n"
    "  ringfence init --profile worker   use the profile \"worker\" of the policy\n\n"
    "Everything else in the settings file stays byte for byte; a second init changes nothing.\n"
    "ringfence uninstall restores the file.";

OrderedJson ReportJson(const InstallReport& report, const InitOptions& options) {
  OrderedJson json{{"settings", report.settings_path},
                   {"layer", LayerName(options.layers.layer())},
                   {"dry_run", options.dry_run},
                   {"changes", report.changes},
                   {"policy", report.policy_path},
                   {"policy_is_new", report.policy_is_new},
                   {"notes", report.notes},
                   {"bash",
                    {{"is_confined", report.confinement.is_confined},
                     {"says", report.confinement.sentence},
                     {"holes", report.confinement.holes}}}};
  json["switched_off"] = OrderedJson::array();
  for (const HookSwitch& off : report.switches) {
    json["switched_off"].push_back({{"file", off.file}, {"why", off.what}});
  }
  if (report.repository) {
    json["repository"] = {{"settings", report.repository->path},
                          {"opens", report.repository->opens}};
  }
  if (report.proof) {
    json["proof"] = {{"denied", report.proof->trial.denied_path},
                     {"reason", report.proof->reason},
                     {"permitted", report.proof->trial.permitted_path}};
  }
  return json;
}

void PrintProof(const Console& console, const Proof& proof) {
  console.Line("Proof: the registered command denied a " + proof.trial.tool + " of " +
               Quote(proof.trial.denied_path) + ":");
  console.Line("  " + Printable(proof.reason));
  if (!proof.trial.permitted_path.empty()) {
    console.Line("  and let a Read of " + Quote(proof.trial.permitted_path) + " pass.");
  }
}

void PrintReport(const InstallReport& report, const Registration& where, bool dry_run) {
  const Console console;
  const std::string settings = ShownPath(report.settings_path, where);
  if (report.changes.empty()) {
    console.Line("Already registered in " + settings + "; nothing was changed.");
  } else {
    console.Line((dry_run ? "Would change " : "Registered in ") +
                 console.In(Tone::kStrong, settings) + ":");
    for (const std::string& change : report.changes) console.Line("  " + change);
  }
  if (report.repository) {
    console.Line((dry_run ? "Would change " : "Changed ") +
                 console.In(Tone::kStrong, ShownPath(report.repository->path, where)) +
                 (report.repository->opens
                      ? ": commands of sessions that start here may write the whole repository."
                      : ": commands of sessions that start here no longer write the whole "
                        "repository."));
  }
  console.Line("Policy: " + ShownPath(report.policy_path, where) +
               (!report.policy_is_new ? ""
                : dry_run             ? " (would be written)"
                                      : " (new; edit it as you like)"));
  if (report.proof) PrintProof(console, *report.proof);
  for (const HookSwitch& off : report.switches) {
    console.Line(
        console.In(Tone::kBad, "The hook is NOT in force: " + off.what + " (" + off.file + ")."));
  }
  for (const std::string& note : report.notes) console.Line("Note: " + note + ".");
  const Confinement& bash = report.confinement;
  console.Line(console.In(bash.is_confined ? Tone::kGood : Tone::kBad, bash.sentence + "."));
  for (const std::string& hole : bash.holes) console.Line("  but " + hole);
}

Result<std::string> PolicyToRegister(const InitOptions& options) {
  if (options.policy.empty()) return std::string();
  const Result<Registration> place = FindRegistration(options.given.home, options.policy);
  if (!place) return place.error();
  return place->project_dir;
}

Result<std::string> RootOption(const InitOptions& options) {
  if (options.root.empty()) return std::string();
  const Result<Registration> place = FindProject(options.given.home, options.root);
  if (!place) return place.error();
  return place->project_dir;
}

// Keeps the registration: it takes effect when hooks are on again, and in other projects.
Outcome SwitchedOff(const std::vector<HookSwitch>& switches) {
  Error error =
      ConfigError(switches.front().file, switches.front().what,
                  "remove the key and run ringfence init again; until then nothing is enforced");
  for (const HookSwitch& other : std::span(switches).subspan(1)) {
    error.what += "; " + other.file + ": " + other.what;
  }
  return Outcome::No(error);
}

McpOfferQuestion OfferQuestion(const InitOptions& options, const Registration& where,
                               const std::string& policy) {
  return {.where = where,
          .home = options.given.home,
          .project = options.project.empty() ? "" : where.project_dir,
          .policy = policy,
          .may_ask = !options.dry_run};
}

Outcome RunInit(const InitOptions& options) {
  if (!options.dry_run) {
    if (Status s = RefuseUnattended("init"); !s) return Outcome::No(s.error());
  }
  const Result<Registration> where = FindProject(options.given.home, options.project);
  if (!where) return where.error();
  const Result<HookProgram> hook = FindHookProgram(options.hook);
  if (!hook) return hook.error();
  const Result<std::string> policy = PolicyToRegister(options);
  if (!policy) return policy.error();
  const Result<std::string> root = RootOption(options);
  if (!root) return root.error();
  InstallReport report;
  Installation installation({.where = *where,
                             .directory_is_given = !options.project.empty(),
                             .layer = options.layers.layer(),
                             .hook = *hook,
                             .profile = options.profile,
                             .policy = *policy,
                             .root = *root,
                             .client_sandbox = !options.no_client_sandbox,
                             .client_fence = options.client_fence,
                             .dry_run = options.dry_run,
                             .may_ask = !options.dry_run && !options.json});
  if (const auto failure = installation.Run(report)) {
    if (!failure->proof_failed) return failure->error;
    Error error = failure->error;
    error.hint += std::string(error.hint.empty() ? "" : "; ") + "every file is as it was before";
    return Outcome::No(error);
  }
  const McpOfferQuestion offer = OfferQuestion(options, *where, *policy);
  if (options.json) {
    OrderedJson json = ReportJson(report, options);
    const Result<std::vector<McpOffer>> servers = McpOffers(offer);
    if (!servers) return servers.error();
    json["mcp_servers"] = ToJson(*servers);
    PrintJson(json);
  } else {
    PrintReport(report, *where, options.dry_run);
    if (Status s = OfferMcpServers(offer); !s) return s.error();
  }
  return report.switches.empty() ? Outcome(0) : SwitchedOff(report.switches);
}

}  // namespace

void AddInit(Command& app, Action& chosen) {
  Command command = AddCommand(app, "init", "Register the hook, and switch the client's sandbox on",
                               kInitExamples);
  const auto options = std::make_shared<InitOptions>();
  command.AddOption("project DIR", options->project,
                    "The project's directory (default: the current one)");
  AddLayerOptions(command, options->layers);
  command.AddOption("--profile NAME", options->profile, "Use this profile of the policy");
  command.AddOption("--policy FILE", options->policy,
                    "Use this policy instead of the user's and the project's");
  command.AddOption("--hook PATH", options->hook,
                    "The hook's program (default: ringfence-hook next to this program)");
  command.AddOption("--root DIR", options->root,
                    "The project, wherever the client starts; the home directory counts only for "
                    "sessions that start there");
  command.AddFlag("--client-fence", options->client_fence,
                  "The client itself refuses what is outside the project; costs prompts");
  command.AddFlag("--no-client-sandbox", options->no_client_sandbox,
                  "Leave the client's own sandbox as it is");
  command.AddFlag("--dry-run", options->dry_run, "Show what would change, and change nothing");
  AddCommonOptions(command, options->given, options->json);
  command.OnGiven([&chosen, options] { chosen = [options] { return RunInit(*options); }; });
}

}  // namespace ringfence
