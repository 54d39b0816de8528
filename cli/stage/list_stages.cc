#include "cli/stage/list_stages.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/stage/stage_choice.h"
#include "run/messages.h"
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

ListedStage ListedWith(const Stage& stage) {
  const StageRecord& record = stage.record();
  const Result<ChangeList> changes = stage.Changes();
  ListedStage listed{.started = record.started,
                     .id = record.id,
                     .state = StateText(stage),
                     .age = AgeText(record.started),
                     .changes = changes ? std::to_string(changes->size()) : "?",
                     .project = record.project.text(),
                     .command = CommandText(record)};
  listed.json = {{"id", record.id},
                 {"state", listed.state},
                 {"project", record.project.text()},
                 {"command", record.command},
                 {"mechanism", MechanismName(record.mechanism)},
                 {"status", record.status}};
  listed.json["changes"] = changes ? OrderedJson(changes->size()) : OrderedJson();
  return listed;
}

}  // namespace

std::string CommandText(const StageRecord& record) {
  std::string text;
  for (const std::string& word : record.command) {
    const bool is_plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`") == word.npos;
    text += (text.empty() ? "" : " ") + (is_plain ? word : ShellQuoted(word));
  }
  return text;
}

std::string StateText(const Stage& stage) {
  if (stage.is_running()) return stage.folder().PausedFor().empty() ? "running" : "paused";
  if (stage.is_dirty()) return "dirty";
  if (stage.record().state == StageState::kRunning) return "interrupted";
  const Result<ApplyNumbers> applies = FindApplies(stage.folder());
  return applies && !applies->applied.empty() ? "applied" : "ended";
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
    Result<Stage> stage = Stage::Open(std::move(*folder));
    if (stage) {
      stages.push_back(ListedWith(*stage));
    } else {
      Say("warning: stage " + id + ": " + Printable(stage.error().text()));
    }
  }
  std::ranges::sort(stages, {}, &ListedStage::started);
  if (options.json) {
    PrintJson({{"stages", JsonArray(stages, [](const ListedStage& s) { return s.json; })}});
    return 0;
  }
  const Console console;
  if (stages.empty()) console.Line("no stages: ringfence stage run -- COMMAND makes one");
  for (const ListedStage& stage : stages) {
    constexpr size_t kStateWidth = 12;
    constexpr size_t kAgeWidth = 8;
    console.Line(stage.id + "  " + Padded(stage.state, kStateWidth) + Padded(stage.age, kAgeWidth) +
                 Padded(stage.changes + " changes", 14) + Printable(stage.project) + ": " +
                 Printable(CutText(stage.command, 60)));
  }
  return 0;
}

}  // namespace ringfence
