// How the tail of a rule's entry is compared with what lies below the entry's base.
#pragma once

#include <optional>
#include <string_view>

#include "base/path.h"
#include "policy/rules/sets.h"

namespace ringfence {

// `rest` equals `tail` or goes on below it.
bool Covers(std::string_view tail, std::string_view rest);

// The same with `rest` folded already (FoldName).
bool CoversFolded(std::string_view tail, std::string_view rest);

// A pattern instead of a plain tail; `rest` is folded already.
bool MatchFolded(std::string_view pattern, std::string_view rest);

// `rest`, folded, is what follows the path of an entry: one of `except` leaves it out. Where it is
// only passed, it may also be on the way to what is left out.
bool IsException(WordList except, std::string_view rest, PathRole standing = PathRole::kTarget);

// The same as MatchFolded for a pattern "**/NAME" of which some names are left out.
bool MatchFoldedUnless(WordList except, std::string_view pattern, std::string_view rest);

// What of `path` is not below one of the `folders`: up to and with the first component of such a
// name, or all. Where a project itself lies does not count: it is no package to who works on it.
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

// The entry's tail as far as it has no pattern, and the pattern that follows: "src" and "**/*.cc".
struct TailParts {
  std::string_view fixed;
  std::string_view pattern;
};
TailParts SplitTail(const SetEntry& entry);

// A floating entry of a set as it stands at the top of a folder: "**/.claude/hooks" as
// ".claude/hooks". Nothing for other entries, and where a pattern remains.
std::optional<SetEntry> AtTop(const SetEntry& entry);

// The same with the fixed part as a path below `base`.
struct EntryPrefix {
  Path path;
  std::string_view rest;  // "" where there is no pattern
};
EntryPrefix FixedPrefix(const SetEntry& entry, const Path& base);

}  // namespace ringfence
