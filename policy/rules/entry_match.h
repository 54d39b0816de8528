// Compares the tail of a rule's entry with a path relative to the entry's base.
#pragma once

#include <optional>
#include <string_view>

#include "base/path.h"
#include "policy/rules/sets.h"

namespace ringfence {

// True if `rest` equals `tail` or is below it.
bool Covers(std::string_view tail, std::string_view rest);

// The same in any letter case; `rest` is already folded (FoldName).
bool CoversFolded(std::string_view tail, std::string_view rest);

// The same for a pattern instead of a plain tail; `rest` is already folded.
bool MatchFolded(std::string_view pattern, std::string_view rest);

// True if `except` excludes `rest`, the folded text after the path of an entry. For an ancestor,
// also true on the way to an excluded path.
bool IsException(WordList except, std::string_view rest, PathRole standing = PathRole::kTarget);

// MatchFolded() for a pattern "**/NAME", without the names in `except`.
bool MatchFoldedUnless(WordList except, std::string_view pattern, std::string_view rest);

// Returns `path` up to and including the first component that is named in `folders`, or all of it.
// Components of `root` do not count: a project is not a package to those who work on it.
template <typename Names>
std::string_view OutsideFolders(std::string_view path, const Names& folders,
                                std::string_view root) {
  for (std::string_view rest = path.substr(Covers(root, path) ? root.size() : 0);;) {
    const std::string_view name = TakeComponent(rest);
    if (name.empty()) return path;
    for (const auto& folder : folders) {
      if (name == folder) return path.substr(0, path.size() - rest.size());
    }
  }
}

// The entry's tail up to its first pattern, and the pattern that follows: "src" and "**/*.cc".
struct TailParts {
  std::string_view fixed;
  std::string_view pattern;
};
TailParts SplitTail(const SetEntry& entry);

// Returns an entry that begins with "**/" without that beginning: "**/.claude/hooks" as
// ".claude/hooks". Nothing for other entries, or if a pattern remains.
std::optional<SetEntry> AtTop(const SetEntry& entry);

// TailParts with the fixed part as a path below a base.
struct EntryPrefix {
  Path path;
  std::string_view rest;  // "" if there is no pattern
};
EntryPrefix FixedPrefix(const SetEntry& entry, const Path& base);

}  // namespace ringfence
