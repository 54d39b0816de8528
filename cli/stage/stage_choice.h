// Finds the stage that the user means.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "cli/stage/stage_options.h"
#include "policy/places.h"
#include "staging/stage.h"
#include "staging/store/stage_store.h"

namespace ringfence {

// The stages of the user whose home is given.
Result<StageStore> FindStages(Registration given);

// What a command without an ID is about, if the project has several stages.
enum class StagePart : unsigned char { kChanges, kApply };

// `id` can be shortened. Empty, it means the only stage of the project around the current
// directory, or the only one that has changes to apply, or is applied. An error lists the stages
// that could be meant.
Result<StageFolder> ChooseFolder(const StageStore& store, const std::string& id,
                                 StagePart part = StagePart::kChanges);
Result<Stage> ChooseStage(const StageStore& store, const std::string& id,
                          StagePart part = StagePart::kChanges);

// Stage::Open(), whose error says so if the project was moved or removed.
Result<Stage> OpenStage(StageFolder folder);

// True if the stage changes the path.
using ChangesPath = std::function<bool(const std::string& id, const std::string& path)>;

// If an empty ID would mean one stage, `options.id` becomes the first of `options.paths` instead,
// unless it is an id or begins one. The beginning of an id of another project's stage is a path as
// well if the stage changes it. A path that looks like an id is written "./PATH".
Status TakePathForId(const StageStore& store, StageOptions& options, const ChangesPath& changes);

}  // namespace ringfence
