// Entries for hosts that open more than they may seem to.
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

// Returns what the entry opens, for a question to the user: "every host", "every host below .com",
// an address at which clouds give credentials. "" for other entries.
std::string WideHostText(std::string_view text);

}  // namespace ringfence
