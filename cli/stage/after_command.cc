#include "cli/stage/after_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/held_signals.h"
#include "cli/stage/apply_stage.h"
#include "cli/stage/collect_garbage.h"
#include "cli/stage/conflicts.h"
#include "cli/stage/describe_change.h"
#include "cli/stage/preview.h"
#include "cli/stage/show_changes.h"
#include "cli/stage/stage_log.h"
#include "cli/stage/stage_question.h"
#include "cli/stage/taken_stage.h"
#include "run/end_by_signal.h"
#include "run/messages.h"

namespace ringfence {
namespace {

// The kernel copies a file of the project into an overlay as a whole, however little is written.
void SayLargeCopies(const Stage& stage, const MergePlan& plan) {
  constexpr uint64_t kLarge = uint64_t{256} << 20;
  if (stage.is_copy()) return;
  for (const PlannedChange& planned : plan.changes) {
    const Change& change = planned.change;
    if (!change.is_edit || !change.after.is_file() || change.after.size < kLarge) continue;
    Say("note: " + ShownPath(change.path) + " (" + SizeText(change.after.size) +
        ") was copied whole into the stage before the command changed it");
  }
}

// Shows what the command has changed, and what of it would not be applied. Returns the number of
// lines of the preview.
size_t ShowPlan(const Stage& stage, const StagePlan& plan) {
  const std::vector<PreviewLine> lines = MakePreview(stage, plan);
  const std::string text = ShortPreviewText(lines, stage.record().id);
  std::fwrite(text.data(), 1, text.size(), stderr);
  SayWhatStays(plan.merge);
  return lines.size();
}

// The same for a program.
OrderedJson PlanJson(const Stage& stage, const StagePlan& plan) {
  ChangeList changes;
  for (const PlannedChange& planned : plan.merge.changes) {
    if (!planned.is_gits) changes.push_back(planned.change);
  }
  OrderedJson json{{"changes", ChangesJson(stage, changes)}};
  AddWhatStays(plan, json);
  return json;
}

// Returns why the user has to decide although the policy would apply the changes; "" if it does.
std::string WhyNotAutomatic(const Stage& stage, const MergePlan& plan) {
  const int status = stage.record().status;
  if (status != 0) return "the command has failed (status " + std::to_string(status) + ")";
  if (const size_t count = plan.Count(ChangeAction::kConflict); count > 0) {
    return Counted(count, "conflict");
  }
  if (const size_t held = plan.Count(ChangeAction::kHold); held > 0) {
    return "the policy holds back " + Counted(held, "change");
  }
  const auto skipped = std::ranges::count_if(plan.changes, [](const PlannedChange& planned) {
    return planned.action == ChangeAction::kSkip && !IsGitsState(planned);
  });
  return skipped > 0 ? Counted(static_cast<size_t>(skipped), "change") + " cannot be applied" : "";
}

constexpr const char* kTrusted = "stage.commands.trusted";
constexpr const char* kAutoApply = "stage.commands.auto_apply";

// The end of a stage's command.
class StageEnd {
 public:
  // Signals are held back until changes are applied: the stage is kept and named first.
  StageEnd(TakenStage& taken, const StageOptions& options, HeldSignals& signals)
      : taken_(taken), stage_(taken.stage), options_(options), signals_(signals) {
    // The launcher has passed these on. They are not for an editor or a pager.
    const StageRecord& record = stage_.record();
    if (record.buffer_process == ::getpid()) ::fcntl(record.buffer_fd, F_SETFD, FD_CLOEXEC);
    if (options.project == 0) return;
    taken.project = UniqueFd(static_cast<int>(options.project));
    ::fcntl(taken.project.get(), F_SETFD, FD_CLOEXEC);
  }

  Outcome Run() {
    const std::string id = stage_.record().id;
    Outcome outcome = ShowAndDecide();
    if (!options_.json) return outcome;
    const OrderedJson shown_id = is_removed_ ? OrderedJson() : OrderedJson(id);
    OrderedJson json{{"id", shown_id}, {"outcome", what_}, {"status", stage_.record().status}};
    json.update(result_);
    PrintJson(json);
    return outcome;
  }

