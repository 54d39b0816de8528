// What no policy can permit: writing the policies, the registration, the programs, the audit log
// and the state of ringfence itself. Under any name: as written, resolved, by inode, in other
// letter case, not existing yet, or by replacing a parent.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/cached_files.h"
#include "policy/places.h"
#include "policy/resolve.h"

namespace ringfence {

class ProtectedPaths {
 public:
  ProtectedPaths(const Places& places, const CachedFiles& files);

  // Why a write to `path` is refused ("the registration of this hook"), by the name alone.
  std::optional<std::string_view> RefusesName(const Path& path) const;

  // The same for where the walk ended: also by links that lead from a protected name to it, and by
  // inode.
  std::optional<std::string_view> RefusesTarget(const Walked& walked) const;

 private:
  struct Item {
    Path path;
    std::string folded;
    std::string_view what;
  };
  void Add(const Path& path, std::string_view what);
  bool IsExempt(const Path& path) const;
  static bool IsSameFile(const FileFacts& one, const FileFacts& other);

  const Places& places_;
  const CachedFiles& files_;
  std::vector<Item> items_;
};

}  // namespace ringfence
