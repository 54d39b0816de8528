#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "agents/claude/setup/agent_guard.h"
#include "agents/claude/setup/mcp_servers.h"
#include "base/environment.h"
#include "base/json.h"
#include "base/process.h"
#include "base/program.h"
#include "base/result.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/command_line/options.h"
#include "cli/common/ask.h"
#include "cli/common/console.h"
#include "cli/common/policies.h"
#include "cli/setup/installation.h"
#include "cli/setup/program_files.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/evaluate/fix.h"
#include "policy/load/layers.h"

namespace ringfence {
namespace {

struct McpOffer {
  McpServer server;
  bool is_allowed = false;
  std::vector<std::string> arguments;  // of the command: allow mcp__name__* --home DIR
  std::string command;                 // the same for a shell: ringfence allow 'mcp__name__*'
};

struct InitOptions {
  Registration given;
  bool json = false;
  LayerOptions layers;
  std::string project;
  std::string hook;
  InstallRequest request;  // complete once RunInit() has found the places
};

// True if the policy allows the server's tools, tested with an invented one.
bool IsAllowed(const std::string& part, const Policy& policy) {
  return EvaluateTool("mcp__" + part + "__any", policy).verdict != Verdict::kDeny;
}

McpOffer OfferOf(const McpServer& server, const InitOptions& options) {
  McpOffer offer{.server = server};
  offer.arguments = {"allow", "mcp__" + server.part + "__*"};
  const auto add = [&offer](const char* option, const std::string& value) {
    if (!value.empty()) offer.arguments.insert(offer.arguments.end(), {option, value});
  };
  add("--home", options.given.home);
  if (!options.project.empty()) add("--project", options.request.where.project_dir);
  add("--policy", options.request.policy);
  offer.command = "ringfence";
  for (const std::string& argument : offer.arguments) {
    const std::string word = ShellWord(argument);
    offer.command += " " + (word.empty() && !argument.empty() ? argument : word);
  }
  return offer;
}

Status Allow(const McpOffer& offer) {
  const Result<std::string> program = OwnProgramReal();
  if (!program) return program.error();
  const Result<Finished> done = Run({.program = *program,
                                     .arguments = offer.arguments,
                                     .environment = OwnEnvironment(),
                                     .input = ""});
  if (!done) return done.error();
  if (done->exit_status != 0) {
    return Error{Error::Kind::kSystem, offer.command, std::string(TrimSpace(done->err)), ""};
  }
  Console().Line(std::string(TrimSpace(done->out)));
  return Unit{};
}

Result<std::vector<McpOffer>> McpOffers(const InitOptions& options) {
  std::vector<McpOffer> offers;
  const std::vector<McpServer> servers = McpServersOf(options.request.where);
  if (servers.empty()) return offers;
  BorrowedProject borrowed;
  Registration typed = options.request.where;
  typed.policy = options.request.policy;
  const Result<Context> context = borrowed.Find(typed);
  if (!context) return context.error();
  const Result<Policy> policy = context->PolicyFor();
  if (!policy) return policy.error();
  for (const McpServer& server : servers) {
    offers.push_back(OfferOf(server, options));
    offers.back().is_allowed = IsAllowed(server.part, *policy);
  }
  return offers;
}

// Prints each server that is not allowed, with the command that allows it. On a terminal, except in
// a dry run, asks about each and runs the command for those that the user wants.
Status OfferMcpServers(const InitOptions& options) {
  const Result<std::vector<McpOffer>> offers = McpOffers(options);
  if (!offers) return offers.error();
  const Console console;
  const Terminal terminal;
  bool asks = !options.request.dry_run && terminal.can_ask();
  for (const McpOffer& offer : *offers) {
    if (offer.is_allowed) continue;
    const std::string what =
        "MCP server " + Quote(offer.server.name) + " (" + Printable(offer.server.source) + ")";
    if (!asks) {
      console.Line(what + " is not allowed. To allow it: " + offer.command);
      continue;
    }
    const UserReply reply = terminal.Ask("Allow the agent to use the " + what + "?");
    asks = reply != UserReply::kInterrupted;
    if (reply != UserReply::kYes) {
      console.Line("Not allowed. To allow it later: " + offer.command);
    } else if (Status s = Allow(offer); !s) {
      return s;
    }
  }
  return Unit{};
}

OrderedJson OfferJson(const McpOffer& offer) {
  return {{"name", offer.server.name},
          {"source", offer.server.source},
          {"allowed", offer.is_allowed},
          {"command", offer.command}};
}

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
                   {"layer", LayerName(options.request.layer)},
                   {"dry_run", options.request.dry_run},
                   {"changes", report.changes},
                   {"policy", report.policy_path},
                   {"policy_is_new", report.policy_is_new},
                   {"notes", report.notes},
                   {"bash",
                    {{"is_confined", report.confinement.is_confined},
                     {"says", report.confinement.sentence},
                     {"holes", report.confinement.holes}}}};
  json["switched_off"] = JsonArray(report.switches, [](const HookSwitch& off) -> OrderedJson {
    return {{"file", off.file}, {"why", off.what}};
  });
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

// Finds the project and the hook, and resolves the paths that the user gave.
Status ResolvePaths(InitOptions& options) {
  InstallRequest& request = options.request;
  const std::string& home = options.given.home;
  if (Status s = FindProject(home, options.project).MoveTo(request.where); !s) return s.error();
  if (Status s = FindHookProgram(options.hook).MoveTo(request.hook); !s) return s.error();
  for (const auto& [path, find] :
       {std::pair(&request.policy, &FindRegistration), std::pair(&request.root, &FindProject)}) {
    if (path->empty()) continue;
    const Result<Registration> place = find(home, *path);
    if (!place) return place.error();
    *path = place->project_dir;
  }
  return Unit{};
}

Status RefuseProgramOfNpm(const std::string& hook) {
  if (!IsNpms(hook)) return Unit{};
  return UsageError(Quote(hook), "is in a directory of npm, which can be replaced or removed",
                    "first copy the programs to a place that stays: ringfence install; then run "
                    "init from there: ~/.local/bin/ringfence init");
}

Outcome RunInit(InitOptions& options) {
  InstallRequest& request = options.request;
  if (!request.dry_run) {
    if (Status s = RefuseUnattended("init"); !s) return Outcome::No(s.error());
  }
  if (Status s = ResolvePaths(options); !s) return s.error();
  if (!request.dry_run) {
    if (Status s = RefuseProgramOfNpm(request.hook.path); !s) return Outcome::No(s.error());
  }
  request.directory_is_given = !options.project.empty();
  request.layer = options.layers.layer();
  request.may_ask = !request.dry_run && !options.json;
  InstallReport report;
  Installation installation(request);
  if (const auto failure = installation.Run(report)) {
    if (!failure->proof_failed) return failure->error;
    Error error = failure->error;
    error.hint += std::string(error.hint.empty() ? "" : "; ") + "every file is as it was before";
    return Outcome::No(error);
  }
  if (options.json) {
    OrderedJson json = ReportJson(report, options);
    const Result<std::vector<McpOffer>> servers = McpOffers(options);
    if (!servers) return servers.error();
    json["mcp_servers"] = JsonArray(*servers, OfferJson);
    PrintJson(json);
  } else {
    PrintReport(report, request.where, request.dry_run);
    if (Status s = OfferMcpServers(options); !s) return s.error();
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
  command.AddOption("--profile NAME", options->request.profile, "Use this profile of the policy");
  command.AddOption("--policy FILE", options->request.policy,
                    "Use this policy instead of the user's and the project's; created if missing");
  command.AddOption("--hook PATH", options->hook,
                    "The hook's program (default: ringfence-hook next to this program)");
  command.AddOption("--root DIR", options->request.root,
                    "The project, wherever the client starts; the home directory counts only for "
                    "sessions that start there");
  command.AddFlag("--client-fence", options->request.client_fence,
                  "The client itself refuses what is outside the project; adds prompts");
  command.AddFlag("--no-client-sandbox", options->request.keeps_client_sandbox,
                  "Leave the client's own sandbox as it is");
  command.AddFlag("--dry-run", options->request.dry_run,
                  "Show what would change, and change nothing");
  AddCommonOptions(command, options->given, options->json);
  command.OnGiven([&chosen, options] { chosen = [options] { return RunInit(*options); }; });
}

}  // namespace ringfence
