#include "files/tree_size.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

TEST_CASE("tree size: the blocks of everything below a directory") {
  const TemporaryTree tree;
  const std::string top = tree.root();
  const UniqueFd folder(::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(folder.valid());
  CHECK(TreeSize(folder) == 0);
  std::filesystem::create_directories(top + "/a/b/c");
  std::ofstream(top + "/a/b/c/file") << std::string(100'000, 'x') << std::flush;
  std::filesystem::create_symlink("/", top + "/a/link");
  uint64_t want = 0;
  for (const char* name : {"/a", "/a/b", "/a/b/c", "/a/b/c/file", "/a/link"}) {
    struct stat facts {};
    REQUIRE(::lstat((top + name).c_str(), &facts) == 0);
    want += static_cast<uint64_t>(facts.st_blocks) * 512;
  }
  CHECK(TreeSize(folder) == want);
}
