#include "cli/replay/rulings.h"

#include <algorithm>

#include "base/text.h"
#include "cli/replay/assumed_folder.h"
#include "policy/load/layers.h"
#include "run/typed_context.h"

namespace ringfence {
namespace {

constexpr size_t kMaxCourts = 256;
constexpr size_t kMaxNotes = 1000;
constexpr size_t kMaxText = 400;
constexpr uint64_t kCallsTogether = 16;

CallRuling RefusedCall(const Error& error) {
  return {Fate::kRefused, {}, "the call", CutText(Printable(error.text()), kMaxText)};
}

Fate FateOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPermit:
      return Fate::kPermitted;
    case Verdict::kAsk:
      return Fate::kAsked;
    case Verdict::kDeny:
      return Fate::kDenied;
  }
  return Fate::kDenied;
}

CallRuling CallRulingOf(const Decision& decision) {
  CallRuling ruling{FateOf(decision.verdict), {}, "", ""};
  if (!decision.cause) return ruling;
  const Cause& cause = *decision.cause;
  ruling.what = CutText(cause.what, kMaxText);
  ruling.why = CutText(cause.why, kMaxText);
  if (cause.place) {
    const bool is_built_in = cause.place->file == "built-in policy";
    ruling.rule.file = cause.place->file;
    ruling.rule.line = is_built_in ? 0 : cause.place->line;
    ruling.rule.pointer = cause.place->quotable ? cause.place->pointer : "";
  }
  return ruling;
}

}  // namespace

std::string_view FateName(Fate fate) {
  switch (fate) {
    case Fate::kPermitted:
      return "permit";
    case Fate::kAsked:
      return "ask";
    case Fate::kDenied:
      return "deny";
    case Fate::kRefused:
      return "error";
  }
  return "error";
}

std::string RuleName::label() const {
  std::string text = Printable(file);
  if (line != 0) text += ":" + std::to_string(line);
  if (!pointer.empty()) text += " " + Printable(pointer);
  return text;
}

// One policy for one project.
class Bench {
 public:
  Bench(const Registration& question, const FileView& files)
      : files_(files), context_(FindTypedContext(question, files)) {
    if (context_) judge_.emplace(*context_, question.profile);
  }

  CallRuling Decide(std::string_view event_text) {
    if (!judge_) return RefusedCall(context_.error());
    const Result<Event> event = judge_->Read(event_text);
    if (!event) return RefusedCall(event.error());
    // Calls that follow each other look at the same folders. What failed once must not fail again.
    if (calls_++ % kCallsTogether == 0) seen_.emplace(files_);
    const Result<Judge::Ruling> ruling = judge_->Decide(*event, *seen_);
    if (ruling) return CallRulingOf(ruling->decision);
    calls_ = 0;
    return RefusedCall(ruling.error());
  }

  const Result<Context>& context() const { return context_; }

 private:
  const FileView& files_;
  Result<Context> context_;
  std::optional<Judge> judge_;
  std::optional<CachedFiles> seen_;
  uint64_t calls_ = 0;
};

// One project, as it is or as if it were there.
class Rulings::Court {
 public:
  Court(const RulingQuestion& question, const std::string& root) : files_(disk_, root) {
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

  Bench& now() { return *now_; }
  Bench* was() { return was_ ? &*was_ : nullptr; }

 private:
  RealFiles disk_;
  AssumedFolder files_;
  std::optional<Bench> now_;
  std::optional<Bench> was_;
};

Rulings::Rulings(RulingQuestion question) : question_(std::move(question)) {}
Rulings::~Rulings() = default;

Rulings::Court& Rulings::CourtOf(const std::string& root) {
  if (const auto known = courts_.find(root); known != courts_.end()) return *known->second;
  if (courts_.size() >= kMaxCourts) courts_.clear();
  auto court = std::make_unique<Court>(question_, root);
  if (court->now().context()) {
    for (const std::string& note : court->now().context()->sources.notes) {
      const bool is_known = std::ranges::find(notes_, note) != notes_.end();
      if (!is_known && notes_.size() < kMaxNotes) notes_.push_back(note);
    }
  }
  return *courts_.emplace(root, std::move(court)).first->second;
}

Status Rulings::Check() {
  // Without --root, a project that has no policy of its own.
  constexpr const char* kNowhere = "/nonexistent/ringfence-replay";
  Court court(question_, question_.given.root.empty() ? kNowhere : "");
  if (!court.now().context()) return court.now().context().error();
  if (court.was() && !court.was()->context()) return court.was()->context().error();
  const Result<Policy> policy = MergePolicies(
      court.now().context()->sources, question_.given.profile, court.now().context()->places, {});
  if (!policy) return policy.error();
  if (court.was() == nullptr) return Unit{};
  const Context& other = *court.was()->context();
  const Result<Policy> was =
      MergePolicies(other.sources, question_.given.profile, other.places, {});
  if (!was) return was.error();
  return Unit{};
}

Rulings::Answer Rulings::Decide(const std::string& root, std::string_view event) {
  if (!question_.given.root.empty()) return CourtOf("").Decide(event);
  if (!root.empty()) return CourtOf(root).Decide(event);
  Answer answer;
  answer.now = {Fate::kRefused, {}, "the call", "its project is unknown: name it with --root DIR"};
  if (!question_.against.empty()) answer.was = answer.now;
  return answer;
}

}  // namespace ringfence
