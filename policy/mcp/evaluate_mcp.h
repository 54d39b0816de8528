// Evaluates the arguments of an MCP tool. Those that the policy or a map names are paths; any other
// string is a path if its value looks like one, because argument names say little.
#pragma once

#include "policy/evaluate/evaluate_argument.h"
#include "policy/files/cached_files.h"
#include "policy/places.h"

namespace ringfence {

void EvaluateMcp(const Event& event, const Places& places, const CachedFiles& files,
                 ArgumentEvaluator& arguments);

}  // namespace ringfence
