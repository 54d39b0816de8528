#include "run/start.h"

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
#include "hook/unreached_hosts.h"
#include "policy/decide.h"
#include "policy/evaluate/evaluate_connection.h"
#include "policy/evaluate/fix.h"
#include "policy/files/real_files.h"
#include "policy/rules/pattern.h"
#include "run/end_by_signal.h"
#include "run/host_reports.h"
#include "run/launcher.h"
#include "run/proxy_access.h"
#include "run/remedy.h"
#include "run/report.h"
#include "run/staged_run.h"
#include "run/start_warnings.h"

namespace ringfence {
namespace {

struct RunOutcome : Outcome {
  using Outcome::Outcome;
  int signal = 0;        // the signal that ended the command; 0 for none
  bool not_run = false;  // its program was not found, or cannot be executed
};

// The status is kSetupFailed if the system is at fault rather than the request or a policy.
RunOutcome NotStarted(const Error& error) {
  RunOutcome outcome(error);
  if (error.kind == Error::Kind::kSystem) outcome.status = kSetupFailed;
  return outcome;
}

// True inside another sandbox that accepts no lines for the log. Checked before writing, since the
// outer sandbox would report the attempt.
bool IsOutOfReach(Path file) {
  if (::access(kLauncherSocket, F_OK) == 0) return false;
  // The file may be missing, and so may directories above it.
  while (::access(file.text().c_str(), W_OK) != 0 && errno == ENOENT && !file.is_root()) {
    file = file.Parent();
  }
  // A hidden log is covered by a file without any mode.
  return ::access(file.text().c_str(), W_OK) != 0 && (errno == EROFS || errno == EACCES);
}

// Reports and logs a run: how it starts, its refusals with their reasons, and how it ends.
class Account final : public LaunchObserver {
 public:
  // `stage` is the run's own, or nullptr.
  Account(const RunRequest& request, const RunReport& report, const RealFiles& disk,
          StagedRun* stage)
      : request_(request),
        report_(report),
        stage_(stage),
        disk_(disk),
        alerts_(request.policy, request.context.places, disk),
        hosts_(request, report),
        network_(request, report, hosts_) {
    const std::optional<Path>& file = request.context.places.audit_file;
    if (file && !request.command.is_trial) log_.emplace(*file, request.policy.audit);
  }

  Result<bool> Planning(RunRequest& request, const HostFacts& facts) override {
    return stage_ == nullptr ? Result<bool>(false) : stage_->Prepare(request, facts.system);
  }

  // A start that must be logged is logged before the command runs, any other start while it runs.
  Status Starting(const SandboxPlan& plan) override {
    if (!plan.is_confined()) report_.Warn("the command is not confined");
    // Otherwise each command of a session would repeat the warnings.
    if (request_.command.session.empty() && !plan.is_nested) {
      WarnOfStart(request_, plan, report_);
    }
    if (stage_ != nullptr) {
      if (Status s = stage_->Mark(plan); !s) return s;
    }
    return request_.policy.audit.required ? LogStart(plan) : Status(Unit{});
  }

  void Started(const SandboxPlan& plan) override {
    report_.Started(plan);
    hosts_.Begin(plan);
    if (request_.policy.audit.required) return;
    const Status logged = LogStart(plan);
    // A nested sandbox may have no log; the outer one writes its own lines.
    if (!logged && !plan.is_nested) {
      report_.Warn("this start is not logged: " + logged.error().text());
    }
  }

  std::optional<std::string> TakePacket(std::string_view packet) override {
    if (const auto question = ReadUnreachedRequest(packet)) return Unreached(*question);
    const int64_t now = Nanoseconds(CLOCK_REALTIME);
    const bool is_taken =
        IsAlertRequest(packet) ? TakeAlert(packet, now) : log_ && log_->Take(packet, now);
    return is_taken ? std::optional(std::string()) : std::nullopt;
  }

