#include "policy/files/first_names.h"

#include <doctest/doctest.h>

#include "tests/support/fake_files.h"

using namespace ringfence;

TEST_CASE("first names: a name exists below the root or in a directory of the server") {
  const FakeFiles files{{"/etc/passwd", File()}, {"/p/src", Directory()}};
  const CachedFiles cached(files);
  FirstNames names(cached, false);
  names.AddFolder("/p");
  CHECK(names.MayName("/etc/none"));
  CHECK_FALSE(names.MayName("/ETC/none"));
  CHECK(names.MayName("src/x"));
  CHECK_FALSE(names.MayName("SRC/x"));
  CHECK_FALSE(names.MayName("/src"));
  CHECK(names.MayName("/none/../etc/x"));
  CHECK(names.MayName("./."));
  CHECK_FALSE(names.MayName("/" + std::string(256, 'x')));
}

TEST_CASE("first names: letter case is ignored if the files ignore it") {
  const FakeFiles files({{"/etc/passwd", File()}, {"/p/src", Directory()}}, LetterCase::kIgnored);
  const CachedFiles cached(files);
  FirstNames names(cached, true);
  names.AddFolder("/p");
  CHECK(names.MayName("/ETC/none"));
  CHECK(names.MayName("SRC/x"));
  CHECK_FALSE(names.MayName("/none"));
  CHECK_FALSE(names.MayName("none"));
}

TEST_CASE("first names: a name that cannot be checked may exist") {
  const FakeFiles files{{"/p", UnreadableDirectory()}};
  const CachedFiles cached(files);
  for (const bool ignores_case : {false, true}) {
    FirstNames names(cached, ignores_case);
    names.AddFolder("/p");
    CHECK(names.MayName("none"));
  }
}
