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
  // Two files that differ at most in their permissions and attributes.
  bool is_same_content = false;
  std::string moved_from;    // the path of a file or directory that was moved here; "" for none
  Entry moved;               // its state there
  bool is_too_deep = false;  // a directory that IsTooDeep(): what it has in it is not listed

  bool is_added() const { return !before.exists(); }
  bool is_removed() const { return !after.exists(); }
  // The state in the project of what is here now.
  const Entry& earlier() const { return moved_from.empty() ? before : moved; }
  // Only the permissions differ, and maybe the attributes, or only the attributes.
  bool is_mode_only() const;
  bool is_attributes_only() const;
  // True for a file or directory of the project whose permissions differ now.
  bool has_other_mode() const;
  // The names of the extended attributes that differ from those in the project; all of a new file.
  std::vector<std::string> other_attributes() const;

  bool operator==(const Change&) const = default;
};

// Sorted by PathBefore().
using ChangeList = std::vector<Change>;

// Order in which a directory is directly followed by everything in it.
bool PathBefore(std::string_view one, std::string_view other);

}  // namespace ringfence
