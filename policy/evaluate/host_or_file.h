// Tells whether a bare name ("notes.md", "crates.io") is a host. Many file name extensions are also
// top-level domains, so the name alone is not always enough.
#pragma once

#include <string_view>

namespace ringfence {

enum class NameKind { kHost, kHostOrFile, kNeither };

// `name` has no "/" and does not exist as a file.
NameKind KindOfName(std::string_view name);

// True for file name extensions such as "md" and "tar", in lower case and without the full stop.
bool IsFileEnding(std::string_view ending);

}  // namespace ringfence
