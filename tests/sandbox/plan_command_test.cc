// MakePlan(): the command, its program and its working directory.
#include <doctest/doctest.h>

#include "tests/support/plan_world.h"

using namespace ringfence;

TEST_CASE("plan: without a policy the project is writable, everything but secrets readable") {
  const SandboxPlan plan = PlanWorld().Plan();
  CHECK(PlacesText(plan.writable) == "/home/dev/project");
  CHECK(plan.mode == SandboxMode::kSandbox);
  CHECK(plan.layers == SandboxLayers::kFull);
  CHECK(plan.missing == SandboxMissing::kRefuse);
  CHECK(plan.reads_all);
  CHECK(plan.private_tmp);
  CHECK(plan.own_proc);
  CHECK(plan.supervised);
  CHECK(plan.network == PlannedNetwork{});
  CHECK(plan.limits.processes > 0);
  CHECK(PlacesText(plan.sealed) == "");
  CHECK(PlacesText(plan.hidden) == "");
  CHECK(plan.weaker.empty());
}

TEST_CASE("plan: command, directory and user are taken unchanged") {
  PlanWorld world;
  world.command.argv = {"sh", "-c", "echo \"$1\"", "", "\n"};
  world.command.cwd = "/home/dev/project/src";
  const SandboxPlan plan = world.Plan();
  CHECK(plan.argv == world.command.argv);
  CHECK(plan.cwd.text() == "/home/dev/project/src");
  CHECK(plan.root.text() == "/home/dev/project");
  CHECK(plan.user == 1000);
  CHECK(plan.group == 1000);
  CHECK(plan.landlock_abi == 7);
  CHECK(plan.is_confined());
}

TEST_CASE("plan: a program is searched only in absolute directories of PATH") {
  struct Search {
    std::string_view name;
    std::string_view program;
    std::string_view path;
    std::vector<std::string> want;
  };
  const Search kRows[] = {
      {"in order", "make", "PATH=/a:/b/c", {"/a/make", "/b/c/make"}},
      {"empty folders mean the current one", "make", "PATH=:/a::/b:", {"/a/make", "/b/make"}},
      {"relative folders", "make", "PATH=bin:.:./x:/a", {"/a/make"}},
      {"nothing but relative ones", "make", "PATH=bin", {}},
      {"no PATH", "make", "HOME=/x", {"/usr/local/bin/make", "/usr/bin/make", "/bin/make"}},
      {"an empty PATH", "make", "PATH=", {"/usr/local/bin/make", "/usr/bin/make", "/bin/make"}},
      {"an absolute name", "/opt/x", "PATH=/a", {"/opt/x"}},
      {"a relative name", "./x", "PATH=/a", {"./x"}},
  };
  for (const Search& row : kRows) {
    CAPTURE(row.name);
    PlanWorld world;
    world.command.argv = {std::string(row.program)};
    world.command.environment = {std::string(row.path)};
    CHECK(world.Plan().programs == row.want);
  }
}

TEST_CASE("plan: without a command there is no plan") {
  for (const std::vector<std::string>& argv :
       {std::vector<std::string>{}, std::vector<std::string>{"", "x"}}) {
    PlanWorld world;
    world.command.argv = argv;
    const Error error = world.WhyNot();
    CHECK(error.kind == Error::Kind::kUsage);
    CHECK(error.what.find("no command") != std::string::npos);
    CHECK_FALSE(error.hint.empty());
  }
}

TEST_CASE("plan: a command starts in the project or not at all") {
  struct Start {
    std::string_view name;
    std::string_view cwd;
    bool starts;
  };
  static constexpr Start kRows[] = {
      {"the root", "/home/dev/project", true},
      {"below", "/home/dev/project/src", true},
      {"a folder that is not there", "/home/dev/project/none", true},
      {"above", "/home/dev", false},
      {"a neighbour with the same prefix", "/home/dev/project2", false},
      {"elsewhere", "/srv", false},
      {"the root of all", "/", false},
      {"out by dots", "/home/dev/project/../other", false},
      {"in by dots", "/home/dev/other/../project", false},
      {"not absolute", "src", false},
      {"another letter case", "/home/dev/Project", false},
      {"not known", "", false},
  };
  for (const Start& row : kRows) {
    CAPTURE(row.name);
    PlanWorld world;
    world.command.cwd = row.cwd;
    CHECK(world.Try().has_value() == row.starts);
  }
}

TEST_CASE("plan: the refusal of a directory names it, the project and the remedy") {
  PlanWorld world;
  world.command.cwd = "/srv/\n";
  const Error error = world.WhyNot();
  CHECK(error.what.find(R"("/srv/\n")") != std::string::npos);
  CHECK(error.what.find(R"("/home/dev/project")") != std::string::npos);
  CHECK(error.hint.find("--chdir") != std::string::npos);
}
