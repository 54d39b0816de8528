// Where the fixtures are.
#pragma once

#include <filesystem>

namespace ringfence {

// The folder of the whole project.
inline std::filesystem::path ProjectRoot() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
}

}  // namespace ringfence
