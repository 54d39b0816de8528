#include "base/program.h"

#include <doctest/doctest.h>

#include "base/path.h"

using namespace ringfence;

TEST_CASE("program: the program beside this one is in the same directory") {
  const Result<std::string> own = OwnProgramReal();
  REQUIRE(own.has_value());
  const Path folder = Path::Clean(*own).Parent();
  CHECK(*ProgramBeside("ringfence") == folder.Child("ringfence").text());
}

TEST_CASE("program: arguments for execve end with nullptr") {
  std::vector<std::string> texts{"a", ""};
  const std::vector<char*> pointers = ArgumentPointers(texts);
  REQUIRE(pointers.size() == 3);
  CHECK(pointers[0] == texts[0].data());
  CHECK(pointers[2] == nullptr);
}
