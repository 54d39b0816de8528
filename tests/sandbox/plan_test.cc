// MakePlan(): command, mode, writable paths, network, limits.
#include "sandbox/plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>

#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view policy;  // the user's policy, without "version"
  std::string_view want;    // the writable paths
};

// Adds links and a neighbouring directory to the project.
void PutNeighbours(PlanWorld& plan) {
  plan.world.files.Put("/home/dev/project/tests/a.cc", File());
  plan.world.files.Put("/home/dev/project/out", LinkTo("/srv/out"));
  plan.world.files.Put("/home/dev/project/loop", LinkTo("loop"));
  plan.world.files.Put("/home/dev/project/inner", LinkTo("src"));
  plan.world.files.Put("/home/dev/out", LinkTo("/srv/out"));
  plan.world.files.Put("/home/dev/later", LinkTo("/srv/later"));
  plan.world.files.Put("/srv/out/x", File());
  plan.world.files.Put("/home/dev/other/x", File());
  plan.world.files.Put("/var/tmp", Directory());
}

// Returns {"write":{"allow":LIST}} without the outer braces.
std::string AllowText(std::string_view list) {
  return R"("write":{"allow":)" + std::string(list) + "}";
}

void CheckWritable(std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    PlanWorld plan;
    PutNeighbours(plan);
    plan.world.User(row.policy);
    CHECK(PlacesText(plan.Plan().writable) == row.want);
  }
}

}  // namespace

TEST_CASE("plan: writable paths") {
  static constexpr Row kRows[] = {
      {"one", R"("write":{"allow":["src"]})", "/home/dev/project/src"},
      {"two", R"("write":{"allow":["tests","src"]})",
       "/home/dev/project/src, /home/dev/project/tests"},
      {"inside one another", R"("write":{"allow":["src","src/main.cc","."]})", "/home/dev/project"},
      {"twice", R"("write":{"allow":["src","./src","/home/dev/project/src"]})",
       "/home/dev/project/src"},
      {"a file", R"("write":{"allow":["README.md"]})", "/home/dev/project/README.md (file)"},
      {"of the home", R"("write":{"allow":["~/other"]})", "/home/dev/other"},
      {"absolute", R"("write":{"allow":["/srv/out"]})", "/srv/out"},
      {"above the project", R"("write":{"allow":["~"]})", "/home/dev"},
      {"all", R"("write":{"allow":["/"]})", "/"},
      {"the kernel's own", R"("write":{"allow":["/proc","/proc/sys"]})", ""},
  };
  CheckWritable(kRows);
}

TEST_CASE("plan: a common prefix of names does not make one path contain the other") {
  PlanWorld world;
  for (const std::string_view name : {"a", "a-b", "a/c"}) {
    world.world.files.Put("/srv/" + std::string(name) + "/x", File());
  }
  world.world.User(R"("write":{"allow":["/srv/a-b","/srv/a/c","/srv/a"]})");
  CHECK(PlacesText(world.Plan().writable) == "/srv/a, /srv/a-b");
}

TEST_CASE("plan: a missing path is created by its name in the project, beforehand elsewhere") {
  static constexpr Row kRows[] = {
      {"a folder", R"("write":{"allow":["build"]})", "/home/dev/project"},
      {"deep", R"("write":{"allow":["a/b/c"]})", "/home/dev/project"},
      {"deep in a folder", R"("write":{"allow":["src/b/c"]})", "/home/dev/project/src"},
      {"of the home", R"("write":{"allow":["~/fresh"]})", "make /home/dev/fresh"},
      {"inside another", R"("write":{"allow":[".","build"]})", "/home/dev/project"},
      {"the client's folders", R"("write":{"allow":["@claude-scratch","src"]})",
       "/home/dev/project/src"},
      {"the agent's state", R"("write":{"allow":["@agent-state","src"]})", "/home/dev/project/src"},
  };
  CheckWritable(kRows);
}

