#include "cli/common/file_transaction.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/common/file_place.h"
#include "policy/load/trust.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

std::optional<std::string> Content(const std::string& path) {
  const Result<FilePlace> place = FilePlace::Find(path);
  REQUIRE(place.has_value());
  const Result<std::optional<std::string>> text = place->Read();
  REQUIRE(text.has_value());
  return *text;
}

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

TEST_CASE(
    "file transaction: a new file gets its directories and mode, an existing one keeps its own") {
  const TemporaryTree tree;
  tree.File("old", "a");
  REQUIRE(::chmod(tree.At("old").c_str(), 0640) == 0);
  FileTransaction transaction;
  CHECK(
      transaction.Write(tree.At("x/y/new"), {}, "b", {.file = 0600, .folders = 0700}).has_value());
  CHECK(transaction.Write(tree.At("old"), "a", "c", {.file = 0600, .folders = 0700}).has_value());
  CHECK(transaction.Commit().has_value());
  CHECK(Content(tree.At("x/y/new")) == "b");
  CHECK(ModeOf(tree.At("x/y/new")) == 0600);
  CHECK(ModeOf(tree.At("x/y")) == 0700);
  CHECK(Content(tree.At("old")) == "c");
  CHECK(ModeOf(tree.At("old")) == 0640);
}

TEST_CASE("file transaction: without a commit everything stays as it was") {
  const TemporaryTree tree;
  tree.File("old", "a");
  tree.File("gone", "g");
  {
    FileTransaction transaction;
    CHECK(transaction.Write(tree.At("x/y/new"), {}, "b", {}).has_value());
    CHECK(transaction.Write(tree.At("old"), "a", "c", {}).has_value());
    CHECK(transaction.Remove(tree.At("gone"), "g").has_value());
    CHECK_FALSE(Content(tree.At("gone")).has_value());
  }
  CHECK(Content(tree.At("old")) == "a");
  CHECK(Content(tree.At("gone")) == "g");
  CHECK_FALSE(Content(tree.At("x/y/new")).has_value());
  CHECK(MissingFolders(tree.At("x/y/new")).size() == 2);
}

TEST_CASE("file transaction: a file that was changed in between is left alone") {
  const TemporaryTree tree;
  tree.File("old", "theirs");
  {
    FileTransaction transaction;
    CHECK_FALSE(transaction.Write(tree.At("old"), "a", "c", {}).has_value());
    CHECK_FALSE(transaction.Write(tree.At("old"), {}, "c", {}).has_value());
    CHECK_FALSE(transaction.Remove(tree.At("old"), "a").has_value());
  }
  CHECK(Content(tree.At("old")) == "theirs");
}

TEST_CASE("file transaction: no temporary file is left if writing fails") {
  const TemporaryTree tree;
  tree.Directory("folder");
  tree.Directory("folder/target");
  {
    FileTransaction transaction;
    CHECK_FALSE(transaction.Write(tree.At("folder/target"), {}, "x", {}).has_value());
  }
  CHECK(::rmdir(tree.At("folder/target").c_str()) == 0);
  CHECK(::rmdir(tree.At("folder").c_str()) == 0);
}

TEST_CASE("file transaction: a dangling link is neither followed nor replaced") {
  const TemporaryTree tree;
  const std::string away = tree.At("away/target");
  REQUIRE(::symlink(away.c_str(), tree.At("link").c_str()) == 0);
  for (const char* path : {"link", "link/x"}) {
    CAPTURE(path);
    FileTransaction transaction;
    const Status status = transaction.Write(tree.At(path), {}, "x", {});
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().what.find("dangling symbolic link to") != std::string::npos);
    CHECK(status.error().what.find(away) != std::string::npos);
  }
  struct stat facts {};
  CHECK(::lstat(tree.At("link").c_str(), &facts) == 0);
  CHECK(S_ISLNK(facts.st_mode));
  CHECK(::lstat(away.c_str(), &facts) != 0);
}

// Leaves the state of a command that is killed after `changes`: no destructor runs.
template <typename Changes>
void Killed(const std::string& home, Changes changes) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    FileTransaction transaction;
    ::_exit(transaction.Open(home).has_value() && changes(transaction).has_value() ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
}

std::vector<std::string> StateFiles(const std::string& home) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(StateFolder(home))) {
    names.push_back(entry.path().filename());
  }
  return names;
}

TEST_CASE("file transaction: after the end, neither journal nor lock is left") {
  const TemporaryTree tree;
  FileTransaction transaction;
  REQUIRE(transaction.Open(tree.root()).has_value());
  CHECK(transaction.Write(tree.At("a"), {}, "a", {}).has_value());
  CHECK(StateFiles(tree.root()).size() == 2);
  CHECK(transaction.Commit().has_value());
  CHECK(StateFiles(tree.root()).empty());
  CHECK(Content(tree.At("a")) == "a");
}

