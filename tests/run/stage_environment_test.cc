#include "run/stage_environment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace ringfence;

namespace {

using Variables = std::vector<std::string>;

TEST_CASE("stage environment: no other variable keeps its name, and all come back") {
  const Variables users{
      "PATH=/bin", "LD_PRELOAD=/x.so",  "HOME=/home/a", "GCONV_PATH=/x", "LESSOPEN=|x",
      "TOKEN=a=b", "XDG_STATE_HOME=/s", "EMPTY=",       "DISPLAY=:0",    "RINGFENCE_USERS_TOKEN=c"};
  const Variables passed = EnvironmentForStage(users);
  CHECK(passed == Variables{"PATH=/bin", "RINGFENCE_USERS_LD_PRELOAD=/x.so", "HOME=/home/a",
                            "RINGFENCE_USERS_GCONV_PATH=/x", "LESSOPEN=|x",
                            "RINGFENCE_USERS_TOKEN=a=b", "XDG_STATE_HOME=/s",
                            "RINGFENCE_USERS_EMPTY=", "DISPLAY=:0",
                            "RINGFENCE_USERS_RINGFENCE_USERS_TOKEN=c"});
  CHECK(EnvironmentOfUser(passed) == users);
}

TEST_CASE(
    "stage environment: a variable that no program could get with its other name is left out") {
  constexpr size_t kMost = 128 * 1024 - 1;  // without the NUL
  const std::string longest = "A=" + std::string(kMost - 2 - 16, 'x');
  CHECK(EnvironmentOfUser(EnvironmentForStage({longest})) == Variables{longest});
  CHECK(EnvironmentForStage({longest + "x", "B=1"}) == Variables{"RINGFENCE_USERS_B=1"});
}

}  // namespace
