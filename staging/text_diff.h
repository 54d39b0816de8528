// Line by line differences between two texts, by libgit2.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ringfence {

struct LineCounts {
  size_t added = 0;
  size_t removed = 0;

  bool operator==(const LineCounts&) const = default;
};

// Texts up to this size are compared by lines; larger files count as binary.
constexpr size_t kMaxDiffed = size_t{16} << 20;

// True if the beginning contains a NUL, as git decides.
bool IsBinary(std::string_view bytes);

// Texts with more lines are not compared: that takes minutes and gigabytes if a command has written
// millions of short lines.
constexpr size_t kMaxDiffedLines = 500'000;
bool HasTooManyLines(std::string_view text);

Result<LineCounts> CountLines(std::string_view before, std::string_view after);

// The hunks of a unified diff, from the first "@@" on; "" if the texts are the same.
Result<std::string> UnifiedHunks(std::string_view before, std::string_view after);

}  // namespace ringfence
