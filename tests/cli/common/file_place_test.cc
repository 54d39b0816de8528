#include "cli/common/file_place.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/regular_file.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

std::optional<std::string> Content(const std::string& path) {
  const Result<std::optional<std::string>> text = ReadIfThere(path);
  REQUIRE(text.has_value());
  return *text;
}

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

TEST_CASE(
    "file place: a named file is overwritten whatever its content, in an existing directory") {
  const TemporaryTree tree;
  tree.File("old", std::string(9u << 20, 'x'));  // more than the reader's limit
  REQUIRE(::chmod(tree.At("old").c_str(), 0600) == 0);
  CHECK(WriteWhole(tree.At("old"), "new").has_value());
  CHECK(Content(tree.At("old")) == "new");
  CHECK(ModeOf(tree.At("old")) == 0600);
  CHECK(WriteWhole(tree.At("fresh"), "x", 0755).has_value());
  CHECK(ModeOf(tree.At("fresh")) == 0755);
  const mode_t mask = ::umask(027);
  CHECK(WriteWhole(tree.At("masked"), "x", 0755).has_value());
  CHECK(ModeOf(tree.At("masked")) == 0750);
  CHECK(WriteWhole(tree.At("fresh"), "x").has_value());
  CHECK(ModeOf(tree.At("fresh")) == 0755);
  CHECK(::umask(mask) == 027);
  CHECK(WriteWhole(tree.At("x/y"), "x").error().what == "does not exist");
  CHECK_FALSE(Content(tree.At("x/y")).has_value());
  REQUIRE(::mkfifo(tree.At("pipe").c_str(), 0600) == 0);
  CHECK(WriteWhole(tree.At("pipe"), "x").error().what == "is not a regular file");
  CHECK_FALSE(WriteWhole(tree.At(""), "x").has_value());
}

TEST_CASE("file place: a link at the name of a file to write is replaced, and its target stays") {
  const TemporaryTree tree;
  tree.File("target", "old");
  tree.Directory("folder");
  tree.Link("link", tree.At("target"));
  tree.Link("nowhere", tree.At("missing"));
  tree.Link("to-folder", tree.At("folder"));
  for (const char* name : {"link", "nowhere", "to-folder"}) {
    CAPTURE(name);
    CHECK(WriteWhole(tree.At(name), "new").has_value());
    CHECK(Content(tree.At(name)) == "new");
    CHECK(ModeOf(tree.At(name)) == 0644);
  }
  CHECK(Content(tree.At("target")) == "old");
  CHECK_FALSE(Content(tree.At("missing")).has_value());
  tree.Link("directory", tree.At("folder"));
  CHECK(WriteWhole(tree.At("directory/file"), "x").has_value());
  CHECK(Content(tree.At("folder/file")) == "x");
  CHECK(WriteWhole("/dev/ringfence-test", "x").error().what == "is not a regular file");
  CHECK(WriteWhole(tree.At("folder"), "x").error().what == "is not a regular file");
}

TEST_CASE("file place: a link is followed to its file, and must lead to one") {
  const TemporaryTree tree;
  tree.File("real", "a");
  tree.Link("link", tree.At("real"));
  tree.Link("nowhere", tree.At("missing"));
  CHECK(FollowedPath(tree.At("link")).value() == tree.At("real"));
  CHECK(FollowedPath(tree.At("missing")).value() == tree.At("missing"));
  CHECK_FALSE(FollowedPath(tree.At("nowhere")).has_value());
}

TEST_CASE("file place: two names of one file, existing or not") {
  const TemporaryTree tree;
  tree.File("real/file", "a");
  REQUIRE(::symlink(tree.At("real").c_str(), tree.At("link").c_str()) == 0);
  CHECK(LeadToOneFile(tree.At("real/file"), tree.At("link/file")));
  CHECK(LeadToOneFile(tree.At("real/new/x"), tree.At("link/new/x")));
  CHECK_FALSE(LeadToOneFile(tree.At("real/file"), tree.At("link/other")));
}

TEST_CASE("file place: a file that another command creates and removes can be missing") {
  const TemporaryTree tree;
  const std::string file = tree.At("journal");
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    while (!is_over) {
      ::close(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
      ::unlink(file.c_str());
    }
  });
  int failed = 0;
  for (int i = 0; i < 5000; ++i) failed += FilePlace::Find(file) ? 0 : 1;
  is_over = true;
  other.join();
  CHECK(failed == 0);
}

TEST_CASE("file place: two commands can create its directory") {
  const TemporaryTree tree;
  Result<FilePlace> first = FilePlace::Find(tree.At("new/folder/one"));
  Result<FilePlace> second = FilePlace::Find(tree.At("new/folder/two"));
  REQUIRE(first.has_value());
  REQUIRE(second.has_value());
  CHECK(first->MakeFolders(0700).has_value());
  CHECK(second->MakeFolders(0700).has_value());
  CHECK(second->Replace(TemporaryName(), "x", {}).has_value());
  CHECK(Content(tree.At("new/folder/two")) == "x");
}

}  // namespace