TEST_CASE("file transaction: all changes of a killed command are rolled back") {
  const TemporaryTree tree;
  const std::string large(9u << 20, '\xff');
  tree.File("large", large);
  tree.File("folder/gone", std::string("g\0\xc3", 3));
  REQUIRE(::chmod(tree.At("large").c_str(), 0640) == 0);
  REQUIRE(::chmod(tree.At("folder/gone").c_str(), 0604) == 0);
  REQUIRE(::chmod(tree.At("folder").c_str(), 0750) == 0);
  Killed(tree.root(), [&](FileTransaction& transaction) -> Status {
    Status s = transaction.Write(tree.At("large"), large, "small", {});
    if (s) s = transaction.Write(tree.At("x/y/new"), {}, "1", {});
    if (s) s = transaction.Write(tree.At("x/y/new"), "1", "2", {});
    if (s) s = transaction.Remove(tree.At("folder/gone"), std::string("g\0\xc3", 3));
    if (s) s = transaction.RemoveEmptyFolder(tree.At("folder"));
    return s;
  });
  CHECK(Content(tree.At("large")) == "small");
  CHECK(Content(tree.At("x/y/new")) == "2");
  CHECK(::access(tree.At("folder").c_str(), F_OK) != 0);
  FileTransaction next;
  REQUIRE(next.Open(tree.root()).has_value());
  CHECK(Content(tree.At("large")) == large);
  CHECK(ModeOf(tree.At("large")) == 0640);
  CHECK(Content(tree.At("folder/gone")) == std::string("g\0\xc3", 3));
  CHECK(ModeOf(tree.At("folder/gone")) == 0604);
  CHECK(ModeOf(tree.At("folder")) == 0750);
  CHECK(::access(tree.At("x").c_str(), F_OK) != 0);
  CHECK(StateFiles(tree.root()).empty());
}

TEST_CASE("file transaction: nothing is rolled back if a file was changed since") {
  const TemporaryTree tree;
  tree.File("one", "1");
  tree.File("two", "2");
  Killed(tree.root(), [&](FileTransaction& transaction) -> Status {
    Status s = transaction.Write(tree.At("one"), "1", "one", {});
    return s ? transaction.Write(tree.At("two"), "2", "two", {}) : s;
  });
  SUBCASE("its content") { tree.File("two", "theirs"); }
  SUBCASE("it is now a link") {
    REQUIRE(::unlink(tree.At("two").c_str()) == 0);
    tree.Link("two", tree.At("one"));
  }
  SUBCASE("it was removed") { REQUIRE(::unlink(tree.At("two").c_str()) == 0); }
  FileTransaction next;
  CHECK_FALSE(next.Open(tree.root()).has_value());
  CHECK_FALSE(next.Write(tree.At("one"), "one", "x", {}).has_value());
  CHECK(Content(tree.At("one")) == "one");
  CHECK(StateFiles(tree.root()) == std::vector<std::string>{"journal"});
}

TEST_CASE("file transaction: a directory that became a link since is not followed") {
  const TemporaryTree tree;
  tree.File("a/file", "before");
  Killed(tree.root(), [&](FileTransaction& transaction) {
    return transaction.Write(tree.At("a/file"), "before", "ours", {});
  });
  REQUIRE(::rename(tree.At("a").c_str(), tree.At("b").c_str()) == 0);
  tree.Link("a", tree.At("b"));
  FileTransaction next;
  CHECK_FALSE(next.Open(tree.root()).has_value());
  CHECK(Content(tree.At("b/file")) == "ours");
}

TEST_CASE("file transaction: a link is followed, and stays") {
  const TemporaryTree tree;
  tree.File("real", "a");
  REQUIRE(::chmod(tree.At("real").c_str(), 0640) == 0);
  tree.Link("link", tree.At("real"));
  FileTransaction transaction;
  CHECK(transaction.Write(tree.At("link"), "a", "b", {}).has_value());
  CHECK(transaction.Commit().has_value());
  CHECK(Content(tree.At("real")) == "b");
  CHECK(ModeOf(tree.At("real")) == 0640);
  struct stat facts {};
  CHECK(::lstat(tree.At("link").c_str(), &facts) == 0);
  CHECK(S_ISLNK(facts.st_mode));
}

TEST_CASE("file transaction: a directory in use stays") {
  const TemporaryTree tree;
  tree.File("folder/file", "a");
  FileTransaction transaction;
  CHECK(transaction.RemoveEmptyFolder(tree.At("folder")).has_value());
  CHECK(transaction.Commit().has_value());
  CHECK(Content(tree.At("folder/file")) == "a");
}

TEST_CASE("file transaction: a rollback leaves no directory that did not exist before") {
  const TemporaryTree tree;
  {
    FileTransaction transaction;
    CHECK(transaction.RemoveEmptyFolder(tree.At("folder")).has_value());
    CHECK(transaction.RemoveEmptyFolder(tree.At("x/folder")).has_value());
  }
  CHECK(std::filesystem::is_empty(tree.root()));
}

TEST_CASE("file transaction: a file whose directory was removed is not restored elsewhere") {
  const TemporaryTree tree;
  tree.File("home/x", "");
  tree.File("a/b/file", "before");
  Killed(tree.At("home"), [&](FileTransaction& transaction) {
    return transaction.Remove(tree.At("a/b/file"), "before");
  });
  REQUIRE(::rmdir(tree.At("a/b").c_str()) == 0);
  FileTransaction next;
  CHECK_FALSE(next.Open(tree.At("home")).has_value());
  CHECK(std::filesystem::is_empty(tree.At("a")));
}

TEST_CASE("file transaction: a second one waits for the first to end") {
  const TemporaryTree tree;
  FileTransaction first;
  REQUIRE(first.Open(tree.root()).has_value());
  REQUIRE(first.Write(tree.At("a"), {}, "1", {}).has_value());
  std::atomic<bool> has_ended = false;
  bool was_ended = false;
  std::thread other([&] {
    FileTransaction second;
    const bool is_written = second.Open(tree.root()).has_value() &&
                            second.Write(tree.At("a"), "1", "2", {}).has_value();
    was_ended = is_written && has_ended && second.Commit().has_value();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  has_ended = true;
  CHECK(first.Commit().has_value());
  other.join();
  CHECK(was_ended);
  CHECK(Content(tree.At("a")) == "2");
}

}  // namespace
