// MakePlan(): paths that mounts show under several names.
#include <doctest/doctest.h>

#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

struct MountedPlan : PlanWorld {
  explicit MountedPlan(const std::string& mounts) {
    world.files.Put("/proc/self/mountinfo", File("1 0 8:1 / / rw - ext4 d rw\n" + mounts));
  }
};

constexpr const char* kSecondHome = "2 1 8:1 /home /srv/home rw - ext4 d rw\n";

bool Seals(const SandboxPlan& plan, const char* path) {
  return PlacesText(plan.sealed).find(path) != std::string::npos;
}

}  // namespace

TEST_CASE("plan mounts: a hidden path is hidden under every name") {
  MountedPlan world(kSecondHome);
  for (const char* home : {"/home/dev", "/srv/home/dev"}) {
    world.world.files.Put(std::string(home) + "/.ssh/id", File());
    world.world.files.Put(std::string(home) + "/project/.env", File());
  }
  world.world.User(R"("read":{"deny":["@secrets","**/.env"]})");
  CHECK(PlacesText(world.Plan().hidden) ==
        "/home/dev/.ssh, /home/dev/project/.env (file), /srv/home/dev/.ssh, "
        "/srv/home/dev/project/.env (file)");
}

TEST_CASE("plan mounts: a part that is mounted elsewhere is hidden there") {
  MountedPlan world("2 1 8:1 /home/dev/.ssh/keys /srv/keys rw - ext4 d rw\n");
  world.world.files.Put("/home/dev/.ssh/keys/id", File());
  world.world.files.Put("/srv/keys/id", File());
  CHECK(PlacesText(world.Plan().hidden) == "/home/dev/.ssh, /srv/keys");
}

TEST_CASE("plan mounts: the project's own transcripts stay under both names") {
  MountedPlan world(kSecondHome);
  for (const char* home : {"/home/dev", "/srv/home/dev"}) {
    for (const char* name : {"-home-dev-project", "-other"}) {
      world.world.files.Put(std::string(home) + "/.claude/projects/" + name + "/x", File());
    }
  }
  CHECK(PlacesText(world.Plan().hidden) ==
        "/home/dev/.claude/projects but /home/dev/.claude/projects/-home-dev-project, "
        "/srv/home/dev/.claude/projects but /srv/home/dev/.claude/projects/-home-dev-project");
}

TEST_CASE("plan mounts: a second view of everything is not hidden, and a note says so") {
  MountedPlan world("2 1 8:1 / /mnt/disk rw - ext4 d rw\n");
  world.world.files.Put("/mnt/disk/etc/x", File());
  world.world.User(R"("read":{"deny":["/mnt/disk"]})");
  CHECK(PlacesText(world.Plan().hidden) == "/mnt/disk");
  CHECK(Notes(world.Plan(), "\"/mnt/disk\" is hidden there only"));
}

TEST_CASE("plan mounts: a write-protected path is guarded in a writable second view") {
  MountedPlan world(kSecondHome);
  for (const char* home : {"/home/dev", "/srv/home/dev"}) {
    world.world.files.Put(std::string(home) + "/.bashrc", File());
    world.world.files.Put(std::string(home) + "/project/docs/adr/1", File());
  }
  world.world.User(R"("write":{"allow":[".","/srv"],"deny":["docs/adr"]})");
  const SandboxPlan plan = world.Plan();
  CHECK(Seals(plan, "/srv/home/dev/.bashrc"));
  CHECK(Seals(plan, "/srv/home/dev/project/docs/adr"));
  CHECK(plan.names.Refuses("/srv/home/dev/.zshrc") != nullptr);
  CHECK(plan.names.Refuses("/srv/home/dev/.config/ringfence/policy.json") != nullptr);
  CHECK(plan.names.Refuses("/srv/home/dev/x") == nullptr);
  CHECK(plan.names.Refuses("/srv/x") == nullptr);
  CHECK_FALSE(plan.names.RefusesTree("/srv/home/dev").empty());
  CHECK(plan.names.Holds("/srv/home") != nullptr);  // so that the names above stay valid
}