  void TakeBuffer(UniqueFd buffer) override {
    if (stage_ != nullptr) stage_->TakeBuffer(std::move(buffer));
  }
  bool IsBufferFull() const override { return stage_ != nullptr && stage_->IsBufferFull(); }

  void GoesOnWithout(const SetupFailure& failure) override {
    const bool is_view = failure.lacks == Feature::kNamespaces;
    const bool is_lock = failure.lacks == Feature::kLandlock;
    report_.Warn("not enforced: " + failure.text() +
                 (is_view   ? "; the command runs with layers landlock, which are weaker "
                              "(docs/sandbox.md)"
                  : is_lock ? "; the second lock, Landlock, is missing"
                            : ""));
  }

  NetworkAccess& network() override { return network_; }
  RunPause* pause() override { return stage_ == nullptr ? nullptr : stage_->pause(); }

  RunOutcome Finish(const SandboxPlan& plan, const Ended& ended) {
    if (ended.failure) {
      const Error error = ExplainSetupFailure(*ended.failure);
      Error plain = ended.failure->error;
      plain.hint = error.hint;
      if (report_.Failed(ended.failure->step, plain)) return kSetupFailed;
      return NotStarted(error);
    }
    network_.HearRest();
    const bool tells = report_.descriptor() >= 0 || MayHaveFailedByRefusal(ended);
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
    hosts_.ReportRest();
    if (ended.lacked_network && tells) ReportNoNetwork();
    report_.Ended(ended);
    if (stage_ != nullptr) LogStageEnd(plan, ended.status);
    RunOutcome outcome(ended.status);
    outcome.signal = ended.signal;
    outcome.not_run = ended.not_run.has_value();
    return outcome;
  }

 private:
  // Returns nothing if the sandbox has no proxy, which alone knows the unreached hosts.
  std::optional<std::string> Unreached(const UnreachedQuestion& question) {
    if (!network_.HearsOfHosts()) return {};
    network_.CatchUp();
    const int64_t begin = Nanoseconds(CLOCK_MONOTONIC) - question.milliseconds * 1'000'000;
    return UnreachedText(hosts_.Since(begin, question.only_new));
  }

  bool TakeAlert(std::string_view packet, int64_t now) {
    const std::optional<AlertRequest> request = ReadAlertRequest(packet);
    if (!request) return false;
    const bool is_host = request->kind == Alert::Kind::kDenial &&
                         request->named.kind == Named::Kind::kHost && network_.HearsOfHosts();
    const std::string why = is_host ? hosts_.WhyRefused(request->named.text) : "";
    return (is_host && why.empty()) || alerts_.Take(*request, why, now);
  }

  // Text output shows refused writes only if the command ran and failed, and if they can be the
  // reason: a signal of the user's is none, and an agent without its service fails because of that.
  bool MayHaveFailedByRefusal(const Ended& ended) const {
    if (ended.not_run || ended.status == 0) return false;
    if (!request_.command.is_agent) return true;
    constexpr int kOfUser[] = {SIGINT, SIGTERM, SIGHUP};
    return std::ranges::find(kOfUser, ended.signal) == std::end(kOfUser) && !hosts_.lacks_service();
  }

  // True if the agent tries to write this name without need, so that no failure is due to it.
  bool IsAttempt(const std::string& path) const {
    if (!request_.command.is_agent) return false;
    for (const Path& home : request_.context.places.homes) {
      const std::optional<std::string_view> below = Path::Clean(path).Below(home);
      for (const std::string_view pattern : request_.policy.agent->state.attempts) {
        if (below && MatchName(pattern, *below)) return true;
      }
    }
    return false;
  }

  // A trial has no network whatever the policy says.
  void ReportNoNetwork() const {
    if (request_.command.is_trial) return;
    Cause cause = NoNetworkCause("", request_.policy);
    cause.what = "use of the network";
    if (!request_.policy.network) cause.remedy = AllowFix(request_.policy, {}, "HOST");
    report_.HostRefused("", RefusalSentence(cause));
  }

