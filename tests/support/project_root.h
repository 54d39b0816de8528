// Location of the fixtures.
#pragma once

#include <filesystem>

namespace ringfence {

// The root directory of the repository.
inline std::filesystem::path ProjectRoot() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
}

}  // namespace ringfence
