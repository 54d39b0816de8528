#include "base/json_pointer.h"

namespace ringfence {

void AppendPointerKey(std::string& pointer, std::string_view key) {
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer.push_back(c);
    }
  }
}

}  // namespace ringfence
