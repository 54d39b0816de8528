// Facts about the build. cmake/build_facts.cmake writes the source.
#pragma once

#include <string_view>

namespace ringfence {

extern const std::string_view kCommit;     // git's; empty if the source was no clone
extern const bool kIsModified;             // the source had changes that were not committed
extern const std::string_view kLibraries;  // what is linked into the programs: libraries.json

}  // namespace ringfence
