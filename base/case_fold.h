// Names compared as a forgiving file system compares them: without regard to letter case (APFS,
// NTFS, ext4 with casefold) and without the characters that HFS+ or ext4 ignores in names.
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

// Two names that such a file system may take for one have equal folds. Bytes that are no UTF-8 stay
// as they are. The fold is Unicode's full one, so a name can grow by it ("\u00DF" becomes "ss").
// Canonical equivalence (a letter with a combining accent) is not folded.
std::string FoldName(std::string_view name);

// FoldName(name) == folded, without building the string; for long lists of rules.
bool FoldsTo(std::string_view name, std::string_view folded);

}  // namespace ringfence
