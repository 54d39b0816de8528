#include "cli/stage/stage_choice.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/contains.h"
#include "base/environment.h"
#include "base/text.h"
#include "cli/common/assumed_folder.h"
#include "policy/files/real_files.h"
#include "run/messages.h"
#include "run/typed_context.h"
#include "sandbox/private_folders.h"
#include "staging/undo.h"

namespace ringfence {
namespace {

constexpr const char* kList = "ringfence stage list shows the stages";

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

// False if the stage has only what the command is not about. What cannot be read can be meant.
bool HasPart(const StageStore& store, const std::string& id, StagePart part) {
  Result<StageFolder> folder = store.Open(id);
  const Result<ApplyNumbers> numbers = folder ? FindApplies(*folder) : folder.error();
  if (!numbers) return true;
  if (part == StagePart::kApply) return !numbers->applied.empty();
  if (numbers->applied.empty()) return true;
  const Result<Stage> stage = Stage::Open(std::move(*folder));
  const Result<bool> has_more = stage ? HasUnapplied(*stage) : stage.error();
  return !has_more || *has_more;
}

// The stages that are meant without an ID.
struct Meant {
  std::vector<std::string> ids;
  bool has_others = false;  // that the project has as well
};

Result<Meant> FindMeant(const StageStore& store, StagePart part) {
  Result<std::vector<std::string>> ids = StagesHere(store);
  if (!ids) return ids.error();
  Meant meant{.ids = *ids};
  if (ids->size() > 1) {
    std::erase_if(meant.ids, [&](const std::string& id) { return !HasPart(store, id, part); });
  }
  if (meant.ids.empty()) meant.ids = std::move(*ids);
  meant.has_others = meant.ids.size() < ids->size();
  return meant;
}

// For a stage that was found without its ID: says which one it is, unless it is the only one of the
// project and the user is in the project's own directory.
void SayWhich(const StageStore& store, const Meant& meant, StagePart part) {
  const std::string& id = meant.ids.front();
  const Result<StageFolder> folder = store.Open(id);
  const Result<StageRecord> record = folder ? folder->Load() : folder.error();
  if (!record) return;
  const bool is_inside = Path::Clean(CurrentDirectory()) != record->project;
  if (!is_inside && !meant.has_others) return;
  const char* only = part == StagePart::kApply ? "is applied" : "has changes to apply";
  Say("note: this is stage " + id +
      (is_inside ? " of the project " + Quote(record->project.text()) : "") +
      (meant.has_others ? std::string(", the only one that ") + only : ""));
}

Result<std::string> FindId(const StageStore& store, StagePart part) {
  const Result<Meant> meant = FindMeant(store, part);
  if (!meant) return meant.error();
  if (meant->ids.empty()) {
    return UsageError("", "this project has no stage", kList);
  }
  if (meant->ids.size() > 1) {
    return UsageError("", "this project has several stages: " + JoinedIds(meant->ids),
                      "name one of them");
  }
  SayWhich(store, *meant, part);
  return meant->ids.front();
}

Result<std::string> CompleteId(const StageStore& store, const std::string& id) {
  Result<std::vector<std::string>> ids = store.Ids();
  if (!ids) return ids.error();
  std::erase_if(*ids, [&id](const std::string& known) { return !known.starts_with(id); });
  if (ids->size() == 1) return ids->front();
  if (ids->empty()) return UsageError("", "no stage is named " + Quote(id), kList);
  return UsageError("", Quote(id) + " can mean several stages: " + JoinedIds(*ids),
                    "give more of the ID");
}

// The error for a project that was moved or removed since the stage began; nothing if it exists.
std::optional<Error> MissingProject(const StageRecord& record) {
  const std::string& project = record.project.text();
  struct stat facts {};
  const bool is_known = ::lstat(project.c_str(), &facts) == 0;
  const int code = is_known ? ENOTDIR : errno;
  const bool is_missing = is_known ? !S_ISDIR(facts.st_mode) : code == ENOENT || code == ENOTDIR;
  if (!is_missing) return {};
  const std::string what = is_known && S_ISLNK(facts.st_mode) ? "is a symbolic link now"
                           : is_known                         ? "is not a directory any more"
                                                              : "does not exist any more";
  return Error{
      Error::Kind::kSystem, project, "the project " + what,
      "move it back to this path, or remove the stage: ringfence stage discard " + record.id, code};
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
  const Result<Meant> here = FindMeant(store, StagePart::kChanges);
  const bool is_path = options.id.find_first_of("./") != options.id.npos;  // no ID has these
  if (here && here->ids.size() > 1 && is_path) {
    return UsageError("",
                      Quote(options.id) +
                          " is not a stage, and this project has several: " + JoinedIds(here->ids),
                      "put the ID of one of them before the path");
  }
  if (!here || here->ids.size() != 1) return Unit{};
  const std::string& only = here->ids.front();
  // The IDs of other projects' stages are random, too.
  if (can_be_id && (is_meant(only) || !changes(only, options.id))) return Unit{};
  options.paths.insert(options.paths.begin(), std::move(options.id));
  options.id = only;
  SayWhich(store, *here, StagePart::kChanges);
  return Unit{};
}

Result<StageFolder> ChooseFolder(const StageStore& store, const std::string& id, StagePart part) {
  const Result<std::string> found = id.empty() ? FindId(store, part) : CompleteId(store, id);
  return found ? store.Open(*found) : found.error();
}

Result<Stage> ChooseStage(const StageStore& store, const std::string& id, StagePart part) {
  Result<StageFolder> folder = ChooseFolder(store, id, part);
  if (!folder) return folder.error();
  return OpenStage(std::move(*folder));
}

Result<Stage> OpenStage(StageFolder folder) {
  if (const Result<StageRecord> record = folder.Load()) {
    if (std::optional<Error> missing = MissingProject(*record)) return std::move(*missing);
  }
  return Stage::Open(std::move(folder));
}

}  // namespace ringfence
