// The filter: one line out for each line in, each by itself, whatever came before it.
#pragma once

#include <string>
#include <string_view>

#include "base/outcome.h"
#include "cli/replay/line_chunks.h"
#include "cli/replay/replayed_call.h"

namespace ringfence {

struct FilterQuestion {
  ReplayQuestion calls;
  size_t jobs = 1;
  LineChunks::Sizes sizes;
};

// What is said about one line, with its newline. "calls" is always there:
//   {"calls":[{"id":..,"tool":..,"verdict":..,"rule":{..},"what":..,"why":..}]}
//   {"calls":[],"error":"byte 17: the document ends too early"}
std::string FilteredLine(std::string_view line, ReplayedCalls& calls);

// From one descriptor to the other, until the end.
Outcome FilterLines(const FilterQuestion& question, int in, int out);

}  // namespace ringfence
