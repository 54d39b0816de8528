// Whether a bare name ("notes.md", "crates.io") is a host. Many endings of file names are top-level
// domains as well, so a name alone does not always tell.
#pragma once

#include <string_view>

namespace ringfence {

enum class NameKind { kHost, kHostOrFile, kNeither };

// `name` has no "/" and does not exist as a file.
NameKind KindOfName(std::string_view name);

// "md", "tar": in lower case, without the full stop.
bool IsFileEnding(std::string_view ending);

}  // namespace ringfence
