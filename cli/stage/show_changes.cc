#include "cli/stage/show_changes.h"

#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/pager.h"
#include "cli/stage/apply_stage.h"
#include "cli/stage/diff_text.h"
#include "cli/stage/preview.h"
#include "cli/stage/stage_choice.h"
#include "files/beneath.h"
#include "run/messages.h"

namespace ringfence {
namespace {

Result<ChangeList> ChangesAmong(const Stage& stage, const std::vector<std::string>& paths) {
  Result<ChangeList> changes = ShownChanges(stage);
  if (!changes) return changes;
  // Commits are shown by the preview; git's own files only to those who ask for them.
  const auto is_gits = [](const Change& change) { return !GitFolderOf(change.path).empty(); };
  if (paths.empty()) std::erase_if(*changes, is_gits);
  if (Status s = KeepOnly(*changes, paths, stage); !s) return s.error();
  return changes;
}

OrderedJson ChangeJson(const Stage& stage, const Change& change) {
  return {{"path", change.path},
          {"change", ChangeWord(change)},
          {"what", DescribeChange(stage, change)}};
}

Outcome ShowAll(const Stage& stage, const ChangeList& changes, const StageOptions& options) {
  if (options.json) {
    PrintJson({{"id", stage.record().id}, {"changes", ChangesJson(stage, changes)}});
    return 0;
  }
  std::string text;
  for (const Change& change : changes) {
    if (options.name_only) {
      text += Printable(change.path) + "\n";
      continue;
    }
    if (options.stat) {
      text += PreviewText({{change.path, DescribeChange(stage, change)}});
      continue;
    }
    const Result<std::string> diff = DiffText(stage, change);
    if (!diff && IsMissing(diff.error())) continue;  // removed meanwhile
    if (!diff) return diff.error();
    text += *diff;
  }
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  if (is_terminal && !options.name_only && !options.stat) {
    text = ForTerminal(text, MayColour(STDOUT_FILENO));
  }
  ShowText(text, Pager::kUsers);
  return 0;
}

}  // namespace

std::string_view ChangeWord(const Change& change) {
  if (change.is_added()) return "added";
  if (change.is_removed()) return "removed";
  return change.is_mode_only() ? "mode" : "modified";
}

OrderedJson ChangesJson(const Stage& stage, const ChangeList& changes) {
  return JsonArray(changes, [&stage](const Change& c) { return ChangeJson(stage, c); });
}

Outcome ShowDiff(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<Stage> stage = ChooseStage(*store, options.id);
  if (!stage) return stage.error();
  const Result<ChangeList> changes = ChangesAmong(*stage, options.paths);
  return changes ? ShowAll(*stage, *changes, options) : changes.error();
}

}  // namespace ringfence
