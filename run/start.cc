#include "run/start.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "audit_log/append.h"
#include "audit_log/entry.h"
#include "audit_log/inside_log.h"
#include "audit_log/line.h"
#include "base/inside.h"
#include "base/syscall.h"
#include "base/text.h"
#include "hook/inside_alerts.h"
#include "policy/decide.h"
#include "policy/files/real_files.h"
#include "run/remedy.h"
#include "run/report.h"
#include "run/request.h"
#include "sandbox/backend.h"

namespace ringfence {
namespace {

constexpr int kSetupFailed = 125;

struct RunOutcome : Outcome {
  using Outcome::Outcome;
  RunOutcome(Outcome outcome) : Outcome(std::move(outcome)) {}

  int signal = 0;  // that ended the command; 0 for none
};

Outcome Refused(const Error& error) {
  Outcome outcome(error);
  outcome.status = kSetupFailed;
  return outcome;
}

// What was asked for or a policy is at fault, or the system.
Outcome Unplanned(const Error& error) {
  return error.kind == Error::Kind::kSystem ? Refused(error) : Outcome(error);
}

// Inside another sandbox that takes no lines: asked first, since that one would tell of an attempt.
bool IsOutOfReach(Path file) {
  if (::access(kAuditSocket, F_OK) == 0) return false;
  // It may be missing, with folders around it.
  while (::access(file.text().c_str(), W_OK) != 0 && errno == ENOENT && !file.is_root()) {
    file = file.Parent();
  }
  return ::access(file.text().c_str(), W_OK) != 0 && errno == EROFS;
}

class Run {
 public:
  Run(RunRequest request, const RunReport& report, const RealFiles& disk, const CachedFiles& files)
      : request_(std::move(request)),
        report_(report),
        disk_(disk),
        files_(files),
        inherited_(Inherited::Replace()),
        facts_(ProbeHost(request_.policy.sandbox)) {}

  RunOutcome Start() {
    for (;;) {
      const Result<SandboxPlan> plan = request_.Plan(files_, facts_);
      if (!plan) return Unplanned(plan.error());
      if (const std::optional<SetupFailure> known = KnownFailure(*plan)) {
        if (!GoesOnWithout(*plan, *known)) return SetupFailed(*known);
        continue;
      }
      const Result<Ended> ended = Confine(*plan);
      if (!ended) return Refused(ended.error());
      if (!ended->failure) return Finish(*plan, *ended);
      if (!GoesOnWithout(*plan, *ended->failure)) {
        return SetupFailed(*ended->failure);
      }
    }
  }

 private:
  // What is known to be missing before anything is tried.
  std::optional<SetupFailure> KnownFailure(const SandboxPlan& plan) const {
    const bool is_known = plan.is_confined() && plan.system == HostSystem::kLinux &&
                          plan.landlock_abi == 0 && !WentOnWithout(Feature::kLandlock);
    if (!is_known) return {};
    return SetupFailure{
        "file rules",
        SystemError("landlock_create_ruleset", facts_.landlock_error, Error::About::kLandlock),
        Feature::kLandlock};
  }

  bool WentOnWithout(Feature feature) const {
    return std::ranges::find(given_up_, feature) != given_up_.end();
  }

  // A start that must be logged is logged before, any other while the command already runs.
  Result<Ended> Confine(const SandboxPlan& plan) {
    if (!plan.is_confined()) report_.Warn("the command is not confined");
    // The commands of a session would say it each.
    if (request_.command.session.empty() && !plan.is_nested) WarnOf(plan);
    const bool must_log = request_.policy.audit.required;
    if (must_log) {
      if (Status s = LogStart(plan); !s) return s.error();
    }
    RunWatch watch{.hangup = report_.descriptor(), .inherited = inherited_};
    watch.started = [&] {
      report_.Started(plan);
      if (must_log) return;
      const Status logged = LogStart(plan);
      // Inside another sandbox nobody can write the log; the outer one has its own lines.
      if (!logged && !plan.is_nested) {
        report_.Warn("this start is not logged: " + logged.error().text());
      }
    };
    const std::optional<Path>& file = request_.context.places.audit_file;
    std::optional<InsideLog> log;
    if (file && !request_.command.is_trial) log.emplace(*file, request_.policy.audit);
    InsideAlerts alerts(request_.policy, request_.context.places, disk_);
    watch.audit = [&log, &alerts](std::string_view line) {
      if (IsAlertRequest(line)) return alerts.Take(line, Now());
      return log && log->Take(line, Now());
    };
    return RunConfined(plan, watch);
  }

  void WarnOf(const SandboxPlan& plan) const {
    for (const std::string& note : plan.narrower) report_.Warn(note);
    for (const std::string& note : plan.unmet) report_.Warn(note);
    if (plan.is_confined() && facts_.user == 0) WarnRoot(plan);
  }

