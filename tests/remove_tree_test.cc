#include "sandbox/linux/remove_tree.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "tests/temporary_tree.h"

using namespace ringfence;

TEST_CASE("remove tree: files, folders, links and what has no rights") {
  const TemporaryTree tree;
  tree.File("outside/kept", "text");
  tree.File("top/a/b/c", "text");
  tree.File("top/.1", "a name that moving could take");
  tree.File("top/a/.2/x");
  tree.Link("top/a/link", tree.At("outside"));
  tree.Link("top/dangling", "nowhere");
  tree.Directory("top/closed/inner");
  REQUIRE(::mkfifo(tree.At("top/a/fifo").c_str(), 0600) == 0);
  REQUIRE(::chmod(tree.At("top/closed/inner").c_str(), 0) == 0);
  REQUIRE(::chmod(tree.At("top/closed").c_str(), 0) == 0);
  REQUIRE(::chmod(tree.At("top").c_str(), 0500) == 0);
  CHECK(RemoveTree(tree.At("top")));
  CHECK(::access(tree.At("top").c_str(), F_OK) != 0);
  CHECK(::access(tree.At("outside/kept").c_str(), F_OK) == 0);
  CHECK(RemoveTree(tree.At("top")));
}

TEST_CASE("remove tree: deeper than any name is long") {
  const TemporaryTree tree;
  tree.Directory("top");
  UniqueFd folder(::open(tree.At("top").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int depth = 0; depth < 3000; ++depth) {
    REQUIRE(::mkdirat(folder.get(), "down", 0700) == 0);
    folder = UniqueFd(::openat(folder.get(), "down", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(folder.valid());
  }
  CHECK(RemoveTree(tree.At("top")));
  CHECK(::access(tree.At("top").c_str(), F_OK) != 0);
}

TEST_CASE("remove tree: a link is not followed") {
  const TemporaryTree tree;
  tree.File("real/kept");
  tree.Link("top", "real");
  CHECK_FALSE(RemoveTree(tree.At("top")));
  CHECK(::access(tree.At("real/kept").c_str(), F_OK) == 0);
}
