// Prints a long text, page by page if standard input and output are terminals and less(1) is
// installed.
#pragma once

#include <string>

namespace ringfence {

void ShowText(const std::string& text);

}  // namespace ringfence
