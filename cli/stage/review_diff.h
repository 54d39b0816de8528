// Diffs as HTML, for the page of `ringfence stage review`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "staging/text_diff.h"

namespace ringfence {

struct ShownDiff {
  std::string html;  // "" if the diff has no lines
  LineCounts counts;
  bool is_cut = false;
};

struct DiffLimits {
  size_t bytes = 0;       // of the markup
  size_t line_bytes = 0;  // of a line of the file
};

// Shows the hunks of a unified diff. The lines beyond the limit are only counted.
ShownDiff ShowDiffLines(std::string_view diff, const DiffLimits& limits);

// Shows a text with numbers of lines.
ShownDiff ShowTextLines(std::string_view text, const DiffLimits& limits);

}  // namespace ringfence
