// MakePlan(): the /tmp of a session.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/sha256.h"
#include "sandbox/private_folders.h"
#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

constexpr const char* kFolders = "/home/dev/.local/state/ringfence/tmp";

// A command of the session "one", under the user's policy with these members.
struct Session {
  explicit Session(std::string_view members = "") {
    if (!members.empty()) planned.world.User(members);
    planned.command.session = "one";
  }
  PlanWorld planned;
};

bool Hides(const SandboxPlan& plan, std::string_view path) {
  return std::ranges::any_of(plan.hidden,
                             [&](const HiddenPlace& place) { return place.path.text() == path; });
}

}  // namespace

TEST_CASE("session: its directory is named by a digest, below one that every sandbox hides") {
  const SandboxPlan plan = Session().planned.Plan();
  CHECK(plan.session_tmp.text() == kFolders + ("/" + Sha256Hex("one")));
  CHECK(Hides(plan, kFolders));
  CHECK(plan.private_tmp);
  Session other;
  other.planned.command.session = "../../etc";
  CHECK(other.planned.Plan().session_tmp.text() == kFolders + ("/" + Sha256Hex("../../etc")));
}

TEST_CASE("session: a run without one has no directory, and sees no others") {
  PlanWorld world;
  CHECK(world.Plan().session_tmp.is_root());
  CHECK_FALSE(Hides(world.Plan(), kFolders));  // does not exist
  world.world.files.Put(std::string(kFolders) + "/x/f", File());
  CHECK(Hides(world.Plan(), kFolders));
}

TEST_CASE("session: no path below the directories is writable by its own name") {
  const Session session(R"("write":{"allow":[".","~"]})");
  CHECK(session.planned.Refuses(std::string(kFolders) + "/x"));
}

TEST_CASE("session: @tmp means the host's /tmp") {
  const SandboxPlan plan = Session(R"("write":{"allow":[".","@tmp"]})").planned.Plan();
  CHECK_FALSE(plan.private_tmp);
  CHECK(plan.session_tmp.is_root());
}

TEST_CASE("session: without mounts, the directory is used for temporary files") {
  Session session;
  PlanWorld& world = session.planned;
  world.command.layers = SandboxLayers::kLandlock;
  world.facts.scratch = "/tmp/ringfence-1";
  const SandboxPlan plan = world.Plan();
  CHECK(plan.scratch == plan.session_tmp);
  CHECK(std::ranges::find(plan.environment, "TMPDIR=" + plan.session_tmp.text()) !=
        plan.environment.end());
  CHECK(plan.names.Refuses(plan.session_tmp.text() + "/x") == nullptr);
}

TEST_CASE("session: no directory inside another sandbox, or if nothing is confined") {
  Session inside;
  inside.planned.facts.is_inside = true;
  CHECK(inside.planned.Plan().session_tmp.is_root());
  Session bare;
  bare.planned.command.mode = SandboxMode::kRwx;
  CHECK(bare.planned.Plan().session_tmp.is_root());
}

TEST_CASE("result file: one additional writable file, in every mode") {
  for (const SandboxMode mode : {SandboxMode::kSandbox, SandboxMode::kRx}) {
    Session session(R"("write":{"allow":["*.txt"]})");
    PlanWorld& world = session.planned;
    world.command.mode = mode;
    world.command.result_file = "/tmp/claude-1-cwd";
    const SandboxPlan plan = world.Plan();
    CHECK(PlacesText(plan.writable).find("/tmp/claude-1-cwd (file)") != std::string::npos);
    CHECK(plan.names.Refuses("/tmp/claude-1-cwd") == nullptr);
    CHECK(plan.private_tmp);
  }
}

TEST_CASE("session: a directory kept on the host is guarded by git's rules") {
  const SandboxPlan kept = Session().planned.Plan();
  CHECK(kept.names.IsOwn("/tmp/x"));
  CHECK(kept.names.Refuses("/tmp/r/.git/hooks/pre-commit") != nullptr);
  CHECK(kept.names.Refuses("/tmp/x") == nullptr);
  const SandboxPlan gone = PlanWorld().Plan();
  CHECK(gone.names.IsExempt("/tmp/x"));
  CHECK(gone.names.Refuses("/tmp/r/.git/hooks/pre-commit") == nullptr);
}

TEST_CASE("session: without mounts the temporary directory is guarded the same way") {
  PlanWorld world;
  world.facts.scratch = ScratchFolder(17);
  world.command.layers = SandboxLayers::kLandlock;
  const SandboxPlan plan = world.Plan();
  CHECK(plan.names.IsOwn("/tmp/ringfence-17/x"));
  CHECK(plan.names.Refuses("/tmp/ringfence-17/r/.git/config") != nullptr);
  CHECK(plan.names.Refuses("/tmp/ringfence-17/.github/workflows/x.yml") == nullptr);
  CHECK(plan.names.Refuses(SelfTestName(plan).text()) != nullptr);
}

TEST_CASE("session: inside a sandbox without mounts, that sandbox's temporary directory is used") {
  const auto scratch = [](const std::string& tmp) {
    PlanWorld world;
    world.facts.is_inside = true;
    world.facts.inside_view = false;
    world.command.environment.push_back("TMPDIR=" + tmp);
    const SandboxPlan plan = world.Plan();
    CHECK_FALSE(plan.private_tmp);
    return plan.scratch.text();
  };
  CHECK(scratch("/tmp/ringfence-17") == "/tmp/ringfence-17");
  CHECK(scratch(kFolders + std::string("/0ab")) == kFolders + std::string("/0ab"));
  for (const char* other : {"", "/", "/tmp", "/tmp/ringfence-", "/tmp/ringfence-17/x", "/home/dev",
                            "/tmp/ringfence-1x", "relative", kFolders}) {
    CAPTURE(other);
    CHECK(scratch(other) == "/");
  }
}
