// MakePlan(): where the changes to the project go.
#include <doctest/doctest.h>

#include <string>

#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

using Contents = PlannedPlace::Contents;

constexpr const char* kStage = "/home/dev/.local/state/ringfence/stages/ab23";

struct Staged {
  explicit Staged(std::string_view members = "") {
    if (!members.empty()) planned.world.User(members);
    planned.command.stage = Path::Clean(kStage);
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
  CHECK(plan.stage.text() == kStage);
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

TEST_CASE("plan, stage: without a way to keep changes apart there is no plan") {
  const auto why_not = [](auto change) {
    Staged staged;
    change(staged.planned);
    return staged.planned.WhyNot().what;
  };
  CHECK(why_not([](PlanWorld& w) { w.command.layers = SandboxLayers::kLandlock; }) ==
        "staging needs layers full; nothing was run");
  CHECK(why_not([](PlanWorld& w) { w.facts.is_inside = true; }) ==
        "this is inside another sandbox of ringfence's; nothing was run");
  CHECK(why_not([](PlanWorld& w) { w.facts.system = HostSystem::kMacos; }) ==
        "changes cannot be staged on this system; nothing was run");
  const std::string mounts = "1 0 8:1 / / rw - ext4 d rw\n2 1 8:2 / ";
  CHECK(why_not([&](PlanWorld& w) {
          const std::string text = mounts + "/home/dev/project/sub rw - ext4 e rw\n";
          w.world.files.Put("/proc/self/mountinfo", File(text));
        }) == "\"/home/dev/project/sub\" is a mount point in the project; nothing was run");

  Staged above;
  above.planned.world.files.Put("/proc/self/mountinfo",
                                File(mounts + "/home/dev/project rw - ext4 e rw\n"));
  CHECK(above.planned.Plan().is_staged());
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
