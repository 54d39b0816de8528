#include "cli/stage/stage_question.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/pager.h"
#include "cli/stage/change_groups.h"
#include "cli/stage/describe_change.h"
#include "cli/stage/diff_text.h"
#include "cli/stage/preview.h"
#include "run/messages.h"

namespace ringfence {
namespace {

class StageQuestion {
 public:
  StageQuestion(const Terminal& terminal, const Stage& stage, StagePlan& plan)
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

  // Commits are in the list; git's own files are for those who ask about them.
  void ShowDiff() const {
    std::string text;
    for (const PlannedChange& planned : plan_.merge.changes) {
      if (!planned.is_gits) text += TextOf(planned);
    }
    ShowText(ForTerminal(text, MayColour(STDOUT_FILENO)), Pager::kUsers);
  }

  std::string TextOf(const PlannedChange& planned) const {
    const Result<std::string> diff = DiffText(stage_, planned.change);
    return diff ? *diff : diff.error().text() + "\n";
  }

  StageDecision FileByFile() {
    ChangeGroups groups(plan_);
    bool takes_rest = false;
    bool is_wanted = true;
    for (const ChangeGroup& group : groups.all()) {
      if (groups.IsInLeftOut(group)) {
        groups.LeaveOut(group);
        continue;
      }
      if (!takes_rest) {
        const std::optional<char> answer = AskAbout(group);
        if (!answer) return StageDecision::kKeep;
        takes_rest = *answer == 'a' || *answer == 'q';
        is_wanted = *answer == 'a' || *answer == 'y';
      }
      if (!is_wanted) groups.LeaveOut(group);
    }
    groups.Finish();
    return StageDecision::kApply;
  }

  // y, n, a (this and the rest) or q (neither this nor the rest); nothing after Ctrl-C.
  std::optional<char> AskAbout(const ChangeGroup& group) const {
    const std::string question = Describe(group) + ": apply?";
    for (;;) {
      constexpr std::array<Choice, 5> kChoices = {
          {{'y', "yes"}, {'n', "no"}, {'d', "diff"}, {'a', "all the rest"}, {'q', "quit"}}};
      const std::optional<char> answer = terminal_.Choose(question, kChoices);
      if (!answer || *answer != 'd') return answer;
      std::string text;
      for (const size_t i : group.members) text += TextOf(plan_.merge.changes[i]);
      ShowText(ForTerminal(text, MayColour(STDOUT_FILENO)), Pager::kUsers);
    }
  }

  std::string Describe(const ChangeGroup& group) const {
    const PlannedChange& lead = plan_.merge.changes[group.lead];
    if (lead.is_gits) {
      const std::string repository(GitFolderOf(lead.change.path));
      return ShownPath(repository) + "/ (" + DescribeCommits(repository) + ")";
    }
    const Change& change = lead.change;
    const bool is_folder = (change.is_removed() ? change.before : change.after).is_directory();
    const bool has_more = is_folder && group.members.size() > 1;
    return ShownPath(change.path) + (is_folder ? "/ (" : " (") +
           Printable(DescribeChange(stage_, change)) +
           (has_more ? ", with all that is in it)" : ")");
  }

  std::string DescribeCommits(std::string_view repository) const {
    std::string text;
    for (const StagedBranch& branch : plan_.branches) {
      if (branch.repository != repository) continue;
      text += (text.empty() ? "" : ", ") + DescribeBranch(branch);
    }
    return text.empty() ? "objects of git" : Printable(text);
  }

  const Terminal& terminal_;
  const Stage& stage_;
  StagePlan& plan_;
};

}  // namespace

StageDecision AskAboutStage(const Terminal& terminal, const Stage& stage, StagePlan& plan,
                            bool shows_diff) {
  return StageQuestion(terminal, stage, plan).Ask(shows_diff);
}

}  // namespace ringfence