TEST_CASE("plan mounts: a name is guarded if Landlock opens the same directory by another name") {
  MountedPlan world(kSecondHome);
  world.command.layers = SandboxLayers::kLandlock;
  world.world.User(R"("write":{"deny":["docs/adr"]})");
  const SandboxPlan plan = world.Plan();
  CHECK(plan.names.Refuses("/srv/home/dev/project/docs/adr/x") != nullptr);
  CHECK(plan.names.Refuses("/srv/home/dev/project/docs/x") == nullptr);
}

TEST_CASE("plan mounts: a rule about a part's other path applies in the project") {
  MountedPlan world("2 1 8:1 /home/dev/project/share /srv/share rw - ext4 d rw\n");
  world.world.files.Put("/home/dev/project/share/keep/x", File());
  world.world.files.Put("/srv/share/keep/x", File());
  world.world.User(R"("write":{"deny":["/srv/share/keep"]})");
  const SandboxPlan plan = world.Plan();
  CHECK(Seals(plan, "/home/dev/project/share/keep"));
  CHECK(plan.names.Refuses("/home/dev/project/share/keep/y") != nullptr);
  CHECK(plan.names.Refuses("/home/dev/project/share/y") == nullptr);
  CHECK(plan.names.Holds("/home/dev/project/share") != nullptr);
}

TEST_CASE("plan mounts: sockets are covered under every name") {
  MountedPlan world(kSecondHome);
  for (const char* home : {"/home/dev", "/srv/home/dev"}) {
    world.world.files.Put(std::string(home) + "/agent.sock", Special(FileKind::kSocket));
  }
  world.facts.sockets = {"/home/dev/agent.sock"};
  CHECK(PathsText(world.Plan().sockets) == "/home/dev/agent.sock, /srv/home/dev/agent.sock");
}

TEST_CASE("plan mounts: the first hidden path that other spellings may reach is named") {
  MountedPlan world("2 1 0:7 / /home/dev/project rw - 9p d rw\n");
  world.world.files.Put("/home/dev/.ssh/id", File());
  world.world.files.Put("/home/dev/project/a/.env", File());
  world.world.files.Put("/home/dev/project/b/.env", File());
  world.world.User(R"("read":{"deny":["~/.ssh","**/.env"]})");
  constexpr const char* kNote =
      "read.deny: \"/home/dev/project/a/.env\" is on a file system of type \"9p\", which may "
      "accept "
      "other spellings of the name: it can be read by those";
  CHECK(Notes(world.Plan(), kNote));
  CHECK_FALSE(Notes(world.Plan(), "project/b/.env"));
  world.command.layers = SandboxLayers::kLandlock;
  CHECK_FALSE(Notes(world.Plan(), "other spellings"));
}

TEST_CASE("plan mounts: no note about spellings if no hidden file is on such a file system") {
  MountedPlan world("2 1 0:7 / /mnt/c rw - 9p d rw\n");
  world.world.files.Put("/home/dev/project/.env", File());
  world.world.User(R"("read":{"deny":["**/.env"]})");
  CHECK_FALSE(world.Plan().hidden.empty());
  CHECK_FALSE(Notes(world.Plan(), "other spellings"));
}

TEST_CASE("plan mounts: ordinary mounts change no plan") {
  const SandboxPlan plain = PlanWorld().Plan();
  MountedPlan world("2 1 8:2 / /home rw - ext4 e rw\n3 1 0:5 / /proc rw - proc proc rw\n");
  const SandboxPlan plan = world.Plan();
  CHECK(plan.names == plain.names);
  CHECK(plan.hidden == plain.hidden);
  CHECK(plan.weaker == plain.weaker);
}
