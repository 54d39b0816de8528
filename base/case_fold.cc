#include "base/case_fold.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

namespace ringfence {
namespace {

struct Run {
  uint32_t first, last, step;
  int32_t delta;
};

constexpr Run kRuns[] = {
#include "base/case_fold_table.inc"
};

char LowerByte(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

uint32_t FoldCodePoint(uint32_t value) {
  if (value < 0x80) return value >= 'A' && value <= 'Z' ? value + ('a' - 'A') : value;
  const Run* run = std::lower_bound(std::begin(kRuns), std::end(kRuns), value,
                                    [](const Run& r, uint32_t v) { return r.last < v; });
  if (run == std::end(kRuns) || value < run->first) return value;
  if ((value - run->first) % run->step != 0) return value;
  return static_cast<uint32_t>(static_cast<int64_t>(value) + run->delta);
}

// The code points that HFS+ leaves out when it compares names (Apple TN1150; git ignores the same).
bool IsIgnoredInNames(uint32_t value) {
  return (value >= 0x200C && value <= 0x200F) || (value >= 0x202A && value <= 0x202E) ||
         (value >= 0x206A && value <= 0x206F) || value == 0x200B || value == 0xFEFF;
}

// Takes one unit off `name` and appends what is left of it to `out`.
void FoldOne(std::string_view& name, std::string& out) {
  const CodePoint point = DecodeUtf8(name);
  if (point.length == 0) {
    out.push_back(name[0]);
    name.remove_prefix(1);
    return;
  }
  if (!IsIgnoredInNames(point.value)) AppendUtf8(out, FoldCodePoint(point.value));
  name.remove_prefix(point.length);
}

}  // namespace

std::string FoldName(std::string_view name) {
  std::string out(name);
  size_t size = 0;
  while (size < name.size() && static_cast<unsigned char>(name[size]) < 0x80) {
    out[size] = LowerByte(name[size]);
    ++size;
  }
  out.resize(size);
  name.remove_prefix(size);
  while (!name.empty()) FoldOne(name, out);
  return out;
}

bool FoldsTo(std::string_view name, std::string_view folded) {
  size_t i = 0;
  for (; i < name.size(); ++i) {
    if (static_cast<unsigned char>(name[i]) >= 0x80) break;
    if (i >= folded.size() || LowerByte(name[i]) != folded[i]) return false;
  }
  if (i == name.size()) return folded.size() == i;
  return FoldName(name.substr(i)) == folded.substr(i);
}

}  // namespace ringfence
