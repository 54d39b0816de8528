// Three-way merge of texts: the sides can be exchanged, a side without changes gives the other one,
// and nothing merged is in conflict with itself. The input has the three texts, with the byte 0x1E
// between them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "fuzz/require.h"
#include "staging/text_diff.h"
#include "staging/text_merge.h"

using namespace ringfence;

namespace {

MergedText Merged(std::string_view base, std::string_view project, std::string_view staged) {
  Result<MergedText> merged = MergeTexts({base, project, staged});
  Require(merged.has_value());
  return std::move(*merged);
}

void CheckOneSided(std::string_view base, std::string_view changed) {
  for (const MergedText& merged :
       {Merged(base, changed, base), Merged(base, base, changed), Merged(base, changed, changed)}) {
    Require(merged.is_clean && merged.text == changed);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr char kEnd = 0x1E;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view base = TakeUntil(rest, kEnd);
  const std::string_view project = TakeUntil(rest, kEnd);
  const std::string_view staged = rest;
  if (IsBinary(base) || IsBinary(project) || IsBinary(staged)) return 0;  // are never merged
  CheckOneSided(base, project);
  CheckOneSided(base, staged);
  const MergedText merged = Merged(base, project, staged);
  const MergedText other = Merged(base, staged, project);
  Require(merged.is_clean == other.is_clean);
  Require(!merged.is_clean || merged.text == other.text);
  return 0;
}
