// Compares names as lenient file systems do: without regard to letter case (APFS, NTFS, ext4 with
// casefold) and without the characters that HFS+ or ext4 ignores in names.
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

// Folds a name. Two names that one of these file systems may treat as the same have equal folds.
// Bytes that are not UTF-8 are kept. Unicode full case folding can make a name longer ("\u00DF"
// becomes "ss"). Canonical equivalence (a letter with a combining accent) is not folded.
std::string FoldName(std::string_view name);

// True if FoldName(name) == folded. Builds no string for an ASCII name; for long lists of rules.
bool FoldsTo(std::string_view name, std::string_view folded);

}  // namespace ringfence
