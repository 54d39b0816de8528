// Shows a long text: page by page where standard output is a terminal and less(1) is installed,
// otherwise as it is.
#pragma once

#include <string>

namespace ringfence {

void ShowText(const std::string& text);

}  // namespace ringfence
