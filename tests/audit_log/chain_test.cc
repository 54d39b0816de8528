// Detection of a changed audit log by its digests, and the order of its files.
#include "audit_log/chain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "audit_log/line.h"
#include "audit_log/order.h"
#include "base/sha256.h"
#include "tests/support/chained_lines.h"

using namespace ringfence;

namespace {

// The indices of lines that break the chain.
std::vector<size_t> Faults(const Lines& lines) {
  ChainFollower follower;
  std::vector<size_t> faults;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!follower.Follow(lines[i]).fault.empty()) faults.push_back(i);
  }
  return faults;
}

bool BeginsAtStart(const Lines& lines) {
  ChainFollower follower;
  for (const std::string& line : lines) follower.Follow(line);
  return follower.begins_at_start();
}

using Places = std::vector<size_t>;

}  // namespace

TEST_CASE("log chain: the hook's lines follow each other") {
  CHECK(Faults({}).empty());
  CHECK(Faults(Chained(1)).empty());
  CHECK(Faults(Chained(300)).empty());
  CHECK(BeginsAtStart(Chained(3)));
}

TEST_CASE("log chain: an edited, removed, duplicated, added or moved line is found at its place") {
  const Lines lines = Chained(8);
  Lines changed = lines;
  changed[3].replace(changed[3].find("\"3\""), 3, "\"x\"");
  CHECK(Faults(changed) == Places{4});
  changed = lines;
  changed[3].replace(changed[3].size() - 10, 1,
                     changed[3][changed[3].size() - 10] == 'a' ? "b" : "a");
  CHECK(Faults(changed) == Places{3, 4});
  changed = lines;
  changed.erase(changed.begin() + 3);
  CHECK(Faults(changed) == Places{3});
  changed = lines;
  changed.insert(changed.begin() + 3, lines[3]);
  CHECK(Faults(changed) == Places{4});
  changed = lines;
  std::swap(changed[3], changed[4]);
  CHECK(Faults(changed) == Places{3, 4, 5});
  changed = lines;
  changed.insert(changed.begin() + 3, "");
  CHECK(Faults(changed) == Places{4});
  changed = lines;
  std::rotate(changed.begin() + 1, changed.begin() + 2, changed.begin() + 6);
  CHECK(Faults(changed).front() == 1);
}

TEST_CASE("log chain: a log without its beginning is sound from there on") {
  Lines lines = Chained(8);
  lines.erase(lines.begin(), lines.begin() + 3);
  CHECK(Faults(lines).empty());
  CHECK_FALSE(BeginsAtStart(lines));
}

TEST_CASE("log chain: a second beginning is a cut") {
  Lines lines = Chained(3);
  const Lines again = Chained(2);
  lines.insert(lines.end(), again.begin(), again.end());
  CHECK(Faults(lines) == Places{3});
}

TEST_CASE("log chain: the next complete line covers torn lines and the line before them") {
  Lines lines = Chained(3);
  lines.emplace_back("{\"torn");
  lines.emplace_back("");
  lines.push_back(Behind(lines, 3));
  lines.push_back(Behind(lines, 4));
  CHECK(Faults(lines).empty());
  for (size_t i = 1; i < 6; ++i) {
    CAPTURE(i);
    Lines changed = lines;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(Faults(changed).empty());
  }
  // Lines torn before the first complete one.
  Lines first{"{\"torn"};
  first.push_back(Behind(first, 0));
  first.push_back(Behind(first, 1));
  CHECK(Faults(first).empty());
}

TEST_CASE(
    "log chain: an unlocked line may follow any nearby line, and a locked one may be beside it") {
  Lines lines = Chained(3);
  const std::string locked = Behind(lines, 3);
  const std::string late = Behind(lines, 4, AuditLock::kNotGot);
  // Written at the same time, in either order.
  for (const bool unlocked_first : {true, false}) {
    Lines both = lines;
    both.push_back(unlocked_first ? late : locked);
    both.push_back(unlocked_first ? locked : late);
    both.push_back(Behind(both, 5));
    CHECK(Faults(both).empty());
  }
  // A locked line may not skip another locked line.
  Lines skipping = lines;
  skipping.push_back(Behind(lines, 3));
  skipping.push_back(locked);
  CHECK(Faults(skipping) == Places{4});
  // An unlocked line may neither occur twice nor follow a line that never existed.
  Lines twice = lines;
  twice.push_back(late);
  twice.push_back(late);
  CHECK(Faults(twice) == Places{4});
  Lines strange = lines;
  strange.push_back(ChainedLine(TextOf(9), "never there", AuditLock::kNotGot));
  CHECK(Faults(strange) == Places{3});
  // Nor may it follow a distant line.
  Lines far = Chained(400);
  far.push_back(Behind(lines, 9, AuditLock::kNotGot));
  CHECK(Faults(far) == Places{400});
}

