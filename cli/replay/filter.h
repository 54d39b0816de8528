// The filter: writes one line for each line that it reads, independently of earlier lines.
#pragma once

#include <string>
#include <string_view>

#include "base/outcome.h"
#include "cli/replay/survey.h"

namespace ringfence {

// Returns the answer to one line, with its newline. It always has "calls":
//   {"calls":[{"id":..,"tool":..,"verdict":..,"rule":{..},"what":..,"why":..}]}
//   {"calls":[],"error":"byte 17: unexpected end of input"}
std::string FilteredLine(std::string_view line, ReplayedCalls& calls);

// Filters from one descriptor to the other, until the end of the input.
Outcome FilterLines(const SurveyQuestion& question, int in, int out);

}  // namespace ringfence
