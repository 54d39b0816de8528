#include "cli/stage/diff_lines.h"

#include "base/read_number.h"
#include "base/text.h"

namespace ringfence {
namespace {

// The next line of each file, and how many lines of each the hunk still has.
struct Hunk {
  size_t old_next = 0, new_next = 0;
  size_t old_left = 0, new_left = 0;

  bool is_open() const { return old_left > 0 || new_left > 0; }
};

// Reads "12,3" or "12", which means "12,1".
bool ReadRange(std::string_view text, size_t& first, size_t& count) {
  uint64_t begin = 0;
  uint64_t length = 1;
  const size_t comma = text.find(',');
  if (!ReadNumber(text.substr(0, comma), begin)) return false;
  if (comma != text.npos && !ReadNumber(text.substr(comma + 1), length)) return false;
  first = begin;
  count = length;
  return true;
}

// Reads "@@ -1,2 +1,3 @@ ...".
bool ReadHunk(std::string_view line, Hunk& hunk) {
  if (TakeUntil(line, ' ') != "@@") return false;
  const std::string_view before = TakeUntil(line, ' ');
  const std::string_view after = TakeUntil(line, ' ');
  return before.starts_with('-') && after.starts_with('+') &&
         ReadRange(before.substr(1), hunk.old_next, hunk.old_left) &&
         ReadRange(after.substr(1), hunk.new_next, hunk.new_left);
}

// A line of the hunk.
DiffLine TakeLine(std::string_view line, Hunk& hunk) {
  using enum DiffLine::Kind;
  const char sign = line.empty() ? ' ' : line.front();
  DiffLine taken{.kind = sign == '-'   ? kRemoved
                         : sign == '+' ? kAdded
                                       : kContext,
                 .text = line.substr(line.empty() ? 0 : 1)};
  if (taken.kind != kAdded && hunk.old_left > 0) {
    taken.old_number = hunk.old_next++;
    --hunk.old_left;
  }
  if (taken.kind != kRemoved && hunk.new_left > 0) {
    taken.new_number = hunk.new_next++;
    --hunk.new_left;
  }
  return taken;
}

}  // namespace

std::vector<DiffLine> DiffLines(std::string_view diff) {
  std::vector<DiffLine> lines;
  Hunk hunk;
  while (!diff.empty()) {
    const std::string_view line = TakeUntil(diff, '\n');
    Hunk next;
    if (line.starts_with('\\') && !lines.empty()) {
      lines.push_back({.kind = DiffLine::Kind::kNote, .text = line.substr(1)});
    } else if (hunk.is_open()) {
      lines.push_back(TakeLine(line, hunk));
    } else if (ReadHunk(line, next)) {
      hunk = next;
      lines.push_back({.kind = DiffLine::Kind::kHunk, .text = line});
    }
  }
  return lines;
}

}  // namespace ringfence