 private:
  Outcome ShowAndDecide() {
    Result<StagePlan> plan = PlanApply(taken_, options_);
    if (!plan) return KeepAfter(plan.error());
    size_t lines = 0;
    if (options_.json) {
      result_ = PlanJson(stage_, *plan);
    } else {
      lines = ShowPlan(stage_, *plan);
    }
    SayLargeCopies(stage_, plan->merge);
    if (plan->merge.changes.empty()) {
      if (!options_.json) Say("the command changed nothing in the project");
      return Discard("no changes", "unchanged");
    }
    const Decided decided = Decide(*plan, lines > plan->show_diff_threshold);
    if (decided.decision == StageDecision::kDiscard) {
      if (!options_.json) Say("the changes are discarded");
      return Discard(decided.by, "discarded");
    }
    if (Status s = stage_.StoreBuffer(); !s) return Outcome::No(s.error());
    const int status = stage_.record().status;
    if (decided.decision == StageDecision::kKeep) return SayKept(stage_, status);
    SayWho(decided.by);
    const bool is_resolved = ResolveConflicts(stage_, options_, plan->merge);
    if (!is_resolved || signals_.Arrived() != 0) return SayKept(stage_, status);
    signals_.Release();
    return ApplyNow(*plan, decided.by);
  }

  Outcome ApplyNow(StagePlan& plan, const std::string& by) {
    const Outcome outcome = ApplyAndReport(taken_, plan, {options_, by});
    if (outcome.error) return KeepBecauseOf(*outcome.error);
    const int status = stage_.record().status;
    // The user may have refused each change, and the policy may hold all of them back.
    if (plan.merge.CountDone() == 0) return SayKept(stage_, status);
    what_ = "applied";
    return status;
  }

  struct Decided {
    StageDecision decision;
    std::string by;  // for the audit log
  };

  Decided Decide(StagePlan& plan, bool is_long) const {
    if (options_.discard) return {StageDecision::kDiscard, "--discard"};
    if (IsEndedByUser() || signals_.Arrived() != 0) return {StageDecision::kKeep, "signal"};
    if (options_.apply) return {StageDecision::kApply, "--apply"};
    if (options_.keep) return {StageDecision::kKeep, "--keep"};
    if (!options_.automatic.empty()) {
      const std::string why = WhyNotAutomatic(stage_, plan.merge);
      if (why.empty()) return {StageDecision::kApply, PolicyKey()};
      Say("not applied without a question: " + why);
    }
    const Terminal terminal;
    if (options_.json || !terminal.can_ask()) return {StageDecision::kKeep, "no terminal"};
    return {AskAboutStage(terminal, stage_, plan, is_long), "answer"};
  }

  // The user has interrupted the command, or the system ends everything: this is not the time for a
  // question, and what the command has left may be incomplete.
  bool IsEndedByUser() const {
    return options_.signal == SIGINT || options_.signal == SIGTERM || options_.signal == SIGHUP;
  }

  std::string PolicyKey() const {
    const bool is_trusted = options_.automatic == "trusted";
    return is_trusted ? kTrusted : kAutoApply;
  }

  static void SayWho(std::string_view by) {
    if (by == kTrusted) Say("the policy trusts this command (" + std::string(by) + ")");
    if (by == kAutoApply) Say("the policy applies changes (" + std::string(by) + ")");
  }

  // The changes cannot be listed, so they can be neither shown nor applied.
  Outcome KeepAfter(const Error& error) {
    result_ = {{"changes", nullptr}};
    if (Status s = stage_.StoreBuffer(); !s) return Outcome::No(s.error());
    return KeepBecauseOf(error);
  }

  // Says first what went wrong.
  Outcome KeepBecauseOf(const Error& error) {
    PrintError(error);
    return SayKept(stage_, 1);
  }

  Outcome Discard(const std::string& by, std::string_view what) {
    if (Status s = LogRemoval(options_.given, stage_.folder(), by); !s) return s.error();
    if (Status s = stage_.folder().Remove(); !s) return s.error();
    what_ = what;
    is_removed_ = true;
    return stage_.record().status;
  }

  TakenStage& taken_;
  Stage& stage_;
  const StageOptions& options_;
  HeldSignals& signals_;
  std::string_view what_ = "kept";  // what became of the changes, for --json
  bool is_removed_ = false;         // the stage
  OrderedJson result_;
};

}  // namespace

Outcome AfterCommand(const StageOptions& options) {
  HeldSignals signals;
  Result<TakenStage> taken = TakeEndedStage(options);
  if (!taken) return taken.error();
  Outcome outcome = StageEnd(*taken, options, signals).Run();
  CollectDaily(options);
  if (!outcome.error) outcome.status = signals.StatusOr(outcome.status);
  const bool is_commands = !outcome.error && outcome.status == taken->stage.record().status;
  if (is_commands && options.signal == SIGINT) {
    std::fflush(nullptr);
    EndBySignal(SIGINT);
  }
  return outcome;
}

}  // namespace ringfence
