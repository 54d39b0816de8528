#include "base/environment.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

TEST_CASE("environment: a relative path starts at the current directory") {
  const TemporaryTree tree;
  tree.Directory("here");
  const std::string before = CurrentDirectory();
  REQUIRE(::chdir(tree.At("here").c_str()) == 0);
  CHECK(Absolute("a/../b") == tree.At("here/b"));
  CHECK(Absolute("/a/./b") == "/a/b");
  REQUIRE(::rmdir(tree.At("here").c_str()) == 0);
  CHECK(CurrentDirectory().empty());
  CHECK(Absolute("a/../b") == "a/../b");
  CHECK(::chdir(before.c_str()) == 0);
}

TEST_CASE("environment: an unset variable is empty") {
  REQUIRE(::setenv("RINGFENCE_TEST_VARIABLE", "value", 1) == 0);
  CHECK(Variable("RINGFENCE_TEST_VARIABLE") == "value");
  const std::vector<std::string> all = OwnEnvironment();
  CHECK(std::ranges::find(all, "RINGFENCE_TEST_VARIABLE=value") != all.end());
  REQUIRE(::unsetenv("RINGFENCE_TEST_VARIABLE") == 0);
  CHECK(Variable("RINGFENCE_TEST_VARIABLE").empty());
}