  // In containers the project is often another user's.
  void WarnRoot(const SandboxPlan& plan) const {
    const auto is_anothers = [](const std::string& path) {
      struct stat facts {};
      return ::stat(path.c_str(), &facts) == 0 && facts.st_uid != 0;
    };
    if (is_anothers(plan.root.text())) {
      report_.Warn(
          "the project belongs to another user: root has no capabilities in the sandbox, and writes"
          " there only what that user made world-writable");
    }
    const std::vector<Path>& homes = request_.context.places.homes_real;
    if (!homes.empty() && is_anothers(homes.front().text())) {
      report_.Warn(
          "HOME belongs to another user: files that ringfence writes there will belong to root "
          "(use sudo -H)");
    }
  }

  static int64_t Now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
  }

  Outcome SetupFailed(const SetupFailure& failure) const {
    const Error error = ExplainSetupFailure(failure);
    Error plain = failure.error;
    plain.hint = error.hint;
    if (report_.Failed(failure.step, plain)) return kSetupFailed;
    return Refused(error);
  }

  // "missing": "warn" gives up one layer after the other, and says so.
  bool GoesOnWithout(const SandboxPlan& plan, const SetupFailure& failure) {
    if (plan.missing != SandboxMissing::kWarn || !IsLacking(failure)) return false;
    if (WentOnWithout(*failure.lacks) || !plan.can_do_without(*failure.lacks)) return false;
    given_up_.push_back(*failure.lacks);
    facts_.lacks.push_back(*failure.lacks);
    std::string instead;
    if (*failure.lacks == Feature::kNamespaces) {
      request_.command.layers = SandboxLayers::kLandlock;
      instead = "; the command runs with layers landlock, which are weaker (docs/sandbox.md)";
    }
    if (*failure.lacks == Feature::kLandlock) {
      facts_.landlock_abi = 0;
      instead = "; the second lock, Landlock, is missing";
    }
    report_.Warn("not enforced: " + failure.text() + instead);
    return true;
  }

  RunOutcome Finish(const SandboxPlan& plan, const Ended& ended) {
    // For people the reason comes first, and refusals only where the command failed.
    const bool tells = report_.descriptor() >= 0 || (ended.not_run.empty() && ended.status != 0);
    size_t told = 0;
    for (const Refusal& refusal : ended.refusals) {
      if (ExplainRefusal(plan, refusal, tells)) ++told;
    }
    const size_t kept = ended.refusals.size();
    if (told > 0 && kept == kMaxRefusals && ended.refusal_count > kept) {
      report_.Warn("these are " + std::to_string(told) + " of " +
                   std::to_string(ended.refusal_count) + " calls that were refused");
    }
    if (ended.lost_supervisor) {
      report_.Warn("the supervisor ended unexpectedly; all processes of the run were ended");
    }
    report_.Ended(ended);
    RunOutcome outcome(ended.status);
    outcome.signal = ended.signal;
    return outcome;
  }

  Status Log(const Event& event, std::string_view verdict, const Decision* decision,
             std::string_view why) {
    if (request_.command.is_trial) return Unit{};
    const std::optional<Path>& file = request_.context.places.audit_file;
    if (!file) {
      return Error{Error::Kind::kSystem, "audit log", "the home directory is unknown",
                   "name it: --home DIR"};
    }
    if (facts_.is_inside && IsOutOfReach(*file)) {
      return Error{Error::Kind::kSystem, "audit log",
                   "the outer sandbox does not accept lines for the log",
                   "start the outer one with --agent"};
    }
    const int64_t nanoseconds = Now();
    AuditEntry entry;
    entry.Take(event);
    if (decision != nullptr) entry.Take(*decision);
    entry.verdict = verdict;
    if (!why.empty()) entry.why = why;
    entry.time = AuditTime(nanoseconds);
    entry.profile = request_.policy.profile;
    const Status added = AppendToAudit(*file, request_.policy.audit, AuditText(entry), nanoseconds);
    if (added) return Unit{};
    return Error{Error::Kind::kSystem, "audit log: " + added.error().where, added.error().what,
                 "name a file that you can write: \"audit\": {\"file\": ...} of the policy"};
  }

  Status LogStart(const SandboxPlan& plan) {
    Event event;
    event.name = "SandboxStart";
    event.session_id = request_.command.session;
    // The program, and not its arguments, which may hold secrets.
    std::string why = "start of " + Quote(plan.argv.front()) + " in " + Quote(plan.cwd.text()) +
                      ", mode " + std::string(ModeName(plan.mode)) + ", layers " +
                      std::string(LayersName(plan.layers));
    for (const std::string& note : plan.weaker) why += "; " + note;
    return Log(event, "permit", nullptr, why);
  }