TEST_CASE("plan: links are followed once, where the hook follows them") {
  static constexpr Row kRows[] = {
      {"in the project", R"("write":{"allow":["inner"]})", "/home/dev/project/src"},
      {"in the project, a part of the way", R"("write":{"allow":["inner/main.cc"]})",
       "/home/dev/project/src/main.cc (file)"},
      {"out of the project", R"("write":{"allow":["out","out/x"]})", ""},
      {"from the home", R"("write":{"allow":["~/out"]})", "/srv/out"},
      {"to what is not there", R"("write":{"allow":["/home/dev/later"]})", "make /srv/later"},
      {"to itself", R"("write":{"allow":["loop"]})", ""},
      {"both names", R"("write":{"allow":["~/out","/srv/out"]})", "/srv/out"},
  };
  CheckWritable(kRows);
}

TEST_CASE("plan: a missing path makes no directory outside the project writable") {
  static constexpr Row kRows[] = {
      {"behind a link to the home", R"("write":{"allow":["planted/logs"]})", ""},
      {"deeper", R"("write":{"allow":["planted/a/b/c"]})", ""},
      {"to a place beside the project", R"("write":{"allow":["out/none"]})", ""},
      {"by a pattern", R"("write":{"allow":["planted/logs/*.log"]})", ""},
      {"behind a link in the project", R"("write":{"allow":["inner/new"]})",
       "/home/dev/project/src"},
      {"that may be replaced", R"("write":{"allow":["docs","docs/up/new"]})",
       "/home/dev/project/docs"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    PlanWorld plan;
    PutNeighbours(plan);
    plan.world.files.Put("/home/dev/project/planted", LinkTo("/home/dev"));
    plan.world.files.Put("/home/dev/project/docs/up", LinkTo("../src"));
    plan.world.User(row.policy);
    CHECK(PlacesText(plan.Plan().writable) == row.want);
  }
}

TEST_CASE("plan: --write follows no link that a command may have created") {
  PlanWorld plan;
  PutNeighbours(plan);
  plan.command.also_writable = "/home/dev/project/out";
  CHECK(plan.WhyNot().what.find("the link \"/home/dev/project/out\" is on the way") !=
        std::string::npos);
  CHECK(plan.WhyNot().hint == "name the directory that it leads to");
  plan.command.also_writable = "/srv/out";
  CHECK(PlacesText(plan.Plan().writable) == "/home/dev/project, /srv/out");
  plan.command.also_writable = "/home/dev/out";  // a link that no command may replace
  CHECK(PlacesText(plan.Plan().writable) == "/home/dev/project, /srv/out");
}

TEST_CASE("plan: a link that a confined command may have created leads nowhere new") {
  for (const std::string_view allow : {R"([".","out"])", R"([".","/home/dev/project/out"])"}) {
    CAPTURE(allow);
    PlanWorld plan;
    PutNeighbours(plan);
    plan.world.User(AllowText(allow));
    CHECK(PlacesText(plan.Plan().writable) == "/home/dev/project");
    CHECK(plan.world.Write("/srv/out/y") == "deny");
  }
}

TEST_CASE("plan: nor does a link that a pattern begins at") {
  for (const std::string_view allow :
       {R"([".","out/**"])", R"([".","/home/dev/project/out/**"])"}) {
    CAPTURE(allow);
    PlanWorld plan;
    PutNeighbours(plan);
    plan.world.User(AllowText(allow));
    CHECK(PlacesText(plan.Plan().writable) == "/home/dev/project");
    CHECK(plan.world.Write("/srv/out/y") == "deny");
  }
}

TEST_CASE("plan: a path that is denied or asked about is not writable") {
  static constexpr Row kRows[] = {
      {"denied", R"("write":{"allow":["src","tests"],"deny":["src"]})", "/home/dev/project/tests"},
      {"below a denied one", R"("write":{"allow":["src","tests"],"deny":["."]})", ""},
      {"denied through a link", R"("write":{"allow":["/srv/out","src"],"deny":["~/out"]})",
       "/home/dev/project/src"},
      {"asked about", R"("write":{"allow":["src"],"ask":["tests"]})", "/home/dev/project/src"},
      {"asked about in another list", R"("write":{"allow":["src","tests"],"ask":["src"]})",
       "/home/dev/project/tests"},
      {"an asked set", R"("write":{"allow":["~/bin","src"]})", "/home/dev/project/src"},
      {"a secret", R"("write":{"allow":["~/.ssh","src"]})", "/home/dev/project/src"},
      {"ringfence's own", R"("write":{"allow":["~/.config/ringfence","src"]})",
       "/home/dev/project/src"},
      {"the client's managed settings", R"("write":{"allow":["/etc/claude-code","src"]})",
       "/home/dev/project/src"},
  };
  CheckWritable(kRows);
}

TEST_CASE("plan: a path that is denied in another letter case is not writable") {
  PlanWorld world;
  world.world.User(R"("write":{"allow":["src"],"deny":["SRC"]})");
  CHECK(world.world.Write("/home/dev/project/src/new") == "deny");
  CHECK(PlacesText(world.Plan().writable) == "");
}

TEST_CASE("plan: files that must agree leave the paths that all of them allow") {
  struct Agreement {
    std::string_view name;
    std::string_view managed;
    std::string_view user;
    std::string_view want;
  };
  static constexpr Agreement kRows[] = {
      {"the user's is narrower", R"(["."])", R"(["src"])", "/home/dev/project/src"},
      {"the managed one is", R"(["src"])", R"(["."])", "/home/dev/project/src"},
      {"each has one more", R"(["src","/srv/out"])", R"(["src","tests"])", "/home/dev/project/src"},
      {"nothing in common", R"(["src"])", R"(["tests"])", ""},
      {"equal", R"(["src"])", R"(["src"])", "/home/dev/project/src"},
  };
  for (const Agreement& row : kRows) {
    CAPTURE(row.name);
    PlanWorld plan;
    PutNeighbours(plan);
    plan.world.Managed(AllowText(row.managed));
    plan.world.User(AllowText(row.user));
    CHECK(PlacesText(plan.Plan().writable) == row.want);
  }
}

TEST_CASE("plan: an untrusted project restricts and grants nothing") {
  PlanWorld plan;
  PutNeighbours(plan);
  plan.world.Project(R"("write":{"allow":["src","/srv/out"]},"sandbox":{"mode":"rwx"})", false);
  CHECK(plan.Plan().mode == SandboxMode::kSandbox);
  CHECK(PlacesText(plan.Plan().writable) == "/home/dev/project/src");
}

TEST_CASE("plan: the hook permits writes that a plan allows") {
  for (const std::string_view allow :
       {R"(["."])", R"(["src","README.md"])", R"(["inner"])", R"(["~/later"])",
        R"(["~/other","/srv"])", R"(["build","a/b"])", R"(["@tmp"])"}) {
    CAPTURE(allow);
    PlanWorld plan;
    PutNeighbours(plan);
    plan.world.User(AllowText(allow));
    const SandboxPlan made = plan.Plan();
    CHECK_FALSE(made.writable.empty());
    for (const PlannedPlace& place : made.writable) {
      CAPTURE(place.path.text());
      if (place.is_part) continue;  // names restrict it to a part
      const bool is_file = place.kind == PlannedPlace::Kind::kFile;
      CHECK(plan.world.Write(place.path.text() + (is_file ? "" : "/new")) == "permit");
    }
  }
}

TEST_CASE("plan: the directory that a pattern begins in is writable") {
  static constexpr Row kRows[] = {
      {"below the project", R"("write":{"allow":["src/**/*.cc"]})", "/home/dev/project/src"},
      {"and a file", R"("write":{"allow":["src/*.cc","README.md"]})",
       "/home/dev/project/README.md (file), /home/dev/project/src"},
      {"not there yet", R"("write":{"allow":["build/*.o"]})", "/home/dev/project"},
      // A pattern does not follow a link.
      {"behind a link", R"("write":{"allow":["~/out/*.o"]})", ""},
  };
  CheckWritable(kRows);
}

TEST_CASE("plan: if a list has a pattern, names restrict its directory") {
  PlanWorld world;
  world.world.User(R"("write":{"allow":["src/**/*.cc","README.md"]})");
  CHECK_FALSE(world.Refuses("/home/dev/project/src/a.cc"));
  CHECK_FALSE(world.Refuses("/home/dev/project/src/deep/a.cc"));
  CHECK_FALSE(world.Refuses("/home/dev/project/README.md"));
  CHECK(world.Refuses("/home/dev/project/src/a.h"));
  CHECK(world.Refuses("/home/dev/project/src/deep"));
  CHECK(world.Refuses("/home/dev/project/src"));
  CHECK(world.Refuses("/home/dev/project/LICENSE"));
}

TEST_CASE("plan: several lists with patterns apply together") {
  PlanWorld world;
  world.world.Managed(R"("write":{"allow":["src"]})");
  world.world.User(R"("write":{"allow":["**/*.cc"]})");
  CHECK_FALSE(world.Refuses("/home/dev/project/src/a.cc"));
  CHECK(world.Refuses("/home/dev/project/src/a.h"));
  CHECK(world.Refuses("/home/dev/project/tests/a.cc"));
}

TEST_CASE("plan: without patterns mounts enforce the list, and names do not") {
  PlanWorld world;
  world.world.User(R"("write":{"allow":["src","README.md"]})");
  CHECK(world.Plan().names.allow_only().empty());
}

TEST_CASE("plan: /tmp is private unless the policy names the host's") {
  struct Tmp {
    std::string_view allow;
    bool is_private;
    std::string_view want;
  };
  static constexpr Tmp kRows[] = {
      {R"(["."])", true, "/home/dev/project"},
      {R"([".","@tmp"])", false, "/home/dev/project, /tmp, /var/tmp"},
      {R"(["/tmp"])", false, "/tmp"},
      {R"(["/tmp/x"])", true, "make /tmp/x"},
      {R"(["/var/tmp"])", true, "/var/tmp"},
  };
  for (const Tmp& row : kRows) {
    CAPTURE(row.allow);
    PlanWorld plan;
    PutNeighbours(plan);
    plan.world.User(AllowText(row.allow));
    CHECK(plan.Plan().private_tmp == row.is_private);
    CHECK(PlacesText(plan.Plan().writable) == row.want);
  }
}

TEST_CASE("plan: a project in /tmp is writable and guarded in a private /tmp") {
  PlanWorld world;
  world.world.files.Put("/tmp/project/a", File());
  world.world.MoveRoot("/tmp/project", "/tmp/project");
  world.command.cwd = "/tmp/project";
  const SandboxPlan plan = world.Plan();
  CHECK(plan.private_tmp);
  CHECK(PlacesText(plan.writable) == "/tmp/project");
  CHECK(plan.names.Refuses("/tmp/project/.git/hooks/x") != nullptr);
  CHECK(plan.names.Refuses("/tmp/clone/.git/hooks/x") == nullptr);
}

TEST_CASE("plan: a read-only project in /tmp is visible in a private /tmp") {
  PlanWorld world;
  world.world.files.Put("/tmp/project/a", File());
  world.world.MoveRoot("/tmp/project", "/tmp/project");
  world.command.cwd = "/tmp/project";
  world.command.mode = SandboxMode::kRx;
  const SandboxPlan plan = world.Plan();
  CHECK(PlacesText(plan.writable) == "");
  CHECK(PlacesText(plan.readable) == "/tmp/project");
}

TEST_CASE("plan: with the host's /tmp names are refused there as well") {
  PlanWorld world;
  world.world.User(R"("write":{"allow":[".","@tmp"]})");
  CHECK(world.Refuses("/tmp/clone/.git/hooks/x"));
  CHECK_FALSE(world.Refuses("/dev/shm/clone/.git/hooks/x"));
}

TEST_CASE("plan: an ask entry opens neither its path nor a directory around it") {
  PlanWorld plan;
  plan.world.files.Put("/srv/data/x", File());
  plan.world.User(R"("sandbox":{"reads":"listed"},
                     "read":{"allow":["."],"ask":["/srv/data/a*"]},
                     "write":{"allow":["src"],"ask":["/srv/data/a*","src/[!m]*"]})");
  const SandboxPlan made = plan.Plan();
  CHECK(PlacesText(made.writable) == "/home/dev/project/src");
  CHECK(PlacesText(made.readable).find("/srv/data") == std::string::npos);
}

TEST_CASE("plan: a path below a file is ignored, and stops nothing") {
  PlanWorld plan;
  plan.world.User(R"("write":{"allow":["src","~/project/README.md/x"]})");
  CHECK(PlacesText(plan.Plan().writable) == "/home/dev/project/src");
}
