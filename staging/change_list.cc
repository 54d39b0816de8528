#include "staging/change_list.h"

#include <algorithm>

namespace ringfence {

bool Change::is_mode_only() const {
  return before.kind == after.kind && before.mode != after.mode &&
         (after.is_directory() || (is_same_content && !after.is_link()));
}

bool PathBefore(std::string_view one, std::string_view other) {
  const auto rank = [](char byte) {
    return byte == '/' ? 0 : 1 + static_cast<unsigned char>(byte);
  };
  return std::ranges::lexicographical_compare(one, other, {}, rank, rank);
}

}  // namespace ringfence
