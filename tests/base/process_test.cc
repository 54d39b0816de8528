#include "base/process.h"

#include <doctest/doctest.h>

using namespace ringfence;

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
