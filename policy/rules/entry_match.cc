#include "policy/rules/entry_match.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/case_fold.h"
#include "base/path.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

// True if `rest` is at or below `word`, in which "*" is any one name; for an ancestor, also if it
// is on the way to `word`.
bool CoversNames(std::string_view word, std::string_view rest, PathRole standing) {
  for (;;) {
    const std::string_view want = TakeComponent(word);
    if (want.empty()) return true;
    const std::string_view name = TakeComponent(rest);
    if (name.empty()) return standing == PathRole::kAncestor;
    if (want != "*" && FoldName(want) != name) return false;
  }
}

}  // namespace

bool Covers(std::string_view tail, std::string_view rest) {
  if (tail.empty()) return true;
  return rest.starts_with(tail) && (rest.size() == tail.size() || rest[tail.size()] == '/');
}

bool CoversFolded(std::string_view tail, std::string_view rest) {
  for (size_t i = 0; i < tail.size(); ++i) {
    if (!IsAscii(tail[i])) return Covers(FoldName(tail), rest);
    if (i >= rest.size() || ToLower(tail[i]) != rest[i]) return false;
  }
  return tail.empty() || rest.size() == tail.size() || rest[tail.size()] == '/';
}

// Folds letters beyond ASCII in the pattern itself; MatchPattern folds the other letters.
bool MatchFolded(std::string_view pattern, std::string_view rest) {
  constexpr MatchOptions kOptions{.fold = true, .covers = true};
  if (std::ranges::all_of(pattern, IsAscii)) return MatchPattern(pattern, rest, kOptions);
  return MatchPattern(FoldName(pattern), rest, kOptions);
}

bool IsException(WordList except, std::string_view rest, PathRole standing) {
  for (const std::string_view word : except) {
    if (CoversNames(word, rest, standing)) return true;
  }
  return false;
}

bool MatchFoldedUnless(WordList except, std::string_view pattern, std::string_view rest) {
  if (except.empty()) return MatchFolded(pattern, rest);
  const std::string_view wanted = pattern.substr(pattern.rfind('/') + 1);
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if (!MatchFolded(wanted, name)) continue;
    bool is_left_out = false;
    for (const std::string_view other : except) is_left_out |= MatchFolded(other, name);
    if (!is_left_out) return true;
  }
  return false;
}

TailParts SplitTail(const SetEntry& entry) {
  if (!entry.has_pattern) return {entry.tail, ""};
  std::string_view rest = entry.tail;
  while (!rest.empty()) {
    std::string_view after = rest;
    if (HasPattern(TakeComponent(after))) break;
    after.remove_prefix(std::min<size_t>(1, after.size()));
    rest = after;
  }
  std::string_view fixed = entry.tail.substr(0, entry.tail.size() - rest.size());
  if (fixed.ends_with('/')) fixed.remove_suffix(1);
  return {fixed, rest};
}

std::optional<SetEntry> AtTop(const SetEntry& entry) {
  constexpr std::string_view kAnyFolder = "**/";
  if (!entry.tail.starts_with(kAnyFolder)) return {};
  SetEntry top = entry;
  top.tail.remove_prefix(kAnyFolder.size());
  top.has_pattern = HasPattern(top.tail);
  if (top.has_pattern) return {};
  return top;
}

EntryPrefix FixedPrefix(const SetEntry& entry, const Path& base) {
  const TailParts parts = SplitTail(entry);
  return {parts.fixed.empty() ? base : base.Child(parts.fixed), parts.pattern};
}

}  // namespace ringfence
