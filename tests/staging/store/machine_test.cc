#include "staging/store/machine.h"

#include <doctest/doctest.h>
#include <time.h>

#include "base/syscall.h"

using namespace ringfence;

TEST_CASE("file time: waits for the clock that files get their times from") {
  const int64_t now = Nanoseconds(CLOCK_REALTIME);
  CHECK(AwaitFileTime(now));
#ifdef CLOCK_REALTIME_COARSE
  CHECK(Nanoseconds(CLOCK_REALTIME_COARSE) > now);
#endif
  CHECK(AwaitFileTime(0));
}

TEST_CASE("file time: fails if the clock was set back") {
  constexpr int64_t kHour = 3'600'000'000'000;
  const Status waited = AwaitFileTime(Nanoseconds(CLOCK_REALTIME) + kHour);
  REQUIRE_FALSE(waited);
  CHECK(waited.error().text().find("clock") != std::string::npos);
}
