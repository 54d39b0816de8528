// The text of a transaction's journal: its steps, with a digest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/done_step.h"

namespace ringfence {

std::string RenderSteps(const std::vector<DoneStep>& steps);
// `name` is the journal's name in errors.
Result<std::vector<DoneStep>> ParseSteps(std::string_view text, const std::string& name);

}  // namespace ringfence
