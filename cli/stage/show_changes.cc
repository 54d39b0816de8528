#include "cli/stage/show_changes.h"

#include <unistd.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/common/console.h"
#include "cli/common/pager.h"
#include "cli/stage/apply_stage.h"
#include "cli/stage/describe_change.h"
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

// JSON has no bytes that are not UTF-8: a path with some also has an unambiguous form.
void AddPath(OrderedJson& json, const std::string& path, const std::string& key = "path") {
  json[key] = path;
  if (!IsValidUtf8(path)) json[key + "_encoded"] = PercentEncoded(path, "/-._~");
}

OrderedJson ChangeJson(const Stage& stage, const Change& change) {
  OrderedJson json;
  AddPath(json, change.path);
  json["change"] = ChangeWord(change);
  if (!change.moved_from.empty()) AddPath(json, change.moved_from, "moved_from");
  json["what"] = DescribeChange(stage, change);
  return json;
}

// The changes with this action, and why.
OrderedJson WhyJson(const MergePlan& plan, ChangeAction action) {
  OrderedJson array = OrderedJson::array();
  for (const PlannedChange& planned : plan.changes) {
    if (planned.action != action || IsGitsState(planned)) continue;
    OrderedJson json;
    AddPath(json, planned.change.path);
    json["why"] = planned.why;
    array.push_back(std::move(json));
  }
  return array;
}

// One line for each change. As in git, what was moved is listed once: "old => new".
std::string StatText(const Stage& stage, const ChangeList& changes) {
  std::set<std::string_view> sources;
  for (const Change& change : changes) sources.insert(change.moved_from);
  std::string text;
  for (const Change& change : changes) {
    if (change.is_removed() && sources.contains(change.path)) continue;
    if (change.moved_from.empty()) {
      text += PreviewText({{.path = change.path, .what = DescribeChange(stage, change)}});
    } else {
      text += "  " + ShownPath(change.moved_from) + " => " + ShownPath(change.path) + " (" +
              Printable(DescribeMove(change)) + ")\n";
    }
  }
  return text;
}

Outcome ShowAll(const Stage& stage, const ChangeList& changes, const StageOptions& options) {
  if (options.json) {
    PrintJson({{"id", stage.record().id}, {"changes", ChangesJson(stage, changes)}});
    return 0;
  }
  std::string text = options.stat ? StatText(stage, changes) : "";
  for (const Change& change : changes) {
    if (options.stat) break;
    if (options.name_only) {
      text += PathLine(change.path) + "\n";
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
  if (change.is_attributes_only()) return "attributes";
  return change.is_mode_only() ? "mode" : "modified";
}

OrderedJson ChangesJson(const Stage& stage, const ChangeList& changes) {
  return JsonArray(changes, [&stage](const Change& c) { return ChangeJson(stage, c); });
}

void AddWhatStays(const StagePlan& plan, OrderedJson& json) {
  json["conflicts"] = WhyJson(plan.merge, ChangeAction::kConflict);
  json["held_back"] = WhyJson(plan.merge, ChangeAction::kHold);
  json["not_applied"] = WhyJson(plan.merge, ChangeAction::kSkip);
  json["branches"] = JsonArray(plan.branches, [](const StagedBranch& branch) -> OrderedJson {
    return {{"repository", branch.repository},
            {"name", branch.name},
            {"commit", branch.commit},
            {"becomes", branch.becomes}};
  });
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
