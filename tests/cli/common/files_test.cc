#include "cli/common/files.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
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

TEST_CASE("files: a new file gets its folders and its mode, an old one keeps its own") {
  const TemporaryTree tree;
  tree.File("old", "a");
  REQUIRE(::chmod(tree.At("old").c_str(), 0640) == 0);
  Transaction transaction;
  CHECK(
      transaction.Write(tree.At("x/y/new"), {}, "b", {.file = 0600, .folders = 0700}).has_value());
  CHECK(transaction.Write(tree.At("old"), "a", "c", {.file = 0600, .folders = 0700}).has_value());
  transaction.Commit();
  CHECK(Content(tree.At("x/y/new")) == "b");
  CHECK(ModeOf(tree.At("x/y/new")) == 0600);
  CHECK(ModeOf(tree.At("x/y")) == 0700);
  CHECK(Content(tree.At("old")) == "c");
  CHECK(ModeOf(tree.At("old")) == 0640);
}

TEST_CASE("files: without a commit everything is as it was") {
  const TemporaryTree tree;
  tree.File("old", "a");
  tree.File("gone", "g");
  {
    Transaction transaction;
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

TEST_CASE("files: a file that somebody changed meanwhile is left alone") {
  const TemporaryTree tree;
  tree.File("old", "theirs");
  {
    Transaction transaction;
    CHECK_FALSE(transaction.Write(tree.At("old"), "a", "c", {}).has_value());
    CHECK_FALSE(transaction.Write(tree.At("old"), {}, "c", {}).has_value());
    CHECK_FALSE(transaction.Remove(tree.At("old"), "a").has_value());
  }
  CHECK(Content(tree.At("old")) == "theirs");
}

TEST_CASE("files: no temporary file is left where writing fails") {
  const TemporaryTree tree;
  tree.Directory("folder");
  tree.Directory("folder/target");
  {
    Transaction transaction;
    CHECK_FALSE(transaction.Write(tree.At("folder/target"), {}, "x", {}).has_value());
  }
  CHECK(::rmdir(tree.At("folder/target").c_str()) == 0);
  CHECK(::rmdir(tree.At("folder").c_str()) == 0);
}

TEST_CASE("files: a link is followed to its file, and must lead to one") {
  const TemporaryTree tree;
  tree.File("real", "a");
  tree.Link("link", tree.At("real"));
  tree.Link("nowhere", tree.At("missing"));
  CHECK(FollowedPath(tree.At("link")).value() == tree.At("real"));
  CHECK(FollowedPath(tree.At("missing")).value() == tree.At("missing"));
  CHECK_FALSE(FollowedPath(tree.At("nowhere")).has_value());
}

TEST_CASE("files: a dangling link is neither followed nor replaced") {
  const TemporaryTree tree;
  const std::string away = tree.At("away/target");
  REQUIRE(::symlink(away.c_str(), tree.At("link").c_str()) == 0);
  for (const char* path : {"link", "link/x"}) {
    CAPTURE(path);
    Transaction transaction;
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

TEST_CASE("files: two names of one file, there or not") {
  const TemporaryTree tree;
  tree.File("real/file", "a");
  REQUIRE(::symlink(tree.At("real").c_str(), tree.At("link").c_str()) == 0);
  CHECK(LeadToOneFile(tree.At("real/file"), tree.At("link/file")));
  CHECK(LeadToOneFile(tree.At("real/new/x"), tree.At("link/new/x")));
  CHECK_FALSE(LeadToOneFile(tree.At("real/file"), tree.At("link/other")));
}

TEST_CASE("files: what a person named is written whatever is in it, in a folder that is there") {
  const TemporaryTree tree;
  tree.File("old", std::string(9u << 20, 'x'));  // more than is read of a file
  REQUIRE(::chmod(tree.At("old").c_str(), 0600) == 0);
  REQUIRE(::symlink("old", tree.At("link").c_str()) == 0);
  CHECK(WriteWhole(tree.At("link"), "new").has_value());
  CHECK(Content(tree.At("old")) == "new");
  CHECK(ModeOf(tree.At("old")) == 0600);
  CHECK(WriteWhole(tree.At("fresh"), "x", 0755).has_value());
  CHECK(ModeOf(tree.At("fresh")) == 0755);
  CHECK(WriteWhole(tree.At("x/y"), "x").error().what == "does not exist");
  CHECK_FALSE(Content(tree.At("x/y")).has_value());
  REQUIRE(::mkfifo(tree.At("pipe").c_str(), 0600) == 0);
  CHECK(WriteWhole(tree.At("pipe"), "x").error().what == "is not a regular file");
  CHECK_FALSE(WriteWhole(tree.At(""), "x").has_value());
}

TEST_CASE("files: only regular files are read") {
  const TemporaryTree tree;
  CHECK_FALSE(ReadIfThere(tree.root()).has_value());
  CHECK_FALSE(ReadIfThere(tree.At("missing")).value().has_value());
}

TEST_CASE("process: a program gets its arguments, environment and input, and is heard") {
  const Result<Finished> finished =
      Run({.program = "/bin/sh",
           .arguments = {"-c", "cat; echo $A $1 >&2; exit 3", "sh", "b"},
           .environment = {"A=a"},
           .input = std::string(300'000, 'x')});
  REQUIRE(finished.has_value());
  CHECK(finished->exit_status == 3);
  CHECK(finished->out == std::string(300'000, 'x'));
  CHECK(finished->err == "a b\n");
}

TEST_CASE("process: input that nobody reads is no error") {
  const Result<Finished> finished = Run(
      {.program = "/bin/sh", .arguments = {"-c", "exit 0"}, .input = std::string(1'000'000, 'x')});
  REQUIRE(finished.has_value());
  CHECK(finished->exit_status == 0);
}

TEST_CASE("process: a signal, a missing program and one that takes too long") {
  CHECK(Run({.program = "/bin/sh", .arguments = {"-c", "kill -9 $$"}}).value().exit_status ==
        128 + 9);
  CHECK_FALSE(Run({.program = "/no/such/program"}).has_value());
  CHECK_FALSE(Run({.program = "/bin/sh",
                   .arguments = {"-c", "exec sleep 20"},
                   .environment = {"PATH=/usr/bin:/bin"},
                   .limit = std::chrono::milliseconds(100)})
                  .has_value());
}

}  // namespace
