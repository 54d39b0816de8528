#include "cli/run.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/console.h"
#include "cli/ground_options.h"
#include "cli/run_remedy.h"
#include "hook/audit_log.h"
#include "policy/decide.h"
#include "policy/layers.h"
#include "policy/real_files.h"
#include "sandbox/backend.h"
#include "sandbox/plan.h"
#include "sandbox/render.h"
#include "sandbox/seatbelt.h"
#include "sandbox/windows.h"

namespace ringfence {
namespace {

constexpr int kSetupFailed = 125;

struct RunOptions {
  GroundOptions ground;
  std::string mode;
  std::string layers;
  std::string chdir;
  std::string session;
  std::string for_system;
  bool no_sandbox = false;
  bool dry_run = false;
  bool agent = false;
  std::vector<std::string> command;
};

void Say(const std::string& line) {
  const std::string text = "ringfence: " + line + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

SandboxMode ModeOf(const std::string& name) {
  if (name == "rx") return SandboxMode::kRx;
  return name == "rwx" ? SandboxMode::kRwx : SandboxMode::kSandbox;
}

class Runner {
 public:
  explicit Runner(const RunOptions& options) : options_(options) {}

  Outcome Run() {
    if (!options_.chdir.empty() && ::chdir(options_.chdir.c_str()) != 0) {
      return Error{Error::Kind::kUsage, "--chdir", Quote(options_.chdir) + " cannot be entered",
                   "name a folder of the project"};
    }
    Result<Ground> ground = FindGround(options_.ground, files_);
    if (!ground) return ground.error();
    ground_ = std::move(*ground);
    if (options_.for_system == "macos") ground_.places.macos_names = true;
    Result<Policy> policy =
        MergePolicies(ground_.sources, options_.ground.profile, ground_.places, Caller{});
    if (!policy) return policy.error();
    policy_ = std::move(*policy);
    ground_.places.audit_file = OwnPath(policy_.audit.file, ground_.places);
    FillCommand();
    facts_ = options_.for_system.empty() ? ProbeHost() : FactsOf(options_.for_system);
    return options_.dry_run ? Show() : Start();
  }

 private:
  void FillCommand() {
    command_.argv = options_.command;
    std::unique_ptr<char, decltype(&std::free)> cwd(::getcwd(nullptr, 0), &std::free);
    if (cwd) command_.cwd = cwd.get();
    for (char** variable = environ; *variable != nullptr; ++variable) {
      command_.environment.emplace_back(*variable);
    }
    command_.session = options_.session;
    command_.is_agent = options_.agent || IsAgent();
    if (options_.no_sandbox) command_.mode = SandboxMode::kRwx;
    if (!options_.mode.empty()) command_.mode = ModeOf(options_.mode);
    if (options_.layers == "full") command_.layers = SandboxLayers::kFull;
    if (options_.layers == "landlock") command_.layers = SandboxLayers::kLandlock;
  }

  // Another machine, as its users mostly have it.
  static HostFacts FactsOf(const std::string& system) {
    HostFacts facts{.kernel = system, .user = ::geteuid(), .group = ::getegid()};
    if (system == "macos") facts.system = HostSystem::kMacos;
    if (system == "windows") facts.system = HostSystem::kWindows;
    constexpr int kUsualLandlock = 7;
    if (system == "linux") facts.landlock_abi = kUsualLandlock;
    return facts;
  }

  // The agent by its name, unless an agent starts it.
  bool IsAgent() const {
    if (std::getenv("CLAUDECODE") != nullptr || options_.command.empty()) return false;
    const std::string& name = options_.command.front();
    return name.substr(name.rfind('/') + 1) == "claude";
  }

  Result<SandboxPlan> Plan() const {
    return MakePlan({policy_, ground_.places, files_, command_, facts_});
  }

  Outcome Show() {
    const Result<SandboxPlan> plan = Plan();
    if (!plan) return plan.error();
    const std::string text = TextOf(*plan);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return {};
  }

  // As the system itself takes it, where that was asked for.
  std::string TextOf(const SandboxPlan& plan) const {
    if (options_.ground.common.json) return PlanJson(plan);
    if (options_.for_system == "macos") return SeatbeltProfile(plan);
    return options_.for_system == "windows" ? WindowsPlan(plan) : PlanText(plan);
  }

  Outcome Start() {
    for (;;) {
      const Result<SandboxPlan> plan = Plan();
      if (!plan) return plan.error();
      const Result<Ended> ended = Run(*plan);
      if (!ended) return Refused(ended.error());
      if (!ended->failure) return Finish(*ended);
      if (!GoesOnWithout(*plan, *ended->failure)) {
        return Refused(ExplainSetupFailure(*ended->failure));
      }
    }
  }

  // A start that must be logged is logged before, any other while the command already runs.
  Result<Ended> Run(const SandboxPlan& plan) {
    Announce(plan);
    if (policy_.audit.required) {
      if (Status s = LogStart(plan); !s) return s.error();
    }
    return RunConfined(plan, [&] {
      if (policy_.audit.required) return;
      const Status logged = LogStart(plan);
      // Inside another sandbox nobody can write the log; the outer one has its own lines.
      if (!logged && !plan.is_nested) Say("warning: " + logged.error().text());
    });
  }

  static Outcome Refused(const Error& error) {
    Outcome outcome(error);
    outcome.status = kSetupFailed;
    return outcome;
  }

  static void Announce(const SandboxPlan& plan) {
    if (!plan.is_confined()) Say("warning: the command is not confined");
  }

  // "missing": "warn" gives up one layer after the other, and says so.
  bool GoesOnWithout(const SandboxPlan& plan, const SetupFailure& failure) {
    if (plan.missing != SandboxMissing::kWarn || !failure.lacks) return false;
    if (!facts_.has(*failure.lacks)) return false;
    facts_.lacks.push_back(*failure.lacks);
    if (*failure.lacks == Feature::kNamespaces) command_.layers = SandboxLayers::kLandlock;
    if (*failure.lacks == Feature::kLandlock) facts_.landlock_abi = 0;
    Say("warning: not enforced: " + ExplainSetupFailure(failure).text());
    return true;
  }

  Outcome Finish(const Ended& ended) {
    if (!ended.not_run.empty()) {
      Say("the command could not be run: " + Printable(ended.not_run));
    }
    for (const Refusal& refusal : ended.refusals) {
      ExplainRefusal(refusal, ended.not_run.empty() && ended.status != 0);
    }
    return ended.status;
  }

  Status Log(const Event& event, std::string_view verdict, const Decision* decision,
             std::string_view why) {
    if (!ground_.places.audit_file) {
      return Error{Error::Kind::kSystem, "audit log", "no home is known", "give it: --home DIR"};
    }
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const int64_t nanoseconds = static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    const AuditEntry entry{.event = &event,
                           .verdict = verdict,
                           .decision = decision,
                           .why = why,
                           .profile = policy_.profile,
                           .unix_nanoseconds = nanoseconds};
    return AppendToAudit(*ground_.places.audit_file, AuditText(entry), policy_.audit.rotate,
                         nanoseconds);
  }

  Status LogStart(const SandboxPlan& plan) {
    Event event;
    event.name = "SandboxStart";
    event.session_id = command_.session;
    std::string why = "mode " + std::string(ModeName(plan.mode)) + ", layers " +
                      std::string(LayersName(plan.layers));
    for (const std::string& note : plan.weaker) why += "; " + note;
    return Log(event, "permit", nullptr, why);
  }

  // The path is decided again: what a program was refused need not be the policy's doing.
  // It is told only where the command failed.
  void ExplainRefusal(const Refusal& refusal, bool tells) {
    Event event;
    event.name = "SandboxDenial";
    event.cwd = command_.cwd;
    event.session_id = command_.session;
    const CachedFiles now(disk_);
    const Decision decision =
        DecidePath(event, refusal.path, Access::kWrite, {policy_, ground_.places, now});
    const bool is_denial = !decision.failure && decision.verdict == Verdict::kDeny;
    if (!is_denial && refusal.why.empty()) return;
    const std::string text =
        is_denial ? ReasonText(decision, "").substr(std::string_view("ringfence: ").size())
                  : "write to " + Quote(refusal.path) + " refused: " + Printable(refusal.why);
    if (tells) Say(text);
    const Status logged =
        is_denial ? Log(event, "deny", &decision, "") : Log(event, "deny", nullptr, text);
    if (!logged && tells && !facts_.is_inside) Say("warning: " + logged.error().text());
  }

  const RunOptions& options_;
  RealFiles disk_;
  CachedFiles files_{disk_};
  Ground ground_;
  Policy policy_;
  SandboxCommand command_;
  HostFacts facts_;
};

}  // namespace

void AddRun(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* command = AddCommand(app, "run", "Run a command confined by the kernel",
                                 "  ringfence run -- claude\n"
                                 "  ringfence run --mode rx -- make test\n"
                                 "  ringfence run --dry-run -- npm install\n\n"
                                 "Exit status: the command's own; 125 the sandbox could not be set "
                                 "up and nothing was\nrun, 126 and 127 as a shell says.");
  AddGroundOptions(*command, options->ground);
  command->add_option("--mode", options->mode, "sandbox, rx (the project is read-only) or rwx")
      ->check(CLI::IsMember({"sandbox", "rx", "rwx"}))
      ->type_name("MODE");
  command
      ->add_option("--layers", options->layers, "full or, where namespaces are forbidden, landlock")
      ->check(CLI::IsMember({"full", "landlock"}))
      ->type_name("LAYERS");
  command->add_option("--chdir", options->chdir, "Start the command in this folder of the project")
      ->type_name("DIR");
  command->add_option("--session", options->session, "The client's session")->type_name("ID");
  command->add_flag("--agent", options->agent, "The command is the agent: its state is writable");
  command->add_flag("--no-sandbox", options->no_sandbox, "Run it without any confinement");
  command->add_flag("--dry-run", options->dry_run, "Print what would be confined and how");
  command
      ->add_option("--for", options->for_system,
                   "With --dry-run: the plan for linux, macos (a Seatbelt profile) or windows")
      ->check(CLI::IsMember({"linux", "macos", "windows"}))
      ->needs("--dry-run")
      ->type_name("SYSTEM");
  command->add_option("command", options->command, "The command and its arguments, after --")
      ->type_name("COMMAND");
  command->positionals_at_end();
  command->callback([options, &chosen] { chosen = [options] { return Runner(*options).Run(); }; });
}

}  // namespace ringfence
