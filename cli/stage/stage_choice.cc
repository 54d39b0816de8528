#include "cli/stage/stage_choice.h"

#include <algorithm>
#include <utility>

#include "base/contains.h"
#include "base/environment.h"
#include "base/text.h"
#include "cli/common/assumed_folder.h"
#include "policy/files/real_files.h"
#include "run/messages.h"
#include "run/typed_context.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

std::string JoinedIds(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += (text.empty() ? "" : ", ") + id;
  return text;
}

// The ids of the stages whose project contains the current directory.
Result<std::vector<std::string>> StagesHere(const StageStore& store) {
  const Path here = Path::Clean(CurrentDirectory());
  Result<std::vector<std::string>> ids = store.Ids();
  if (!ids) return ids;
  std::erase_if(*ids, [&](const std::string& id) {
    const Result<StageFolder> folder = store.Open(id);
    if (!folder) return true;
    const Result<StageRecord> record = folder->Load();
    return !record || !here.IsInside(record->project);
  });
  return ids;
}

// For a stage that was found without its ID: says which one it is, unless the user is in its
// project's own directory.
void SayWhich(const StageStore& store, const std::string& id) {
  const Result<StageFolder> folder = store.Open(id);
  const Result<StageRecord> record = folder ? folder->Load() : folder.error();
  if (!record || Path::Clean(CurrentDirectory()) == record->project) return;
  Say("note: this is stage " + id + " of the project " + Quote(record->project.text()));
}

Result<std::string> FindId(const StageStore& store, const std::string& id) {
  Result<std::vector<std::string>> ids = id.empty() ? StagesHere(store) : store.Ids();
  if (!ids) return ids.error();
  std::erase_if(*ids, [&id](const std::string& known) { return !known.starts_with(id); });
  if (ids->size() == 1) {
    if (id.empty()) SayWhich(store, ids->front());
    return ids->front();
  }
  constexpr const char* kList = "ringfence stage list shows the stages";
  if (id.empty() && ids->empty()) {
    return UsageError("", "this project has no stage", kList);
  }
  if (id.empty()) {
    return UsageError("", "this project has several stages: " + JoinedIds(*ids),
                      "name one of them");
  }
  if (ids->empty()) return UsageError("", "no stage is named " + Quote(id), kList);
  return UsageError("", Quote(id) + " can mean several stages: " + JoinedIds(*ids),
                    "give more of the ID");
}

}  // namespace

Result<StageStore> FindStages(Registration given) {
  const RealFiles disk;
  const AssumedFolder files(disk, kNowhere);
  given.root.clear();
  given.project_dir = kNowhere;
  // A policy that cannot be read hides no stage.
  const Result<Places> places = FindTypedPlaces(std::move(given), files);
  if (!places) return places.error();
  const Path folder = StagesFolder(*places);
  if (!folder.is_root()) return StageStore(folder);
  return UsageError("HOME", "no home directory is known", "name your home directory: --home DIR");
}

Status TakePathForId(const StageStore& store, StageOptions& options, const ChangesPath& changes) {
  if (options.id.empty()) return Unit{};
  const Result<std::vector<std::string>> ids = store.Ids();
  if (!ids) return ids.error();
  const auto is_meant = [&](const std::string& id) { return id.starts_with(options.id); };
  const bool can_be_id = std::ranges::any_of(*ids, is_meant);
  if (can_be_id && Contains(*ids, options.id)) return Unit{};
  const Result<std::vector<std::string>> here = StagesHere(store);
  if (!here || here->size() != 1) return Unit{};
  // The IDs of other projects' stages are random, too.
  if (can_be_id && (is_meant(here->front()) || !changes(here->front(), options.id))) return Unit{};
  options.paths.insert(options.paths.begin(), std::move(options.id));
  options.id = here->front();
  SayWhich(store, options.id);
  return Unit{};
}

Result<StageFolder> ChooseFolder(const StageStore& store, const std::string& id) {
  const Result<std::string> found = FindId(store, id);
  return found ? store.Open(*found) : found.error();
}

Result<Stage> ChooseStage(const StageStore& store, const std::string& id) {
  Result<StageFolder> folder = ChooseFolder(store, id);
  if (!folder) return folder.error();
  return Stage::Open(std::move(*folder));
}

}  // namespace ringfence
