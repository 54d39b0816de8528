#include "base/program.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "base/path.h"

using namespace ringfence;

TEST_CASE("program: the program beside this one is in the same directory") {
  const Result<std::string> own = OwnProgramReal();
  REQUIRE(own.has_value());
  const Path folder = Path::Clean(*own).Parent();
  CHECK(*ProgramBeside("ringfence") == folder.Child("ringfence").text());
}

TEST_CASE("program: one that exists and is not found lacks its dynamic loader") {
  const std::string own = *OwnProgramReal();
  CHECK(ProgramNotStarted(own, ENOENT).hint.starts_with("it needs glibc"));
  CHECK(ProgramNotStarted(own, EACCES).hint.ends_with("install ringfence again"));
  const Error missing = ProgramNotStarted(own + "-x", ENOENT);
  CHECK(missing.where == "start " + own + "-x");
  CHECK(missing.hint.ends_with("install ringfence again"));
}

TEST_CASE("program: arguments for execve end with nullptr") {
  std::vector<std::string> texts{"a", ""};
  const std::vector<char*> pointers = ArgumentPointers(texts);
  REQUIRE(pointers.size() == 3);
  CHECK(pointers[0] == texts[0].data());
  CHECK(pointers[2] == nullptr);
}