TEST_CASE("log chain: a change of any line but the last is found; the last one needs an anchor") {
  std::mt19937 random(20261014);
  const auto below = [&random](size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random);
  };
  for (int round = 0; round < 600; ++round) {
    Lines lines;
    const size_t count = 4 + below(12);
    while (lines.size() < count) {
      const bool is_torn = !lines.empty() && lines.size() + 1 < count && below(5) == 0;
      std::string line = Behind(lines, static_cast<int>(lines.size()));
      if (is_torn) line.resize(1 + below(line.size() - 1));
      lines.push_back(line);
    }
    REQUIRE(Faults(lines).empty());
    Lines changed = lines;
    const size_t at = below(count);
    const auto place = changed.begin() + static_cast<std::ptrdiff_t>(at);
    const size_t kind = below(4);
    if (kind == 0) {
      const size_t byte = below(place->size());
      (*place)[byte] =
          static_cast<char>(static_cast<unsigned char>((*place)[byte]) ^ (1 + below(31)));
    } else if (kind == 1) {
      changed.erase(place);
    } else if (kind == 2) {
      std::swap(*place, changed[below(count)]);
    } else {
      changed.insert(place, lines[below(count)]);
    }
    if (changed == lines) continue;
    CAPTURE(round);
    CAPTURE(kind);
    CAPTURE(at);
    const std::string last = Sha256Hex(lines.back());
    const bool has_last = std::ranges::any_of(
        changed, [&last](const std::string& line) { return Sha256Hex(line) == last; });
    // Detected by the anchor of the last line, the digests, or a missing beginning.
    const bool is_found = !has_last || !Faults(changed).empty() || !BeginsAtStart(changed);
    CHECK(is_found);
  }
}

TEST_CASE("log files: digests give the order of files, or else their names") {
  const auto names = [](const std::vector<LogFile>& files) {
    std::string text;
    for (const LogFile& file : files) text += file.name;
    return text;
  };
  const LogFile a{"a", {0, 1}, "0", "1"}, b{"b", {0, 2}, "1", "2"}, c{"c", {0, 3}, "2", "3"};
  CHECK(names(InOrder({a, b, c})) == "abc");
  CHECK(names(InOrder({b, a, c})) == "abc");
  CHECK(names(InOrder({a, c})) == "ac");
  CHECK(names(InOrder({b, c})) == "bc");
  const LogFile edited{"b", {0, 2}, "x", "y"};
  CHECK(names(InOrder({a, edited, c})) == "abc");
  const LogFile loop{"l", {0, 4}, "3", "0"};
  CHECK(names(InOrder({a, b, c, loop})) == "abcl");
  CHECK(names(InOrder({})).empty());
  const LogFile empty{"e", {0, 5}, "", ""};
  CHECK(names(InOrder({a, b, empty})) == "abe");
}

TEST_CASE("log files: the live log comes last, whatever its digests say") {
  const auto told = [](const std::vector<LogFile>& files) {
    std::string text;
    for (const LogFile& file : InOrder(files)) text += file.name + (file.is_apart ? "!" : "");
    return text;
  };
  const LogFile a{"a", {0, 1}, "0", "1"}, b{"b", {0, 2}, "1", "2"}, c{"c", {0, 3}, "2", "3"};
  const LogFile live{"L", {0, 9}, "3", "4", true}, forked{"L", {0, 9}, "1", "x", true};
  CHECK(told({a, b, c, live}) == "abcL");
  CHECK(told({b, c, live}) == "bcL");
  // The log continues an early file: the files after that one are still read, but marked as apart.
  CHECK(told({a, b, c, forked}) == "ab!c!L");
  CHECK(told({a, c, forked}) == "ac!L");
  // A copy, wherever its name sorts it, and a file that is not from ringfence.
  const LogFile copy{"y", {0, 5}, "1", "2"}, foreign{"f", {0, 6}, "", "9"};
  CHECK(told({a, b, c, copy, live}) == "abcy!L");
  CHECK(told({a, b, c, foreign, live}) == "abcf!L");
  CHECK(told({foreign, a, b, c, live}) == "f!abcL");
  CHECK(told({foreign, b, c, live}) == "f!bcL");
  // If no file continues in the log, any of them can be the wrong one: the chain has a fault there.
  const LogFile strange{"L", {0, 9}, "z", "4", true};
  CHECK(told({a, b, c, strange}) == "abcL");
  // A file with a torn first line.
  CHECK(told({LogFile{"a", {0, 1}, "", "1"}, b, c, live}) == "abcL");
}
