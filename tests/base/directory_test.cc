#include "base/directory.h"

#include <doctest/doctest.h>

#include "base/syscall.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

TEST_CASE("directory: . and .. are not passed to the predicate") {
  const TemporaryTree tree;
  tree.File("one");
  const UniqueFd folder = OpenFile(tree.root().c_str(), O_RDONLY | O_DIRECTORY);
  const auto is_named = [](const char* name) {
    return [name](const dirent& entry) { return std::string_view(entry.d_name) == name; };
  };
  CHECK(AnyEntry(folder, is_named("one")) == true);
  CHECK(AnyEntry(folder, is_named("two")) == false);
  CHECK(AnyEntry(folder, is_named(".")) == false);
  CHECK(AnyEntry(folder, is_named("..")) == false);
}

TEST_CASE("directory: an unreadable one gives no result") {
  const TemporaryTree tree;
  tree.File("file");
  const auto is_any = [](const dirent&) { return true; };
  CHECK_FALSE(AnyEntry(UniqueFd(), is_any).has_value());
  CHECK_FALSE(AnyEntry(OpenFile(tree.At("file").c_str(), O_RDONLY), is_any).has_value());
}
