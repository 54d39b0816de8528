#include "base/case_fold.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/ascii.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

struct FoldRun {
  uint32_t first, last, step;
  int32_t delta;
};

constexpr FoldRun kRuns[] = {
#include "base/case_fold_table.inc"
};

struct Expansion {
  uint32_t value;
  std::string_view folded;
};

constexpr Expansion kExpansions[] = {
#include "base/case_fold_expansions.inc"
};

// Default_Ignorable_Code_Point (DerivedCoreProperties.txt): ext4 with casefold ignores these when
// it compares names; HFS+ ignores some of them (Apple TN1150).
constexpr CodeRange kIgnored[] = {
    {0xAD, 0xAD},       {0x34F, 0x34F},    {0x61C, 0x61C},   {0x115F, 0x1160}, {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x200B, 0x200F},  {0x202A, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},  {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

uint32_t FoldCodePoint(uint32_t value) {
  if (value < 0x80) return ToLower(value);
  const FoldRun* run = std::lower_bound(std::begin(kRuns), std::end(kRuns), value,
                                        [](const FoldRun& r, uint32_t v) { return r.last < v; });
  if (run == std::end(kRuns) || value < run->first) return value;
  if ((value - run->first) % run->step != 0) return value;
  return static_cast<uint32_t>(static_cast<int64_t>(value) + run->delta);
}

void AppendFolded(uint32_t value, std::string& out) {
  const Expansion* expansion = std::ranges::lower_bound(kExpansions, value, {}, &Expansion::value);
  if (expansion != std::end(kExpansions) && expansion->value == value) {
    out += expansion->folded;
  } else {
    AppendUtf8(out, FoldCodePoint(value));
  }
}

// Removes the first code point (or invalid byte) from `name` and appends its fold to `out`.
void FoldOne(std::string_view& name, std::string& out) {
  const CodePoint point = DecodeUtf8(name);
  if (point.length == 0) {
    out.push_back(name[0]);
    name.remove_prefix(1);
    return;
  }
  if (!IsInRange(point.value, kIgnored)) AppendFolded(point.value, out);
  name.remove_prefix(point.length);
}

}  // namespace

std::string FoldName(std::string_view name) {
  std::string out(name);
  size_t size = 0;
  while (size < name.size() && static_cast<unsigned char>(name[size]) < 0x80) {
    out[size] = ToLower(name[size]);
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
    if (i >= folded.size() || ToLower(name[i]) != folded[i]) return false;
  }
  if (i == name.size()) return folded.size() == i;
  return FoldName(name.substr(i)) == folded.substr(i);
}

}  // namespace ringfence
