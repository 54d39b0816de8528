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
#include "cli/stage/diff_text.h"
#include "cli/stage/edit_text.h"
#include "files/beneath.h"
#include "run/messages.h"
#include "staging/text_diff.h"
#include "staging/text_merge.h"

namespace ringfence {
namespace {

enum class ConflictSide : uint8_t {
  kStaged,  // what the stage has replaces what the project has
  kMine,    // the project stays as it is
};

constexpr std::string_view kMarker = "<<<<<<< ";

void Resolve(PlannedChange& planned, ConflictSide side) {
  planned.action = side == ConflictSide::kStaged ? ChangeAction::kApply : ChangeAction::kSkip;
  planned.why = side == ConflictSide::kStaged ? "" : "yours is kept";
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
          Printable(planned_.change.path) + ": " + Printable(planned_.why) + ". Which version?";
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
        Resolve(planned_, ConflictSide::kStaged);
        return true;
      case 'm':
        Resolve(planned_, ConflictSide::kMine);
        return true;
      case 'e':
        return Edit();
      case 'k':
        planned_.action = ChangeAction::kSkip;
        planned_.why = "skipped";
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
    planned_.action = ChangeAction::kMerge;
    planned_.merged = std::move(*edited);
    planned_.why.clear();
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

void ResolveAll(MergePlan& plan, ConflictSide side) {
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
    ResolveAll(plan, options.conflicts == "mine" ? ConflictSide::kMine : ConflictSide::kStaged);
  }
  const Terminal terminal;
  return options.json || !terminal.can_ask() || AskAboutConflicts(terminal, stage, plan);
}

}  // namespace ringfence
