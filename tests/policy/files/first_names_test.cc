#include "policy/files/first_names.h"

#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "tests/support/fake_files.h"

using namespace ringfence;

namespace {

Places PlacesOf(bool macos_names) { return {.agent = &ClaudeCode(), .macos_names = macos_names}; }

}  // namespace

TEST_CASE("first names: a name exists below the root or in a directory of the server") {
  const FakeFiles files{{"/etc/passwd", File()}, {"/p/src", Directory()}};
  const CachedFiles cached(files);
  const Places places = PlacesOf(false);
  FirstNames names(cached, places);
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
  const Places places = PlacesOf(true);
  FirstNames names(cached, places);
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
    const Places places = PlacesOf(ignores_case);
    FirstNames names(cached, places);
    names.AddFolder("/p");
    CHECK(names.MayName("none"));
  }
}
