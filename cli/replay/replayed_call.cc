#include "cli/replay/replayed_call.h"

#include "base/add_once.h"
#include "base/text.h"
#include "cli/common/assumed_folder.h"
#include "policy/load/layers.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

constexpr size_t kMaxProjects = 256;
constexpr size_t kMaxNotes = 1000;
constexpr size_t kMaxText = 400;
constexpr uint64_t kCallsTogether = 16;

ReplayedDecision RefusedCall(const Error& error) {
  return {LoggedVerdict::kError, {}, "the call", CutText(Printable(error.text()), kMaxText)};
}

ReplayedDecision ReplayedDecisionOf(const Decision& decision) {
  ReplayedDecision outcome{LoggedVerdictOf(decision.verdict), {}, "", ""};
  if (!decision.cause) return outcome;
  const Cause& cause = *decision.cause;
  outcome.what = CutText(cause.what, kMaxText);
  outcome.why = CutText(cause.why, kMaxText);
  if (cause.place) {
    outcome.rule.file = cause.place->file;
    outcome.rule.line = cause.place->line;
    outcome.rule.pointer = cause.place->quotable ? cause.place->pointer : "";
  }
  return outcome;
}

}  // namespace

// Decides calls under one policy in one project.
class PolicyCalls {
 public:
  PolicyCalls(const Registration& question, const FileView& files)
      : files_(files), context_(FindTypedContext(question, files)) {
    if (context_) evaluator_.emplace(*context_, question.profile);
  }

  ReplayedDecision Decide(std::string_view event_text) {
    if (!evaluator_) return RefusedCall(context_.error());
    const Result<Event> event = evaluator_->Read(event_text);
    if (!event) return RefusedCall(event.error());
    // Successive calls read the same directories, so they share a cache. A failure ends its use, so
    // that it cannot affect later calls.
    if (calls_++ % kCallsTogether == 0) seen_.emplace(files_);
    const Result<EventEvaluator::Outcome> outcome = evaluator_->Decide(*event, *seen_);
    if (outcome) return ReplayedDecisionOf(outcome->decision);
    calls_ = 0;
    return RefusedCall(outcome.error());
  }

  const Result<Context>& context() const { return context_; }

 private:
  const FileView& files_;
  Result<Context> context_;
  std::optional<EventEvaluator> evaluator_;
  std::optional<CachedFiles> seen_;
  uint64_t calls_ = 0;
};

// Decides calls in one project, even if it no longer exists.
class ReplayedCalls::ProjectCalls {
 public:
  ProjectCalls(const ReplayQuestion& question, const std::string& root) : files_(disk_, root) {
    Registration context = question.given;
    if (context.root.empty()) context.project_dir = root;
    now_.emplace(context, files_);
    if (question.against.empty()) return;
    context.policy = question.against;
    was_.emplace(context, files_);
  }

  Answer Decide(std::string_view event) {
    Answer answer{now_->Decide(event), {}, files_.is_assumed()};
    if (was_) answer.was = was_->Decide(event);
    return answer;
  }

  PolicyCalls& now() { return *now_; }
  PolicyCalls* was() { return was_ ? &*was_ : nullptr; }

 private:
  RealFiles disk_;
  AssumedFolder files_;
  std::optional<PolicyCalls> now_;
  std::optional<PolicyCalls> was_;
};

ReplayedCalls::ReplayedCalls(ReplayQuestion question) : question_(std::move(question)) {}
ReplayedCalls::~ReplayedCalls() = default;

ReplayedCalls::ProjectCalls& ReplayedCalls::ProjectCallsOf(const std::string& root) {
  if (const auto known = projects_.find(root); known != projects_.end()) return *known->second;
  if (projects_.size() >= kMaxProjects) projects_.clear();
  auto project = std::make_unique<ProjectCalls>(question_, root);
  if (project->now().context()) {
    for (const std::string& note : project->now().context()->sources.notes) {
      if (notes_.size() < kMaxNotes) AddOnce(notes_, note);
    }
  }
  return *projects_.emplace(root, std::move(project)).first->second;
}

Status ReplayedCalls::Check() {
  // Without --root, checks a project that has no policy of its own.
  ProjectCalls project(question_, question_.given.root.empty() ? kNowhere : "");
  for (const PolicyCalls* calls : {&project.now(), project.was()}) {
    if (calls == nullptr) continue;
    if (!calls->context()) return calls->context().error();
    const Result<Policy> policy = calls->context()->PolicyFor();
    if (!policy) return policy.error();
  }
  return Unit{};
}

ReplayedCalls::Answer ReplayedCalls::Decide(const std::string& root, std::string_view event) {
  if (!question_.given.root.empty()) return ProjectCallsOf("").Decide(event);
  if (!root.empty()) return ProjectCallsOf(root).Decide(event);
  Answer answer;
  answer.now = {
      LoggedVerdict::kError, {}, "the call", "its project is unknown: name it with --root DIR"};
  if (!question_.against.empty()) answer.was = answer.now;
  return answer;
}

}  // namespace ringfence
