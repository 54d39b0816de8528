#include "staging/known_folders.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

KnownFolders Read(const StageFolder& stage) {
  Result<KnownFolders> folders = KnownFolders::Of(stage);
  REQUIRE(folders.has_value());
  return std::move(*folders);
}

}  // namespace

TEST_CASE("known folders: the first number of a path is kept") {
  const TemporaryTree tree;
  const StageStore store(Path::Clean(tree.At("stages")));
  const Result<StageFolder> stage = store.Create();
  REQUIRE(stage.has_value());
  KnownFolders one = Read(*stage);
  KnownFolders other = Read(*stage);
  CHECK_FALSE(one.InodeOf("").has_value());
  one.Note("", 3);
  one.Note("a b/\n", 5);
  one.Note("a b/\n", 6);
  REQUIRE(one.Save().has_value());
  other.Note("", 7);
  other.Note("c", 8, KnownFolders::Facts{0750, "ab12"});
  REQUIRE(other.Save().has_value());
  REQUIRE(other.Save().has_value());
  const KnownFolders read = Read(*stage);
  CHECK(read.InodeOf("") == 3);
  CHECK(read.InodeOf("a b/\n") == 5);
  CHECK(read.InodeOf("c") == 8);
  CHECK(read.ModeOf("c") == 0750);
  CHECK(read.AttributesOf("c") == "ab12");
  CHECK_FALSE(read.AttributesOf("").has_value());
  CHECK_FALSE(read.ModeOf("").has_value());
  CHECK_FALSE(read.InodeOf("a b").has_value());
}

TEST_CASE("known folders: an incomplete record counts as none") {
  const TemporaryTree tree;
  const StageStore store(Path::Clean(tree.At("stages")));
  const Result<StageFolder> stage = store.Create();
  REQUIRE(stage.has_value());
  tree.File("stages/" + std::string(stage->path().name()) + "/folders",
            std::string("1 a\0x b\0 c\0", 11) + "2 d");
  const KnownFolders read = Read(*stage);
  CHECK(read.InodeOf("a") == 1);
  for (const char* path : {"b", "c", "d"}) CHECK_FALSE(read.InodeOf(path).has_value());
}
