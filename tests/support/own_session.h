// proxy/parent starts its own program again as the broker of a session. In the unit tests that is
// the test program, so it must not run the tests again: it plays the broker that a test has set.
#pragma once

#include <string_view>

namespace ringfence {

using OwnSession = int (*)();
inline OwnSession own_session = nullptr;

inline bool IsOwnSession(int argc, char** argv) {
  return argc == 2 && std::string_view(argv[0]) == "ringfence-proxy" &&
         std::string_view(argv[1]) == "session";
}

}  // namespace ringfence
