#include "base/json_pointer.h"

#include <algorithm>

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

std::string DottedKey(std::string_view pointer) {
  std::string key(pointer.substr(1));
  std::ranges::replace(key, '/', '.');
  return key;
}

}  // namespace ringfence