  // `entry` is complete except for the session, the profile and the time.
  Status Log(const SandboxPlan& plan, AuditEntry entry) const {
    if (request_.command.is_trial) return Unit{};
    const std::optional<Path>& file = request_.context.places.audit_file;
    if (!file) {
      return Error{Error::Kind::kSystem, "audit log", "the home directory is unknown",
                   "name it: --home DIR"};
    }
    if (plan.is_nested && IsOutOfReach(*file)) {
      return Error{Error::Kind::kSystem, "audit log",
                   "the outer sandbox does not accept lines for the log",
                   "start the outer one with --agent"};
    }
    const int64_t now = Nanoseconds(CLOCK_REALTIME);
    entry.session = request_.command.session;
    entry.profile = request_.policy.profile;
    entry.time = AuditTime(now);
    const Status added = AppendToAudit(*file, request_.policy.audit, AuditText(entry), now);
    if (added) return Unit{};
    return Error{Error::Kind::kSystem, "audit log: " + added.error().where, added.error().what,
                 "name a file that you can write: \"audit\": {\"file\": ...} of the policy"};
  }

  Status LogStart(const SandboxPlan& plan) const {
    // Names the program, but not its arguments, which may contain secrets.
    std::string why = "start of " + Quote(plan.argv.front()) + " in " + Quote(plan.cwd.text()) +
                      ", mode " + std::string(ModeName(plan.mode)) + ", layers " +
                      std::string(LayersName(plan.layers)) + ", network " +
                      std::string(NetworkName(plan));
    for (const std::string& note : plan.weaker) why += "; " + note;
    const Status logged = Log(
        plan, {.event = "SandboxStart", .verdict = LoggedVerdict::kPermit, .why = std::move(why)});
    return logged && stage_ != nullptr ? Log(plan, stage_->StartEntry(plan)) : logged;
  }

  void LogStageEnd(const SandboxPlan& plan, int status) const {
    const Status logged = Log(plan, stage_->EndEntry(status));
    if (!logged) report_.Warn("the end of this stage is not logged: " + logged.error().text());
  }

  // Evaluates the path again, since a refusal need not come from the policy. Returns true if the
  // refusal was reported, which happens only if `tells` is true.
  bool ExplainRefusal(const SandboxPlan& plan, const Refusal& refusal, bool tells) const {
    if (refusal.code == ENOEXEC) {  // not caused by a policy
      if (tells) report_.Refused(refusal, Quote(refusal.path) + ": " + Printable(refusal.why));
      return tells;
    }
    Event event;
    event.session_id = request_.command.session;
    event.cwd = request_.command.cwd;
    event.in_sandbox = true;
    const std::optional<Path> path = Path::Parse(refusal.path);
    const CachedFiles now(disk_);
    const Decision decision = DecidePath(event, refusal.path, Access::kWrite,
                                         {request_.policy, request_.context.places, now});
    const bool is_denial = !decision.failure && decision.cause &&
                           decision.verdict == Verdict::kDeny && !plan.names.IsOwn(refusal.path) &&
                           !IsAskedFor(path);
    const std::string why =
        refusal.why.empty() && path ? WhyNot(plan, *path, decision) : refusal.why;
    if (!is_denial && why.empty()) return false;
    // Text output skips a path that the user's own rights do not allow anyway.
    tells = tells && (report_.descriptor() >= 0 ||
                      (!IsAttempt(refusal.path) &&
                       (plan.is_nested || !refusal.why.empty() || !path || !IsOthers(*path))));
    const std::string text = is_denial ? RefusalSentence(*decision.cause)
                                       : "write to " + Quote(refusal.path) +
                                             " refused: " + Printable(why) +
                                             ". The user must do it, outside the sandbox";
    if (tells) report_.Refused(refusal, text);
    AuditEntry entry{.event = "SandboxDenial", .verdict = LoggedVerdict::kDeny};
    if (is_denial) {
      entry.Take(decision);
    } else {
      entry.why = text;
    }
    const Status logged = Log(plan, std::move(entry));
    if (!logged && tells && !plan.is_nested) {
      report_.Warn("this refusal is not logged: " + logged.error().text());
    }
    return tells;
  }

