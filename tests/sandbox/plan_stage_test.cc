// MakePlan(): where the changes to the project go.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "sandbox/render.h"
#include "tests/support/plan_world.h"
#include "tests/support/sbpl.h"

using namespace ringfence;

namespace {

using Contents = PlannedPlace::Contents;

constexpr const char* kStage = "/home/dev/.local/state/ringfence/stages/ab23";

struct Staged {
  explicit Staged(std::string_view members = "") {
    if (!members.empty()) planned.world.User(members);
    planned.command.stage = Path::Clean(kStage);
    planned.command.stage_begun = 5;
  }
  PlanWorld planned;
};

}  // namespace

TEST_CASE("plan, stage: places in the project are staged, others are not") {
  Staged staged(R"("write": {"allow": ["src", "new", "/srv/shared"]})");
  staged.planned.world.files.Put("/home/dev/project/src", Directory());
  staged.planned.world.files.Put("/srv/shared", Directory());
  const SandboxPlan plan = staged.planned.Plan();
  CHECK(plan.is_staged());
  CHECK(plan.stage.folder.text() == kStage);
  CHECK(plan.stage.begun == 5);
  size_t count = 0;
  for (const PlannedPlace& place : plan.writable) {
    CAPTURE(place.path.text());
    const bool is_inside = place.path.IsInside(plan.root);
    CHECK((place.contents == Contents::kStaged) == is_inside);
    count += is_inside ? 1 : 0;
  }
  CHECK(count > 0);
  staged.planned.command.stage = Path();
  for (const PlannedPlace& place : staged.planned.Plan().writable) CHECK_FALSE(place.is_staged());
}

namespace {

// The reason for a copy; "overlay" if there is none.
std::string WhyCopy(const PlanWorld& world) {
  const PlannedStage stage = world.Plan().stage;
  CHECK(stage.why_copy.empty() == (stage.mechanism == StageMechanism::kOverlay));
  return stage.why_copy.empty() ? "overlay" : stage.why_copy;
}

constexpr const char* kProject = "/home/dev/project";
constexpr const char* kDisks = "1 0 8:1 / / rw - ext4 d rw\n2 1 8:2 / ";

void Mount(PlanWorld& world, const std::string& line) {
  world.world.files.Put("/proc/self/mountinfo", File(kDisks + line));
}

}  // namespace

TEST_CASE("plan, stage: without a way to keep changes apart there is no plan") {
  const auto why_not = [](auto change) {
    Staged staged;
    change(staged.planned);
    return staged.planned.WhyNot().what;
  };
  CHECK(why_not([](PlanWorld& w) { w.facts.is_inside = true; }) ==
        "this is inside another sandbox of ringfence's; nothing was run");
  CHECK(why_not([](PlanWorld& w) { w.facts.system = HostSystem::kWindows; }) ==
        "changes cannot be staged on this system; nothing was run");
  CHECK(why_not([](PlanWorld& w) {
          w.facts.system = HostSystem::kMacos;
          w.world.User(R"("stage": {"buffer": "memory"})");
        }) == "stage.buffer is memory, which needs Linux; nothing was run");
}

TEST_CASE("plan, stage: where nothing can be mounted, the command runs in a copy") {
  Staged staged;
  CHECK(WhyCopy(staged.planned) == "overlay");
  CHECK_FALSE(staged.planned.Plan().stage.is_elsewhere);
  staged.planned.command.layers = SandboxLayers::kLandlock;
  CHECK(WhyCopy(staged.planned) == "nothing can be mounted with layers landlock");
  CHECK(staged.planned.Plan().stage.is_elsewhere);
}

TEST_CASE("plan, stage: on macOS the command runs in a copy, whatever the layers are") {
  for (const SandboxLayers layers : {SandboxLayers::kFull, SandboxLayers::kLandlock}) {
    CHECK(WorksElsewhere(HostSystem::kMacos, layers));
    Staged staged;
    staged.planned.facts.system = HostSystem::kMacos;
    staged.planned.command.layers = layers;
    CHECK(WhyCopy(staged.planned) == "nothing can be mounted over the project on macOS");
    const SandboxPlan plan = staged.planned.Plan();
    CHECK(plan.stage.is_elsewhere);
    CHECK(Notes(plan, "processes that the command leaves behind"));
  }
  CHECK(WorksElsewhere(HostSystem::kLinux, SandboxLayers::kLandlock));
  CHECK_FALSE(WorksElsewhere(HostSystem::kLinux, SandboxLayers::kFull));
}

