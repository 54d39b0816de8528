#include "cli/stage/list_stages.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit_log/line.h"
#include "base/ascii.h"
#include "base/json.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/stage/stage_choice.h"
#include "run/messages.h"
#include "staging/repository_changes.h"
#include "staging/stage.h"
#include "staging/undo.h"

namespace ringfence {
namespace {

std::string AgeText(int64_t started) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t seconds = std::max<int64_t>(0, (Nanoseconds(CLOCK_REALTIME) - started) / kSecond);
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 3600) return std::to_string(seconds / 60) + " min";
  if (seconds < 86400) return std::to_string(seconds / 3600) + " h";
  return Counted(static_cast<size_t>(seconds / 86400), "day");
}

struct ListedStage {
  int64_t started = 0;
  std::string id;
  std::string state;
  std::string age;
  std::string changes;
  OrderedJson json;
  std::string project, command;
};

// `changes` is their number; nothing if it is unknown.
ListedStage StageLine(const StageRecord& record, std::string state, std::optional<size_t> changes) {
  ListedStage listed{.started = record.started,
                     .id = record.id,
                     .state = std::move(state),
                     .age = AgeText(record.started),
                     .changes = changes ? std::to_string(*changes) : "?",
                     .project = record.project.text(),
                     .command = CommandText(record)};
  listed.json = {{"id", record.id},
                 {"state", listed.state},
                 {"project", record.project.text()},
                 {"command", record.command},
                 {"started", AuditTime(record.started)},
                 {"mechanism", MechanismName(record.mechanism)}};
  const bool has_ended = record.state == StageState::kEnded;
  listed.json["status"] = has_ended ? OrderedJson(record.status) : OrderedJson();
  listed.json["changes"] = changes ? OrderedJson(*changes) : OrderedJson();
  return listed;
}

// A repository with new commits counts as one change. Git's own state, such as its index, is never
// applied, so it is not left over from an apply.
std::optional<size_t> CountChanges(const Stage& stage, bool is_applied) {
  const Result<ChangeList> changes = stage.Changes();
  if (!changes) return {};
  size_t count = 0;
  std::set<std::string_view> repositories;
  for (const Change& change : *changes) {
    const std::string_view repository = GitFolderOf(change.path);
    const bool is_gits = !repository.empty() && repository != change.path;
    const bool counts = is_gits ? !is_applied && repositories.insert(repository).second : true;
    if (counts) ++count;
  }
  return count;
}

ListedStage ListedWith(const Stage& stage) {
  std::string state = StateText(stage);
  const std::optional<size_t> changes = CountChanges(stage, state.ends_with("applied"));
  return StageLine(stage.record(), std::move(state), changes);
}

// A stage that cannot be opened, for this reason. Nothing if it was removed meanwhile, or if what
// is left of it is not a stage.
std::optional<ListedStage> ListedWithout(const StageStore& store, const std::string& id,
                                         const Error& error) {
  const Result<StageFolder> folder = store.Open(id);
  const Result<StageRecord> record = folder ? folder->Load() : folder.error();
  if (!folder) return {};
  const bool is_lost = record && record->buffer_process != 0 && !folder->IsInUse();
  if (is_lost) return StageLine(*record, "lost", 0);
  Say("warning: stage " + id + ": " + Printable(error.text()));
  if (!record) return {};
  return StageLine(*record, "unusable", std::nullopt);
}

}  // namespace

std::string ShellWord(const std::string& word) {
  const auto is_plain = [](char c) {
    return IsAlnum(c) || std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
  };
  return !word.empty() && std::ranges::all_of(word, is_plain) ? word : ShellQuoted(word);
}

std::string CommandText(const StageRecord& record) {
  std::string text;
  for (const std::string& word : record.command) {
    text += (text.empty() ? "" : " ") + ShellWord(word);
  }
  return text;
}

std::string StateText(const Stage& stage) {
  if (stage.is_running()) return stage.folder().PausedFor().empty() ? "running" : "paused";
  if (stage.is_dirty()) return "dirty";
  if (stage.record().state == StageState::kRunning) return "interrupted";
  const Result<ApplyNumbers> applies = FindApplies(stage.folder());
  if (!applies || applies->applied.empty()) return "ended";
  const Result<bool> has_more = HasUnapplied(stage);
  return has_more && !*has_more ? "applied" : "partly applied";
}

Outcome ListStages(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  const Result<std::vector<std::string>> ids = store->Ids();
  if (!ids) return ids.error();
  std::vector<ListedStage> stages;
  for (const std::string& id : *ids) {
    Result<StageFolder> folder = store->Open(id);
    if (!folder) continue;  // removed meanwhile
    Result<Stage> stage = OpenStage(std::move(*folder));
    std::optional<ListedStage> listed =
        stage ? ListedWith(*stage) : ListedWithout(*store, id, stage.error());
    if (listed) stages.push_back(std::move(*listed));
  }
  std::ranges::sort(stages, {}, &ListedStage::started);
  if (options.json) {
    PrintJson({{"stages", JsonArray(stages, [](const ListedStage& s) { return s.json; })}});
    return 0;
  }
  const Console console;
  if (stages.empty()) console.Line("no stages: ringfence stage run -- COMMAND makes one");
  for (const ListedStage& stage : stages) {
    constexpr size_t kStateWidth = 16;
    constexpr size_t kAgeWidth = 8;
    console.Line(stage.id + "  " + Padded(stage.state, kStateWidth) + Padded(stage.age, kAgeWidth) +
                 Padded(stage.changes + (stage.changes == "1" ? " change" : " changes"), 14) +
                 PrintableName(stage.project) + ": " + PrintableName(CutText(stage.command, 60)));
  }
  return 0;
}

}  // namespace ringfence
