// Short names: on FAT, NTFS and WSL's Windows drives a file whose name does not fit into 8.3
// letters has a second one, such as CLAUDE~1 for ".claude" (Documentation/filesystems/vfat.rst).
// Listings show only the long one.
#pragma once

#include <string_view>

namespace ringfence {

// "NAME~1" or "NAME~1.EXT" of at most eight and three characters.
constexpr bool MayBeShortName(std::string_view name) {
  const size_t tilde = name.find('~');
  if (tilde == std::string_view::npos || tilde == 0) return false;
  size_t end = tilde + 1;
  while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
  if (end == tilde + 1 || end > 8) return false;
  if (end == name.size()) return true;
  return name[end] == '.' && name.size() - end <= 4;
}

}  // namespace ringfence
