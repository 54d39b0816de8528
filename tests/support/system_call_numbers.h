// The numbers of system calls as the C library's headers know them, by name: what a filter is held
// against that was compiled from another library's table.
#pragma once

#include <optional>
#include <string_view>

namespace ringfence {

// Nothing for a name that the headers do not know.
std::optional<int> SystemCallNumber(std::string_view name);

// Calls of the lists that this architecture never had.
bool IsNotOfThisArchitecture(std::string_view name);

}  // namespace ringfence
