// Alternative names of a file on FAT, NTFS and WSL's Windows drives. A file whose name does not fit
// the 8.3 format also has a short name, such as CLAUDE~1 for ".claude"
// (Documentation/filesystems/vfat.rst). Listings show only the long name.
#pragma once

#include <string>
#include <string_view>

#include "base/ascii.h"

namespace ringfence {

// True for "NAME~1" and "NAME~1.EXT", of at most eight and three characters.
constexpr bool MayBeShortName(std::string_view name) {
  const size_t tilde = name.find('~');
  if (tilde == std::string_view::npos || tilde == 0) return false;
  size_t end = tilde + 1;
  while (end < name.size() && IsDigit(name[end])) ++end;
  if (end == tilde + 1 || end > 8) return false;
  if (end == name.size()) return true;
  return name[end] == '.' && name.size() - end <= 4;
}

// True if the name ends in a dot and is not all dots. FAT and exFAT drop these dots.
constexpr bool EndsInDots(std::string_view name) {
  return name.ends_with('.') && name.find_last_not_of('.') != std::string_view::npos;
}

// Returns the path as FAT reads it: without the final dots of each name.
inline std::string WithoutFinalDots(std::string_view path) {
  std::string text;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (EndsInDots(name)) name = name.substr(0, name.find_last_not_of('.') + 1);
    text += name;
    if (slash != std::string_view::npos) text += '/';
  }
  return text;
}

}  // namespace ringfence
