#include "policy/rules/command_pattern.h"

#include <vector>

#include "base/text.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

bool HasSlash(std::string_view word) { return word.find('/') != word.npos; }

}  // namespace

bool MatchCommand(std::string_view pattern, std::span<const std::string> words) {
  std::vector<std::string> globs = SplitWords(pattern);
  if (globs.empty() || words.empty()) return false;
  if (HasSlash(words.front()) && !HasSlash(globs.front())) return false;
  const bool is_open = globs.size() > 1 && globs.back() == "*";
  if (is_open) globs.pop_back();
  if (is_open ? words.size() < globs.size() : words.size() != globs.size()) return false;
  for (size_t i = 0; i < globs.size(); ++i) {
    if (!MatchName(globs[i], words[i])) return false;
  }
  return true;
}

}  // namespace ringfence