TEST_CASE("plan, stage: the profile for macOS hides stages that are created later") {
  PlanWorld planned;
  planned.facts.system = HostSystem::kMacos;
  const SbplProfile profile(SeatbeltProfile(planned.Plan()));
  const std::string state = "/home/dev/.local/state/";
  for (const char* name : {"ringfence/stages/ab23/record", "ringfence-copies/ab23/project/x"}) {
    CHECK_FALSE(profile.MayRead(state + name));
  }
  CHECK(profile.MayRead(state + "other"));
}

TEST_CASE("plan, stage: the profile for macOS lets the command work in the copy only") {
  Staged staged(R"("read": {"deny": ["/Users/dev/project/secret"]})");
  PlanWorld& planned = staged.planned;
  World& world = planned.world;
  const std::string home = "/Users/dev";
  const std::string copies = home + "/.local/state/ringfence-copies";
  const std::string copy = copies + "/ab23/project";
  const std::string stages = home + "/.local/state/ringfence/stages";
  for (const std::string& folder :
       {home + "/project", copy + "/src", copies + "/cd45/project", stages}) {
    world.files.Put(folder, Directory());
  }
  for (const std::string& folder : {home + "/project", copy}) {
    world.files.Put(folder + "/secret", File());
  }
  world.places.homes = {Path::Clean(home)};
  world.places.homes_real = world.places.homes;
  world.places.root = world.places.root_real = Path::Clean(copy);
  planned.facts.system = HostSystem::kMacos;
  planned.command.copied_project = Path::Clean(home + "/project");
  planned.command.cwd = copy;
  const SbplProfile profile(SeatbeltProfile(planned.Plan()));
  CHECK(profile.MayWrite(copy + "/src/new"));
  CHECK(profile.MayRead(copy + "/src/new"));
  CHECK(profile.MayRemove(copy + "/src/new"));
  CHECK_FALSE(profile.MayRead(copy + "/secret"));
  CHECK_FALSE(profile.MayWrite(copy + "/.git/hooks/pre-commit"));
  CHECK_FALSE(profile.MayRemove(copy + "/.git/hooks/pre-commit"));
  CHECK_FALSE(profile.MayWrite(home + "/project/src/new"));
  CHECK_FALSE(profile.MayRemove(home + "/project/src/new"));
  CHECK(profile.MayRead(home + "/project/src/old"));
  for (const std::string& other : {copies + "/cd45/project/x", stages + "/ab23/record"}) {
    CHECK_FALSE(profile.MayRead(other));
    CHECK_FALSE(profile.MayWrite(other));
  }
  for (const std::string& folder : {copies, copies + "/ab23"}) {
    CHECK(profile.Allows({.operation = "file-read-metadata", .path = folder}));
    CHECK_FALSE(profile.Allows({.operation = "file-read-data", .path = folder}));
  }
}

TEST_CASE("plan, stage: places in a copy are as usual, and those of the project are left out") {
  Staged staged(R"("write": {"allow": ["src", "/home/dev/project/out", "/srv/shared"]},
                   "read": {"deny": ["/home/dev/project/secret", "/home/dev/project/none"]})");
  PlanWorld& planned = staged.planned;
  const Path copies = Path::Clean("/home/dev/.local/state/ringfence-copies");
  const Path copy = copies.Child("ab23/project");
  for (const char* name : {"/home/dev/project/out", "/srv/shared"}) {
    planned.world.files.Put(name, Directory());
  }
  planned.world.files.Put(copy.Child("src").text(), Directory());
  planned.world.files.Put(copy.Child("secret").text(), File());
  for (const char* name : {"/home/dev/project/secret", "/home/dev/project/none"}) {
    planned.world.files.Put(name, File());
  }
  planned.command.layers = SandboxLayers::kLandlock;
  planned.command.copied_project = Path::Clean(kProject);
  planned.command.cwd = copy.text();
  planned.world.places.root = copy;
  planned.world.places.root_real = copy;
  const SandboxPlan plan = planned.Plan();
  CHECK(PlacesText(plan.writable) == copy.Child("src").text() + ", /srv/shared");
  CHECK(Notes(plan, "/home/dev/project/out is not writable: it would change the project itself"));
  for (const PlannedPlace& place : plan.writable) CHECK_FALSE(place.is_staged());
  const auto hidden = std::ranges::find(plan.hidden, copies, &HiddenPlace::path);
  REQUIRE(hidden != plan.hidden.end());
  CHECK(PathsText(hidden->kept) == copy.text());
  CHECK_FALSE(hidden->covers(copy.Child("src")));
  const auto is_hidden = [&plan](const Path& path) {
    return std::ranges::find(plan.hidden, path, &HiddenPlace::path) != plan.hidden.end();
  };
  CHECK(is_hidden(copy.Child("secret")));
  CHECK_FALSE(is_hidden(copy.Child("none")));
}

