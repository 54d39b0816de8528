// Files that no policy can permit an agent to write: the policies, the registration, the programs,
// the audit log and the state of ringfence itself. They are protected under any name: as written,
// resolved, by inode, in other letter case, before they exist, and against the replacement of a
// parent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/files/cached_files.h"
#include "policy/files/resolve.h"
#include "policy/places.h"

namespace ringfence {

// The name of a protected file, for code that enforces protection without checking each path.
struct ProtectedName {
  std::string pattern;  // "/home/dev/.config/ringfence", "**/.ringfence"
  bool anywhere = false;
  bool has_pattern = false;
  std::string_view what;  // "ringfence's policies"
};
std::vector<ProtectedName> ProtectedNames(const Places& places, const CachedFiles& files);

// The reason why a path is protected: it is one of these files, or a directory (or link) that
// contains them.
struct Protection {
  std::string_view what;  // "ringfence's policies"
  bool is_above = false;
};

// True if `relative` is protected in any directory: ".claude/settings.json", "x/.claude". Checks
// only the text.
bool IsProtectedAnywhere(std::string_view relative, const Agent& agent);

class ProtectedPaths {
 public:
  ProtectedPaths(const Places& places, const CachedFiles& files);

  // Returns the protection of `path` itself or of a directory above it, by the text only. On the
  // way to a file, only this counts.
  std::optional<Protection> Covers(const Path& path) const;

  // The same for a name that is written. It may also be a directory above a protected file, which a
  // write would replace.
  std::optional<Protection> RefusesName(const Path& path) const;

  // The same for the end of a walk. Also considers links that lead there from a protected name,
  // links that a write would replace, and inodes.
  std::optional<Protection> RefusesTarget(const Walked& walked) const;

 private:
  friend std::vector<ProtectedName> ProtectedNames(const Places& places, const CachedFiles& files);
  struct Item {
    Path path;
    std::string folded;
    std::string_view what;
    Path plain;  // `path` or a directory above it; no link is on the way to it
  };
  std::optional<Protection> HeldBelow(const Path& path) const;
  std::optional<Protection> RefusesByLinks(const Item& item, const Walked& walked) const;
  bool HasOtherName(const Item& item, const FileFacts& file) const;
  bool HoldsFile(const Path& folder, std::string_view prefix, const FileFacts& file) const;
  void AddPlugin(const Path& hook);
  void AddSettings(const Path& folder);
  void Add(const Path& path, std::string_view what, const Path& plain = Path());
  Path PlainPartOf(const Path& program) const;
  bool IsExempt(const Path& path) const;
  static bool IsSameFile(const FileFacts& one, const FileFacts& other);

  const Places& places_;
  const CachedFiles& files_;
  const std::vector<ProtectedName> floating_;  // protected at any depth
  std::vector<Item> items_;
};

}  // namespace ringfence
