#include "sandbox/linux/remove_tree.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

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

// Another process puts a link in place of a folder again and again.
TEST_CASE("remove tree: a link that takes a folder's name is not followed") {
  const TemporaryTree tree;
  tree.File("outside/kept");
  REQUIRE(::chmod(tree.At("outside").c_str(), 0755) == 0);
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    tree.File("top/folder/inner/file");
    tree.Link("link", tree.At("outside"));
    const std::string names[] = {tree.At("top/folder"), tree.At("link")};
    std::atomic<bool> over = false;
    std::thread other([&] {
      while (!over) {
        ::syscall(SYS_renameat2, AT_FDCWD, names[0].c_str(), AT_FDCWD, names[1].c_str(),
                  RENAME_EXCHANGE);
      }
    });
    [[maybe_unused]] const Status removed = RemoveTree(tree.At("top"));
    over = true;
    other.join();
    [[maybe_unused]] const Status top = RemoveTree(tree.At("top"));
    if (::unlink(names[1].c_str()) != 0) {
      [[maybe_unused]] const Status moved = RemoveTree(names[1]);
    }
    struct stat facts {};
    REQUIRE(::stat(tree.At("outside").c_str(), &facts) == 0);
    REQUIRE((facts.st_mode & 07777) == 0755);
    REQUIRE(::access(tree.At("outside/kept").c_str(), F_OK) == 0);
  }
}
