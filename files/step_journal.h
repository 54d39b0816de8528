// The text of a transaction's journal, and of a list of files, each with a digest.
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

// The same for what a directory contains.
std::string RenderContents(const Contents& contents);
Result<Contents> ParseContents(std::string_view text, const std::string& name);

}  // namespace ringfence
