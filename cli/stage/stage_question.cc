#include "cli/stage/stage_question.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/pager.h"
#include "cli/stage/diff_text.h"
#include "cli/stage/preview.h"
#include "run/messages.h"

namespace ringfence {
namespace {

class StageQuestion {
 public:
  StageQuestion(const Terminal& terminal, const Stage& stage, MergePlan& plan)
      : terminal_(terminal), stage_(stage), plan_(plan) {}

  StageDecision Ask(bool shows_diff) {
    if (shows_diff) ShowDiff();
    for (;;) {
      constexpr std::array<Choice, 4> kChoices = {
          {{'a', "apply"}, {'c', "cancel"}, {'d', "diff"}, {'f', "file by file"}}};
      const std::optional<char> answer = terminal_.Choose("Apply these changes?", kChoices);
      if (!answer) return StageDecision::kKeep;
      switch (*answer) {
        case 'a':
          return StageDecision::kApply;
        case 'c':
          return Cancel();
        case 'd':
          ShowDiff();
          break;
        default:
          return FileByFile();
      }
    }
  }

 private:
  StageDecision Cancel() const {
    const UserReply reply = terminal_.Ask("Discard the changes? Otherwise they are kept.");
    return reply == UserReply::kYes ? StageDecision::kDiscard : StageDecision::kKeep;
  }

  void ShowDiff() const {
    std::string text;
    for (const PlannedChange& planned : plan_.changes) text += TextOf(planned);
    ShowText(ForTerminal(text, MayColour(STDOUT_FILENO)), Pager::kUsers);
  }

  std::string TextOf(const PlannedChange& planned) const {
    const Result<std::string> diff = DiffText(stage_, planned.change);
    return diff ? *diff : diff.error().text() + "\n";
  }

  StageDecision FileByFile() {
    bool takes_rest = false;
    bool wants_rest = true;
    for (PlannedChange& planned : plan_.changes) {
      if (!planned.is_done()) continue;
      if (!takes_rest) {
        const std::optional<char> answer = AskAboutFile(planned);
        if (!answer) return StageDecision::kKeep;
        takes_rest = *answer == 'a' || *answer == 'q';
        wants_rest = *answer == 'a' || *answer == 'y';
      }
      if (wants_rest) continue;
      planned.action = ChangeAction::kSkip;
      planned.why = "you left it out";
    }
    return StageDecision::kApply;
  }

  // y, n, a (this and the rest) or q (neither this nor the rest); nothing after Ctrl-C.
  std::optional<char> AskAboutFile(const PlannedChange& planned) const {
    const Change& change = planned.change;
    for (;;) {
      constexpr std::array<Choice, 5> kChoices = {
          {{'y', "yes"}, {'n', "no"}, {'d', "diff"}, {'a', "all the rest"}, {'q', "quit"}}};
      const std::string question =
          Printable(change.path) + " (" + Printable(DescribeChange(stage_, change)) + "): apply?";
      const std::optional<char> answer = terminal_.Choose(question, kChoices);
      if (!answer || *answer != 'd') return answer;
      ShowText(ForTerminal(TextOf(planned), MayColour(STDOUT_FILENO)), Pager::kUsers);
    }
  }

  const Terminal& terminal_;
  const Stage& stage_;
  MergePlan& plan_;
};

}  // namespace

StageDecision AskAboutStage(const Terminal& terminal, const Stage& stage, MergePlan& plan,
                            bool shows_diff) {
  return StageQuestion(terminal, stage, plan).Ask(shows_diff);
}

}  // namespace ringfence
