#include "policy/rules/entry_match.h"

#include <doctest/doctest.h>

using namespace ringfence;

TEST_CASE("entry match: a tail is split where its pattern begins") {
  struct Row {
    std::string_view tail, fixed, pattern;
  };
  static constexpr Row kRows[] = {
      {"", "", ""},
      {"src", "src", ""},
      {"src/main.cc", "src/main.cc", ""},
      {"*.cc", "", "*.cc"},
      {"src/*.cc", "src", "*.cc"},
      {"src/lib/**/x.cc", "src/lib", "**/x.cc"},
      {"src/a?/b", "src", "a?/b"},
      {"src/[ab]", "src", "[ab]"},
      {"src/a\\*", "src", "a\\*"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.tail);
    const bool has_pattern = !row.pattern.empty();
    const SetEntry entry{.tail = row.tail, .has_pattern = has_pattern};
    const TailParts parts = SplitTail(entry);
    CHECK(parts.fixed == row.fixed);
    CHECK(parts.pattern == row.pattern);
    const Path base = Path::Clean("/home/dev");
    const EntryPrefix prefix = FixedPrefix(entry, base);
    CHECK(prefix.path == Path::Clean("/home/dev/" + std::string(row.fixed)));
    CHECK(prefix.rest == row.pattern);
  }
}
