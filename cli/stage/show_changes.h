// Shows the changes of a stage: `ringfence stage diff`, and the JSON of other commands.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json.h"
#include "base/outcome.h"
#include "cli/stage/stage_options.h"
#include "staging/change_list.h"
#include "staging/stage.h"

namespace ringfence {

// "added", "removed", "mode" or "modified".
std::string_view ChangeWord(const Change& change);

// [{"path", "change": ChangeWord(), "what": see DescribeChange()}]
OrderedJson ChangesJson(const Stage& stage, const ChangeList& changes);

Outcome ShowDiff(const StageOptions& options);

}  // namespace ringfence
