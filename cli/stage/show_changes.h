// Shows the changes of a stage: `ringfence stage diff`, and the JSON of other commands.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json.h"
#include "base/outcome.h"
#include "cli/stage/plan_apply.h"
#include "cli/stage/stage_options.h"
#include "staging/change_list.h"
#include "staging/stage.h"

namespace ringfence {

// "added", "removed", "mode", "attributes" or "modified".
std::string_view ChangeWord(const Change& change);

// [{"path", "change": ChangeWord(), "moved_from", "what": see DescribeChange()}], "moved_from" only
// for what was moved. A path that is not UTF-8 is also in "path_encoded" or "moved_from_encoded",
// with all of its unusual bytes as "%" and two digits.
OrderedJson ChangesJson(const Stage& stage, const ChangeList& changes);

// Adds "conflicts", "held_back" and "not_applied", each with [{"path", "why"}], and the "branches"
// that commits become.
void AddWhatStays(const StagePlan& plan, OrderedJson& json);

Outcome ShowDiff(const StageOptions& options);

}  // namespace ringfence
