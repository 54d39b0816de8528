// Directories that are reached without a link on the way.
#include "base/folder_walk.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

bool IsThe(const UniqueFd& folder, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(folder.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

TEST_CASE("folder walk: the nearest directory is found and none is created") {
  const TemporaryTree tree;
  tree.Directory("a/b");
  for (const char* wanted : {"a/b", "a/b/c", "a/b/c/d/e"}) {
    CAPTURE(wanted);
    const Result<NearestFolder> folder = OpenNearestPlainFolder(Path::Clean(tree.At(wanted)));
    REQUIRE(folder.has_value());
    CHECK(IsThe(folder->fd, tree.At("a/b")));
  }
  CHECK_FALSE(std::filesystem::exists(tree.At("a/b/c")));
  const Path deep = Path::Clean(tree.At("a/b/c/d/e/f"));
  CHECK_FALSE(OpenNearestPlainFolder(deep).has_value());
  const std::vector<std::string> missing{"c", "d", "e", "f"};
  CHECK(OpenNearestPlainFolder(deep, 4).value().missing == missing);
  tree.Link("link", "a");
  CHECK_FALSE(OpenNearestPlainFolder(Path::Clean(tree.At("link/b"))).has_value());
}

TEST_CASE("folder walk: the last few missing directories are created") {
  const TemporaryTree tree;
  tree.Directory("a");
  const Result<UniqueFd> folder = OpenPlainFolder(Path::Clean(tree.At("a/b/c/d")));
  REQUIRE(folder.has_value());
  CHECK(IsThe(*folder, tree.At("a/b/c/d")));
  CHECK_FALSE(OpenPlainFolder(Path::Clean(tree.At("a/1/2/3/4"))).has_value());
  CHECK_FALSE(std::filesystem::exists(tree.At("a/1")));
}
