#include "policy/mcp/name_words.h"

#include "base/ascii.h"
#include "base/text.h"

namespace ringfence {

std::string TakeNameWord(std::string_view& rest) {
  while (!rest.empty() && !IsLower(rest[0]) && !IsUpper(rest[0])) rest.remove_prefix(1);
  size_t size = 0;
  for (; size < rest.size() && (IsLower(rest[size]) || IsUpper(rest[size])); ++size) {
    if (size == 0 || !IsUpper(rest[size])) continue;
    const bool ends_capitals = size + 1 < rest.size() && IsLower(rest[size + 1]);
    if (IsLower(rest[size - 1]) || ends_capitals) break;
  }
  std::string word = LowerAscii(rest.substr(0, size));
  rest.remove_prefix(size);
  return word;
}

bool HoldsWord(std::string_view name, const WordList& words) {
  for (std::string word = TakeNameWord(name); !word.empty(); word = TakeNameWord(name)) {
    if (words.Contains(word)) return true;
  }
  return false;
}

}  // namespace ringfence
