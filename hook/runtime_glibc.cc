// With glibc and libstdc++: what would throw ends in std::terminate.
#include <exception>

#include "hook/fail_closed.h"

namespace ringfence {

void InstallTerminate() {
  std::set_terminate(
      [] { Refuse("ringfence: internal error or out of memory; the call is refused\n"); });
}

}  // namespace ringfence
