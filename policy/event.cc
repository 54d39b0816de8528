#include "policy/event.h"

#include "base/path.h"

namespace ringfence {

bool PointerCovers(std::string_view pattern, std::string_view pointer) {
  while (!pattern.empty()) {
    const std::string_view want = TakeComponent(pattern);
    const std::string_view have = TakeComponent(pointer);
    if (want.empty()) return true;
    if (have.empty() || (want != "*" && want != have)) return false;
  }
  return true;
}

}  // namespace ringfence
