// Three-way merge of texts, by libgit2.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ringfence {

struct MergedText {
  std::string text;  // with conflict markers if it is not clean
  bool is_clean = false;
};

// The three versions of a text, and what conflict markers call two of them.
struct TextVersions {
  std::string_view base;
  std::string_view project;  // "working tree"
  std::string_view staged;   // "stage"
};

// Larger texts are not merged.
constexpr size_t kMaxMerged = size_t{16} << 20;

Result<MergedText> MergeTexts(const TextVersions& versions);

}  // namespace ringfence
