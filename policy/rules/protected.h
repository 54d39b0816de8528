// What no policy can permit: writing the policies, the registration, the programs, the audit log
// and the state of ringfence itself. Under any name: as written, resolved, by inode, in other
// letter case, not existing yet, or by replacing a parent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/files/cached_files.h"
#include "policy/files/resolve.h"
#include "policy/places.h"

namespace ringfence {

// What is protected, by its name; for whoever enforces it without asking about each path.
struct ProtectedName {
  std::string pattern;  // "/home/dev/.config/ringfence", "**/.ringfence"
  bool anywhere = false;
  bool has_pattern = false;
  std::string_view what;  // "ringfence's policies"
};
std::vector<ProtectedName> ProtectedNames(const Places& places, const CachedFiles& files);

// Why a path is protected: it is one of these files, or a folder (or link) that holds them.
struct Protection {
  std::string_view what;  // "ringfence's policies"
  bool is_above = false;
};

// True if `relative` is protected in whatever folder it is: ".claude/settings.json", "x/.claude".
// It looks at the text alone.
bool IsProtectedAnywhere(std::string_view relative);

class ProtectedPaths {
 public:
  ProtectedPaths(const Places& places, const CachedFiles& files);

  // What is protected at `path`'s own name or above it, by the text alone: on the way to a file
  // nothing but this counts.
  std::optional<Protection> Covers(const Path& path) const;

  // The same for a name that is written: it may also be a folder above something protected, which
  // a write would replace.
  std::optional<Protection> RefusesName(const Path& path) const;

  // The same for where the walk ended: also by links that lead from a protected name to it or that
  // it would replace, and by inode.
  std::optional<Protection> RefusesTarget(const Walked& walked) const;

 private:
  friend std::vector<ProtectedName> ProtectedNames(const Places& places, const CachedFiles& files);
  struct Item {
    Path path;
    std::string folded;
    std::string_view what;
    Path plain;  // `path` or a folder above it; no link is on the way to it
  };
  std::optional<Protection> HeldBelow(const Path& path) const;
  std::optional<Protection> RefusesByLinks(const Item& item, const Walked& walked) const;
  bool HasOtherName(const Item& item, const FileFacts& file) const;
  bool HoldsFile(const Path& folder, std::string_view prefix, const FileFacts& file) const;
  void Add(const Path& path, std::string_view what, const Path& plain = Path());
  Path PlainPartOf(const Path& program) const;
  bool IsExempt(const Path& path) const;
  static bool IsSameFile(const FileFacts& one, const FileFacts& other);

  const Places& places_;
  const CachedFiles& files_;
  std::vector<Item> items_;
};

}  // namespace ringfence
