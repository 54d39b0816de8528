#include "staging/store/machine.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <time.h>

#include "base/syscall.h"
#include "files/entry.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

TEST_CASE("file time: waits for the clock that files get their times from") {
  const int64_t now = Nanoseconds(CLOCK_REALTIME);
  CHECK(AwaitFileTime(now));
#ifdef CLOCK_REALTIME_COARSE
  CHECK(Nanoseconds(CLOCK_REALTIME_COARSE) > now);
#endif
  CHECK(AwaitFileTime(0));
}

TEST_CASE("file time: a changed directory tells whether other files get later times") {
  const TemporaryTree tree;
  const UniqueFd folder = OpenFile(tree.root().c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(folder.valid());
  const int64_t now = Nanoseconds(CLOCK_REALTIME);
  if (GetsLaterTimes(folder, now)) {
    tree.File("new", "1");
    const Result<Entry> entry = LookAt(folder.get(), "new", "new");
    REQUIRE(entry);
    CHECK(entry->ctime > now);
  }
  constexpr int64_t kHour = 3'600'000'000'000;
  CHECK_FALSE(GetsLaterTimes(folder, now + kHour));
  CHECK_FALSE(GetsLaterTimes(UniqueFd(), 0));
}

TEST_CASE("file time: fails if the clock was set back") {
  constexpr int64_t kHour = 3'600'000'000'000;
  const Status waited = AwaitFileTime(Nanoseconds(CLOCK_REALTIME) + kHour);
  REQUIRE_FALSE(waited);
  CHECK(waited.error().text().find("clock") != std::string::npos);
}
