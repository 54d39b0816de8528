// Shows a long text in a pager.
#pragma once

#include <cstdint>
#include <string>

namespace ringfence {

enum class Pager : uint8_t {
  kPlain,  // less(1), whatever the environment says: it can come from the current directory
  kUsers,  // that of GIT_PAGER or PAGER
};

// Writes the text to standard output, on a terminal through a pager. Returns when the user has left
// the pager.
void ShowText(const std::string& text, Pager pager = Pager::kPlain);

}  // namespace ringfence
