#include "base/same_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include "base/syscall.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

TEST_CASE("same file: a hard link is the same file, a copy is another") {
  const TemporaryTree tree;
  tree.File("one", "text");
  tree.File("copy", "text");
  tree.HardLink("link", "one");
  const UniqueFd one = OpenFile(tree.At("one").c_str(), O_RDONLY);
  CHECK(IsSameFile(one, OpenFile(tree.At("link").c_str(), O_RDONLY)));
  CHECK_FALSE(IsSameFile(one, OpenFile(tree.At("copy").c_str(), O_RDONLY)));
  CHECK_FALSE(IsSameFile(one, UniqueFd()));
  CHECK_FALSE(IsSameFile(UniqueFd(), one));
}
