#include "cli/stage/conflicts.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/common/ask.h"
#include "cli/common/pager.h"
#include "cli/stage/describe_change.h"
#include "cli/stage/diff_text.h"
#include "cli/stage/edit_text.h"
#include "files/beneath.h"
#include "run/messages.h"
#include "staging/text_diff.h"
#include "staging/text_merge.h"

namespace ringfence {
namespace {

constexpr std::string_view kMarker = "<<<<<<< ";

void Resolve(PlannedChange& planned, ConflictResolution resolution) {
  planned.resolution = resolution;
  planned.action = ChangeAction::kSkip;
  planned.why.clear();
  switch (resolution) {
    case ConflictResolution::kNone:
      planned.action = ChangeAction::kConflict;
      break;
    case ConflictResolution::kStaged:
      planned.action = ChangeAction::kApply;
      break;
    case ConflictResolution::kEdited:
      planned.action = ChangeAction::kMerge;
      break;
    case ConflictResolution::kMine:
      planned.why = "your version is kept";
      break;
    case ConflictResolution::kLater:
      planned.why = "skipped";
      break;
  }
}

bool HasMarker(std::string_view text) {
  return text.starts_with(kMarker) || text.find("\n" + std::string(kMarker)) != text.npos;
}

class ConflictQuestion {
 public:
  ConflictQuestion(const Terminal& terminal, const Stage& stage, PlannedChange& planned)
      : terminal_(terminal), stage_(stage), planned_(planned) {}

  // Returns false if the user stops asking.
  bool Ask() {
    for (;;) {
      constexpr std::array<Choice, 6> kChoices = {{{'s', "staged"},
                                                   {'m', "mine"},
                                                   {'e', "edit"},
                                                   {'k', "skip"},
                                                   {'d', "diff"},
                                                   {'q', "quit"}}};
      const std::string question =
          ShownPath(planned_.change.path) + ": " + Printable(planned_.why) + ". Which version?";
      const std::optional<char> answer = terminal_.Choose(question, kChoices);
      if (!answer || *answer == 'q') return false;
      if (Settle(*answer)) return true;
    }
  }

 private:
  // Returns false if the question is to be asked again.
  bool Settle(char answer) {
    switch (answer) {
      case 's':
        Resolve(planned_, ConflictResolution::kStaged);
        return true;
      case 'm':
        Resolve(planned_, ConflictResolution::kMine);
        return true;
      case 'e':
        return Edit();
      case 'k':
        Resolve(planned_, ConflictResolution::kLater);
        return true;
      default:
        ShowSides();
        return false;
    }
  }

  // The text with both changes, and markers where they do not fit together. Without a known base,
  // all lines that differ are marked.
  Result<MergedText> WithMarkers() const {
    const std::string& path = planned_.change.path;
    const Result<std::string> project = stage_.ProjectBytes(path, kMaxMerged);
    if (!project) return project.error();
    const Result<std::string> staged = stage_.StagedBytes(path, kMaxMerged);
    if (!staged) return staged.error();
    if (IsBinary(*project) || IsBinary(*staged)) {
      return UsageError(path, "is not a text", "choose one of the versions");
    }
    return MergeTexts({planned_.base.value_or(""), *project, *staged});
  }

  bool Edit() {
    const Result<MergedText> marked = WithMarkers();
    Result<std::string> edited =
        marked ? EditText(stage_.folder(), std::string(NameOf(planned_.change.path)), marked->text)
               : marked.error();
    if (!edited) {
      PrintError(edited.error());
      return false;
    }
    if (HasMarker(*edited)) {
      Say("the text still has conflict markers");
      return false;
    }
    planned_.merged = std::move(*edited);
    Resolve(planned_, ConflictResolution::kEdited);
    return true;
  }

  // What the stage has changed since the base, what the project has, and both with markers.
  void ShowSides() const {
    const Result<MergedText> marked = WithMarkers();
    const Result<std::string> diff = DiffText(stage_, planned_.change);
    std::string text = diff ? *diff : diff.error().text() + "\n";
    if (marked) text += "\nBoth, with the version before (base) if it is known:\n" + marked->text;
    ShowText(ForTerminal(text, MayColour(STDOUT_FILENO)), Pager::kUsers);
  }

  const Terminal& terminal_;
  const Stage& stage_;
  PlannedChange& planned_;
};

void ResolveAll(MergePlan& plan, ConflictResolution side) {
  for (PlannedChange& planned : plan.changes) {
    if (planned.action == ChangeAction::kConflict) Resolve(planned, side);
  }
}

// Returns false if the user stops asking.
bool AskAboutConflicts(const Terminal& terminal, const Stage& stage, MergePlan& plan) {
  for (PlannedChange& planned : plan.changes) {
    if (planned.action != ChangeAction::kConflict) continue;
    if (!ConflictQuestion(terminal, stage, planned).Ask()) return false;
  }
  return true;
}

}  // namespace

bool ResolveConflicts(const Stage& stage, const StageOptions& options, MergePlan& plan) {
  if (!options.conflicts.empty()) {
    ResolveAll(plan, options.conflicts == "mine" ? ConflictResolution::kMine
                                                 : ConflictResolution::kStaged);
  }
  const Terminal terminal;
  return options.json || !terminal.can_ask() || AskAboutConflicts(terminal, stage, plan);
}

}  // namespace ringfence
