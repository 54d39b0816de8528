// System call numbers from the C library's headers, by name, for comparison with a filter that was
// compiled from another library's table.
#pragma once

#include <optional>
#include <string_view>

namespace ringfence {

// Returns nothing for a name that the headers do not have.
std::optional<int> SystemCallNumber(std::string_view name);

// True for a listed call that this architecture never had.
bool IsNotOfThisArchitecture(std::string_view name);

}  // namespace ringfence
