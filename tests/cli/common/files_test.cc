#include <doctest/doctest.h>
#include <unistd.h>

#include "base/process.h"
#include "base/regular_file.h"
#include "cli/common/file_place.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

TEST_CASE("files: a link is followed to its file, and must lead to one") {
  const TemporaryTree tree;
  tree.File("real", "a");
  tree.Link("link", tree.At("real"));
  tree.Link("nowhere", tree.At("missing"));
  CHECK(FollowedPath(tree.At("link")).value() == tree.At("real"));
  CHECK(FollowedPath(tree.At("missing")).value() == tree.At("missing"));
  CHECK_FALSE(FollowedPath(tree.At("nowhere")).has_value());
}

TEST_CASE("files: two names of one file, existing or not") {
  const TemporaryTree tree;
  tree.File("real/file", "a");
  REQUIRE(::symlink(tree.At("real").c_str(), tree.At("link").c_str()) == 0);
  CHECK(LeadToOneFile(tree.At("real/file"), tree.At("link/file")));
  CHECK(LeadToOneFile(tree.At("real/new/x"), tree.At("link/new/x")));
  CHECK_FALSE(LeadToOneFile(tree.At("real/file"), tree.At("link/other")));
}

TEST_CASE("files: only regular files are read") {
  const TemporaryTree tree;
  CHECK_FALSE(ReadIfThere(tree.root()).has_value());
  CHECK_FALSE(ReadIfThere(tree.At("missing")).value().has_value());
}

TEST_CASE("process: a program gets its arguments, environment and input, and its output is read") {
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

TEST_CASE("process: unread input is not an error") {
  const Result<Finished> finished = Run(
      {.program = "/bin/sh", .arguments = {"-c", "exit 0"}, .input = std::string(1'000'000, 'x')});
  REQUIRE(finished.has_value());
  CHECK(finished->exit_status == 0);
}

TEST_CASE("process: a signal, a missing program and a timeout") {
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
