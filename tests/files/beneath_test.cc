#include "files/beneath.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <cerrno>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

TEST_CASE("beneath: a path that is absolute or goes up leaves the directory") {
  for (const char* path : {"/", "/a", "..", "../a", "a/..", "a/../b", "a//..", "./.."}) {
    CAPTURE(path);
    CHECK(LeavesFolder(path));
  }
  for (const char* path : {"", ".", "a", "a/b", "...", "a/..b", "..a", "a..", "a/.../b"}) {
    CAPTURE(path);
    CHECK_FALSE(LeavesFolder(path));
  }
}

TEST_CASE("beneath: neither a link nor a path out of the directory is followed") {
  TemporaryTree tree;
  tree.File("a/b/file", "x");
  tree.File("outside", "x");
  tree.Link("a/link", "b");
  tree.Link("a/out", "../outside");
  const UniqueFd folder(::open((tree.root() + "/a").c_str(), O_RDONLY | O_DIRECTORY));
  CHECK(OpenBeneath(folder, "b/file", O_RDONLY));
  CHECK(OpenBeneath(folder, ".", O_RDONLY | O_DIRECTORY));
  for (const char* path : {"link/file", "link", "out"}) {
    CAPTURE(path);
    const Result<UniqueFd> opened = OpenBeneath(folder, path, O_RDONLY);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == ELOOP);
    CHECK(IsMissing(opened.error()));
  }
  const Result<UniqueFd> above = OpenBeneath(folder, "../outside", O_RDONLY);
  REQUIRE_FALSE(above);
  CHECK(above.error().code == EXDEV);
}

TEST_CASE("beneath: a path is in the directories above it, and in no other") {
  CHECK(IsIn("a/b/c", "a"));
  CHECK(IsIn("a/b/c", "a/b"));
  CHECK_FALSE(IsIn("a/b", "a/b"));
  CHECK_FALSE(IsIn("ab/c", "a"));
  CHECK_FALSE(IsIn("a", "a/b"));
}