  // The path is decided again: what a program was refused need not be the policy's doing.
  // It is told only where the command failed: true if it was.
  bool ExplainRefusal(const SandboxPlan& plan, const Refusal& refusal, bool tells) {
    if (refusal.code == ENOEXEC) return ExplainProgram(refusal, tells);
    Event event;
    event.name = "SandboxDenial";
    event.cwd = request_.command.cwd;
    event.session_id = request_.command.session;
    event.in_sandbox = true;
    const CachedFiles now(disk_);
    const Decision decision = DecidePath(event, refusal.path, Access::kWrite,
                                         {request_.policy, request_.context.places, now});
    const bool is_denial = !decision.failure && decision.verdict == Verdict::kDeny &&
                           !plan.names.IsOwn(refusal.path) && !IsAskedFor(refusal);
    std::string why = refusal.why.empty() ? WhyByMode(plan, refusal) : refusal.why;
    if (why.empty()) why = WhyByQuestion(plan, refusal, decision);
    if (!is_denial && why.empty()) return false;
    // Nothing that a person could permit: not worth a line to them.
    tells = tells && (report_.descriptor() >= 0 || !IsOthers(refusal));
    const std::string text =
        is_denial ? WholeReasonText(decision, "").substr(std::string_view("ringfence: ").size())
                  : "write to " + Quote(refusal.path) + " refused: " + Printable(why) +
                        ". The user must do it, outside the sandbox";
    if (tells) report_.Refused(refusal, text);
    const Status logged =
        is_denial ? Log(event, "deny", &decision, "") : Log(event, "deny", nullptr, text);
    if (!logged && tells && !facts_.is_inside) {
      report_.Warn("this refusal is not logged: " + logged.error().text());
    }
    return tells;
  }

  // No policy has to do with it.
  bool ExplainProgram(const Refusal& refusal, bool tells) const {
    if (tells) report_.Refused(refusal, Quote(refusal.path) + ": " + Printable(refusal.why));
    return tells;
  }

  // Outside of the project to the policy, and writable by --write but for its rules.
  bool IsAskedFor(const Refusal& refusal) const {
    const std::optional<Path> asked = Path::Parse(request_.command.also_writable);
    const std::optional<Path> path = Path::Parse(refusal.path);
    return asked && path && path->IsInside(*asked);
  }

  // No rule refused what the user's own rights do not allow. Inside another sandbox nothing can be
  // told from that.
  bool IsOthers(const Refusal& refusal) const {
    const std::optional<Path> path = Path::Parse(refusal.path);
    return refusal.why.empty() && !facts_.is_inside && path &&
           ::access(path->text().c_str(), W_OK) != 0 &&
           ::access(path->Parent().text().c_str(), W_OK) != 0 && errno != ENOENT;
  }

  // What the lists permit, and this run's mode does not.
  static std::string WhyByMode(const SandboxPlan& plan, const Refusal& refusal) {
    const std::optional<Path> path = Path::Parse(refusal.path);
    const bool is_of_project = path && path->IsInside(plan.root);
    return plan.mode == SandboxMode::kRx && is_of_project ? "in mode rx the project is read-only"
                                                          : "";
  }

  // Outside the project a path about which the policy asks is not writable at all.
  static std::string WhyByQuestion(const SandboxPlan& plan, const Refusal& refusal,
                                   const Decision& decision) {
    const std::optional<Path> path = Path::Parse(refusal.path);
    const bool is_of_project = !path || path->IsInside(plan.root);
    if (decision.verdict != Verdict::kAsk || !decision.cause->place || is_of_project) return "";
    return decision.cause->why + ", and the sandbox cannot ask";
  }

  RunRequest request_;
  const RunReport& report_;
  const RealFiles& disk_;
  const CachedFiles& files_;
  Inherited inherited_;
  HostFacts facts_;
  std::vector<Feature> given_up_;
};

RunOutcome Try(const RunOptions& options, const RunReport& report) {
  const RealFiles disk;
  const CachedFiles files(disk);
  Result<RunRequest> request = ReadRequest(options, files, false);
  if (!request) return Unplanned(request.error());
  return Run(std::move(*request), report, disk, files).Start();
}

// As the command did: a shell or make that waits for this program then ends its loop or recipe.
void EndBySignal(int signal) {
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  if (::signal(signal, SIG_DFL) == SIG_ERR || ::raise(signal) != 0) return;
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
}

}  // namespace

Outcome RunRequested(RunRequest request) {
  const RealFiles disk;
  const CachedFiles files(disk);
  return Run(std::move(request), RunReport(), disk, files).Start();
}

Outcome RunUnderPolicy(const RunOptions& options) {
  RunReport report;
  if (!options.report.empty()) {
    Result<RunReport> socket = RunReport::To(options.report);
    if (!socket) return socket.error();
    report = std::move(*socket);
  }
  RunOutcome outcome = Try(options, report);
  if (outcome.error && report.Failed("", *outcome.error)) outcome.error.reset();
  if (outcome.signal == SIGINT) EndBySignal(SIGINT);
  return outcome;
}

}  // namespace ringfence
