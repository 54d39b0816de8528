#include "base/state_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cerrno>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

TEST_CASE("state file: only the last few missing directories are created, for the user only") {
  const TemporaryTree tree;
  const Path folder = Path::Clean(tree.At("home/.local/state/ringfence"));
  const Status failed = MakeFolders(folder, 3);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ENOENT);
  tree.Directory("home");
  REQUIRE(MakeFolders(folder, 3));
  CHECK(MakeFolders(folder, 1));
  struct stat facts {};
  REQUIRE(::stat(folder.text().c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777) == 0700);
}

TEST_CASE("state file: a file on the way is an error") {
  const TemporaryTree tree;
  tree.File("home");
  const Status failed = MakeFolders(Path::Clean(tree.At("home/.local")), 3);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ENOTDIR);
}