TEST_CASE("plan, stage: mounts in the project are kept, and not written") {
  Staged staged;
  Mount(staged.planned,
        "/home/dev/project/sub rw - ext4 e rw\n3 2 8:3 / /home/dev/project/sub/x rw "
        "- ext4 f rw\n");
  CHECK(WhyCopy(staged.planned) == "\"/home/dev/project/sub\" is a mount point in the project");
  CHECK(PathsText(staged.planned.Plan().stage.mounts) == "/home/dev/project/sub");
  CHECK(staged.planned.Refuses("/home/dev/project/sub/file"));
  CHECK_FALSE(staged.planned.Refuses("/home/dev/project/other"));
  Staged above;
  Mount(above.planned, "/home/dev/project rw - ext4 e rw\n");
  CHECK(WhyCopy(above.planned) == "overlay");
}

TEST_CASE("plan, stage: file systems of servers and missing overlays") {
  for (const char* type : {"nfs4", "fuse.sshfs", "9p"}) {
    Staged staged;
    Mount(staged.planned, "/home/dev/project rw - " + std::string(type) + " e rw\n");
    CHECK(WhyCopy(staged.planned) ==
          "the project is on a file system of type " + std::string(type));
  }
  Staged staged;
  staged.planned.facts.lacks = {Feature::kOverlay};
  staged.planned.facts.no_overlay = "mount(overlay): EINVAL";
  CHECK(WhyCopy(staged.planned) == "mount(overlay): EINVAL");
  CHECK_FALSE(staged.planned.Plan().can_do_without(Feature::kOverlay));
  CHECK(Staged().planned.Plan().can_do_without(Feature::kOverlay));
}

TEST_CASE("plan, stage: files that an overlay cannot copy") {
  const auto why = [](const char* name, const FakeNode& file) {
    Staged staged;
    staged.planned.world.files.Put("/home/dev/project/sub", Directory());
    staged.planned.world.files.Put(std::string(kProject) + "/" + name, file);
    return WhyCopy(staged.planned);
  };
  const auto of = [](FakeNode file, uint32_t owner, uint32_t group, uint32_t mode) {
    file.facts.owner = owner;
    file.facts.group = group;
    file.facts.mode = mode;
    return file;
  };
  CHECK(why("f", of(File(), 1000, 1000, 0666)) == "overlay");
  CHECK(why("f", of(File(), 7, 7, 0644)) == "overlay");  // the user cannot write it anyway
  const std::string foreign = "\"/home/dev/project/f\" belongs to another user or group";
  CHECK(why("f", of(File(), 7, 7, 0646)) == foreign);
  CHECK(why("f", of(File(), 7, 7, 0664)) == foreign);
  CHECK(why("f", of(File(), 1000, 7, 0600)) == foreign);
  CHECK(why("f", of(Directory(), 7, 7, 0755)) == foreign);
  CHECK(why("sub/f", of(File(), 1000, 7, 0600)) ==
        "\"/home/dev/project/sub/f\" belongs to another user or group");
}

TEST_CASE("plan, stage: changes in memory need an overlay") {
  const char* const kMemory = R"("stage": {"buffer": "memory", "buffer_size": "64M"})";
  Staged staged(kMemory);
  CHECK(staged.planned.Plan().stage.memory == uint64_t{64} << 20);
  CHECK(Staged().planned.Plan().stage.memory == 0);
  staged.planned.command.layers = SandboxLayers::kLandlock;
  CHECK(staged.planned.WhyNot().what ==
        "stage.buffer is memory, which needs layers full; nothing was run");
  Staged mounted(kMemory);
  Mount(mounted.planned, "/home/dev/project/sub rw - ext4 e rw\n");
  CHECK(mounted.planned.WhyNot().what ==
        "stage.buffer is memory, which needs an overlay mount: "
        "\"/home/dev/project/sub\" is a mount point in the project; nothing was run");
}

TEST_CASE("plan, stage: a policy that does not confine commands in a stage refuses them") {
  Staged staged(R"("stage": {"commands": {"sandbox": false}})");
  CHECK(staged.planned.WhyNot().hint.find("remove \"sandbox\": false") == 0);
  staged.planned.command.is_agent = true;
  CHECK(staged.planned.Plan().is_staged());
  Staged beside(R"("stage": {"commands": {"sandbox": false}})");
  beside.planned.command.stage = Path();
  CHECK(beside.planned.Plan().is_confined());
}

TEST_CASE("plan, stage: a command that is not confined is not staged") {
  Staged staged;
  staged.planned.command.mode = SandboxMode::kRwx;
  CHECK(staged.planned.WhyNot().what ==
        "a command that is not confined cannot be staged; nothing was run");
}
