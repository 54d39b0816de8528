#include "run/start.h"

#include <time.h>

#include "base/text.h"
#include "hook/audit_log.h"
#include "policy/decide.h"
#include "policy/real_files.h"
#include "run/messages.h"
#include "run/remedy.h"
#include "run/request.h"
#include "sandbox/backend.h"

namespace ringfence {
namespace {

constexpr int kSetupFailed = 125;

class Run {
 public:
  Run(RunRequest request, const RealFiles& disk, const CachedFiles& files)
      : request_(std::move(request)), disk_(disk), files_(files), facts_(ProbeHost()) {}

  Outcome Start() {
    for (;;) {
      const Result<SandboxPlan> plan = request_.Plan(files_, facts_);
      if (!plan) return plan.error();
      const Result<Ended> ended = Confine(*plan);
      if (!ended) return Refused(ended.error());
      if (!ended->failure) return Finish(*ended);
      if (!GoesOnWithout(*plan, *ended->failure)) {
        return Refused(ExplainSetupFailure(*ended->failure));
      }
    }
  }

 private:
  // A start that must be logged is logged before, any other while the command already runs.
  Result<Ended> Confine(const SandboxPlan& plan) {
    if (!plan.is_confined()) Say("warning: the command is not confined");
    const bool must_log = request_.policy.audit.required;
    if (must_log) {
      if (Status s = LogStart(plan); !s) return s.error();
    }
    return RunConfined(plan, [&] {
      if (must_log) return;
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

  // "missing": "warn" gives up one layer after the other, and says so.
  bool GoesOnWithout(const SandboxPlan& plan, const SetupFailure& failure) {
    if (plan.missing != SandboxMissing::kWarn || !failure.lacks) return false;
    if (!facts_.has(*failure.lacks)) return false;
    facts_.lacks.push_back(*failure.lacks);
    if (*failure.lacks == Feature::kNamespaces) request_.command.layers = SandboxLayers::kLandlock;
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
    const std::optional<Path>& file = request_.ground.places.audit_file;
    if (!file) {
      return Error{Error::Kind::kSystem, "audit log", "no home is known", "give it: --home DIR"};
    }
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const int64_t nanoseconds = static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    const AuditEntry entry{.event = &event,
                           .verdict = verdict,
                           .decision = decision,
                           .why = why,
                           .profile = request_.policy.profile,
                           .unix_nanoseconds = nanoseconds};
    return AppendToAudit(*file, AuditText(entry), request_.policy.audit.rotate, nanoseconds);
  }

  Status LogStart(const SandboxPlan& plan) {
    Event event;
    event.name = "SandboxStart";
    event.session_id = request_.command.session;
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
    event.cwd = request_.command.cwd;
    event.session_id = request_.command.session;
    const CachedFiles now(disk_);
    const Decision decision = DecidePath(event, refusal.path, Access::kWrite,
                                         {request_.policy, request_.ground.places, now});
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

  RunRequest request_;
  const RealFiles& disk_;
  const CachedFiles& files_;
  HostFacts facts_;
};

}  // namespace

Outcome RunUnderPolicy(const RunOptions& options) {
  const RealFiles disk;
  const CachedFiles files(disk);
  Result<RunRequest> request = ReadRequest(options, files, false);
  if (!request) return request.error();
  return Run(std::move(*request), disk, files).Start();
}

}  // namespace ringfence
