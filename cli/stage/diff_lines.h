// The lines of a unified diff, with their numbers in both files.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace ringfence {

struct DiffLine {
  enum class Kind : unsigned char {
    kHunk,     // "@@ -1,2 +1,3 @@"
    kContext,  // in both files
    kRemoved,  // only in the old file
    kAdded,    // only in the new one
    kNote,     // "\ No newline at end of file"
  };
  Kind kind = Kind::kContext;
  size_t old_number = 0, new_number = 0;  // 0: not in this file
  std::string_view text;                  // without the sign in front and the newline

  bool operator==(const DiffLine&) const = default;
};

// Leaves out what is not in a hunk. The lines of a hunk are counted, so that no content of a file
// is taken for a header. The result points into `diff`.
std::vector<DiffLine> DiffLines(std::string_view diff);

}  // namespace ringfence
