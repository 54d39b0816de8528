// The refused names that the plan mounts over: PlannedNames.sealed.
#include <doctest/doctest.h>

#include "tests/support/plan_world.h"

using namespace ringfence;

TEST_CASE("sealed: the refused names that exist in a writable directory") {
  PlanWorld world;
  for (const char* name : {".git/config", ".git/hooks/x.sample", ".git/HEAD", ".vscode/tasks.json",
                           ".claude/settings.json", "sub/.git/config", "docs/adr/1.md"}) {
    world.world.files.Put(std::string("/home/dev/project/") + name, File());
  }
  world.world.files.Put("/home/dev/.bashrc", File());
  world.world.User(R"("write":{"deny":["docs/adr"]})");
  const SandboxPlan plan = world.Plan();
  CHECK(PlacesText(plan.sealed) ==
        "/home/dev/project/.claude/settings.json (file), /home/dev/project/.git/config (file), "
        "/home/dev/project/.git/hooks, /home/dev/project/.vscode, /home/dev/project/docs/adr");
  for (const PlannedPlace& place : plan.sealed) CHECK_FALSE(place.why.empty());
}

TEST_CASE("sealed: nothing if nothing is writable") {
  PlanWorld world;
  world.world.files.Put("/home/dev/project/.git/hooks/x", File());
  world.command.mode = SandboxMode::kRx;
  CHECK(PlacesText(world.Plan().sealed) == "");
}

TEST_CASE("sealed: no path is inside another, whatever sorts between them") {
  PlanWorld world;
  for (const char* name : {"docs/adr/x", "docs-old/x", "docs.md"}) {
    world.world.files.Put(std::string("/home/dev/project/") + name, File());
  }
  world.world.User(R"("write":{"deny":["docs","docs-old","docs.md","docs/adr"]})");
  CHECK(PlacesText(world.Plan().sealed) ==
        "/home/dev/project/docs, /home/dev/project/docs-old, /home/dev/project/docs.md (file)");
}

TEST_CASE("sealed: links are resolved, since mounting follows none") {
  PlanWorld world;
  world.world.files.Put("/home/dev/project/docs", LinkTo("real"));
  world.world.files.Put("/home/dev/project/real/adr/1.md", File());
  world.world.files.Put("/home/dev/project/.git", LinkTo("/srv/git"));
  world.world.files.Put("/srv/git/hooks/x", File());
  world.world.User(R"("write":{"deny":["docs/adr"]})");
  CHECK(PlacesText(world.Plan().sealed) == "/home/dev/project/real/adr");
}

TEST_CASE("sealed: sockets and devices are refused by name only, links where they lead") {
  PlanWorld world;
  world.world.files.Put("/home/dev/project/.envrc", LinkTo("README.md"));
  world.world.files.Put("/home/dev/project/.mcp.json", Special(FileKind::kFifo));
  const SandboxPlan plan = world.Plan();
  CHECK(PlacesText(plan.sealed) == "/home/dev/project/README.md (file)");
  CHECK(plan.names.Refuses("/home/dev/project/.envrc") != nullptr);
  CHECK(plan.names.Refuses("/home/dev/project/.mcp.json") != nullptr);
}
