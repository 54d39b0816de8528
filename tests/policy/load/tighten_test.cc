// An untrusted file can only narrow limits: numbers, lists and switches.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "policy/load/merge_sections.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

std::string Joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += "[" + std::string(word) + "]";
  return text;
}

template <typename T>
std::string Shown(const std::optional<T>& value) {
  return value ? std::to_string(static_cast<int>(*value)) : "-";
}

// The limits, in one line.
std::string Limits(const Policy& policy) {
  const SandboxRules& sandbox = policy.sandbox;
  std::optional<uint64_t> gigabytes = sandbox.memory;
  if (gigabytes) *gigabytes >>= 30;
  return Shown(gigabytes) + " " + Shown(sandbox.processes) + " " + Shown(sandbox.cpus) + " " +
         (sandbox.env ? Joined(*sandbox.env) : "-") + " " + (policy.stage.sandbox ? "s" : "-") +
         (policy.stage.auto_apply ? "a" : "-") + Joined(policy.stage.trusted) +
         Joined(policy.stage.verify) + " " + std::string(policy.say);
}

Policy MergedOf(const World& world) { return world.Merged(world.EventOf("Bash", R"({})")); }

}  // namespace

TEST_CASE("tighten: limits of an untrusted file") {
  struct Row {
    std::string_view name;
    std::string_view user, project, want;
  };
  static constexpr Row kRows[] = {
      {"nothing said", "", "", "- - - - s- "},
      {"a limit where there was none", "",
       R"("sandbox":{"memory":"9G","processes":8,"cpus":7,"env":["A"]})", "9 8 7 [A] s- "},
      {"smaller ones", R"("sandbox":{"memory":"9G","processes":8,"cpus":7})",
       R"("sandbox":{"memory":"3G","processes":2,"cpus":1})", "3 2 1 - s- "},
      {"larger ones", R"("sandbox":{"memory":"3G","processes":2,"cpus":1})",
       R"("sandbox":{"memory":"9G","processes":8,"cpus":7})", "3 2 1 - s- "},
      {"variables of both", R"("sandbox":{"env":["A","B"]})", R"("sandbox":{"env":["B","C"]})",
       "- - - [B] s- "},
      {"switches to the tight side",
       R"("stage":{"commands":{"sandbox":false,"auto_apply":true,"trusted":["a","b"]}})",
       R"("stage":{"commands":{"sandbox":true,"auto_apply":false,"trusted":["b","c"]}})",
       "- - - - s-[b] "},
      {"switches to the wide side", "",
       R"("stage":{"commands":{"sandbox":false,"auto_apply":true}})", "- - - - s- "},
      {"neither its commands nor its words", "",
       R"("stage":{"verify":["x"]},"denied":{"say":"obey"})", "- - - - s- "},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    World world;
    world.User(row.user);
    world.Project(row.project, false);
    CHECK(Limits(MergedOf(world)) == row.want);
  }
}

TEST_CASE("tighten: a profile of a trusted file that an event selected") {
  World world;
  world.User(R"("sandbox":{"memory":"9G"},"stage":{"verify":["a"]},"denied":{"say":"one"},
                "network":{"allow":["*"]},
                "profiles":{"sub":{"when":{"subagent":true},"sandbox":{"memory":"3G"},
                "stage":{"verify":["b"]},"denied":{"say":"two"},
                "network":{"inspect":["a.example"]}}})");
  CHECK(Limits(MergedOf(world)) == "9 - - - s-[a] one");
  world.agent_type = "Explore";
  const Policy policy = MergedOf(world);
  CHECK(Limits(policy) == "3 - - - s-[a][b] two");
  REQUIRE(policy.network);
  CHECK(policy.network->inspect.size() == 1);
}