  // True if the path is in the directory of --write: outside the project to the policy, but
  // writable except where its rules deny it.
  bool IsAskedFor(const std::optional<Path>& path) const {
    const std::optional<Path> asked = Path::Parse(request_.command.also_writable);
    return asked && path && path->IsInside(*asked);
  }

  // True if the user's own rights do not allow the write. A refusal by an outer sandbox looks the
  // same.
  static bool IsOthers(const Path& path) {
    return ::access(path.text().c_str(), W_OK) != 0 &&
           ::access(path.Parent().text().c_str(), W_OK) != 0 && errno != ENOENT;
  }

  // Returns the reason if no list denies the path and no rule gave one; "" if there is none.
  static std::string WhyNot(const SandboxPlan& plan, const Path& path, const Decision& decision) {
    if (path.IsInside(plan.root)) {
      return plan.mode == SandboxMode::kRx ? "in mode rx the project is read-only" : "";
    }
    // Outside the project, a path for which the policy asks is not writable at all.
    const bool asks = decision.verdict == Verdict::kAsk && decision.cause->place;
    return asks ? decision.cause->why + ", and the sandbox cannot ask" : "";
  }

  const RunRequest& request_;
  const RunReport& report_;
  StagedRun* stage_;
  const RealFiles& disk_;
  std::optional<InsideLog> log_;
  InsideAlerts alerts_;
  HostReports hosts_;
  ProxyAccess network_;
};

// Where a run happens, besides its request.
struct RunSurroundings {
  const RunReport& report;
  const RealFiles& disk;
  const CachedFiles& files;
};

RunOutcome Run(RunRequest& request, const RunSurroundings& around, StagedRun* stage = nullptr) {
  Account account(request, around.report, around.disk, stage);
  const Result<Launched> launched =
      Launch(request, around.files, around.report.descriptor(), account);
  return launched ? account.Finish(launched->plan, launched->ended) : NotStarted(launched.error());
}

// `begun` is the time when this program was started.
RunOutcome RunInStage(const RunOptions& options, RunRequest& request, const RunSurroundings& around,
                      int64_t begun) {
  Result<StagedRun> stage = StagedRun::Begin(options, request, around.files, begun);
  if (!stage) return NotStarted(stage.error());
  RunOutcome outcome = Run(request, around, &*stage);
  if (outcome.error || outcome.status == kSetupFailed) {
    stage->Abandon();
    return outcome;
  }
  // The report has said why. With --json, the result is printed all the same.
  if (outcome.not_run && !options.json) {
    stage->Abandon();
    return outcome;
  }
  const Outcome finished = stage->Finish(outcome.status, outcome.signal);
  outcome.status = finished.status;
  outcome.error = finished.error;
  return outcome;
}

}  // namespace

Outcome RunRequested(RunRequest request) {
  const RealFiles disk;
  const RunReport report;
  const CachedFiles files(disk);
  return Run(request, {report, disk, files});
}

Outcome RunUnderPolicy(const RunOptions& options) {
  const int64_t begun = Nanoseconds(CLOCK_REALTIME);
  Result<RunReport> report = RunReport();
  if (!options.report.empty()) report = RunReport::To(options.report);
  if (!report) return report.error();
  const RealFiles disk;
  const CachedFiles files(disk);
  Result<RunRequest> request = ReadRequest(options, files, false);
  const RunSurroundings around{*report, disk, files};
  RunOutcome outcome = !request        ? NotStarted(request.error())
                       : options.stage ? RunInStage(options, *request, around, begun)
                                       : Run(*request, around);
  if (outcome.error && report->Failed("", *outcome.error)) outcome.error.reset();
  if (outcome.signal == SIGINT) EndBySignal(SIGINT);
  return outcome;
}

}  // namespace ringfence
