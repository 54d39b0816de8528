// Compares MatchPattern with a simple, slow matcher. The input is a byte of options, a pattern, a
// line feed and a text; both are short enough for the slow matcher to finish.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/case_fold.h"
#include "fuzz/require.h"
#include "tests/support/slow_match.h"

using namespace ringfence;

namespace {

constexpr size_t kMostPattern = 32;
constexpr size_t kMostText = 24;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t end = std::min(input.find('\n'), input.size());
  const std::string_view pattern = input.substr(0, std::min(end, kMostPattern));
  std::string text(input.substr(std::min(end + 1, input.size())).substr(0, kMostText));
  const MatchOptions options{.fold = (data[0] & 1) != 0, .covers = (data[0] & 2) != 0};
  if (options.fold) text = FoldName(text);
  const bool matches = MatchPattern(pattern, text, options);
  Require(matches == SlowMatch(pattern, text, options));
  // A pattern that a policy may not contain matches nothing.
  if (matches) Require(CheckPattern(pattern).has_value());
  // A pattern that matches a path also matches it with `covers`.
  if (matches) Require(MatchPattern(pattern, text, {.fold = options.fold, .covers = true}));
  return 0;
}
