// The changes in a stage: the names at which it differs from the project.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/entry.h"

namespace ringfence {

struct Change {
  std::string path;  // relative to the project, "src/main.c"; any bytes but NUL
  Entry before;      // in the project, now
  Entry after;       // in the stage
  // The command wrote to a file that the project had, and maybe moved it here, or removed it.
  // Otherwise it created the file, possibly in place of an older one.
  bool is_edit = false;
  bool is_same_content = false;  // two files that differ at most in their permissions
  std::string moved_from;        // the path of a file or directory that was moved here; "" for none

  bool is_added() const { return !before.exists(); }
  bool is_removed() const { return !after.exists(); }
  // Only the permissions differ.
  bool is_mode_only() const;

  bool operator==(const Change&) const = default;
};

// Sorted by PathBefore().
using ChangeList = std::vector<Change>;

// Order in which a directory is directly followed by everything in it.
bool PathBefore(std::string_view one, std::string_view other);

}  // namespace ringfence
