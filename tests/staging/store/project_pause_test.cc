#include "staging/store/project_pause.h"

#include <doctest/doctest.h>
#include <poll.h>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

const Path kProject = Path::Clean("/home/dev/project");

// Waits for the next time to look.
bool HasNotice(const PauseWatch& watch) {
  constexpr int kPatience = 60'000;
  pollfd polled{.fd = watch.notices(), .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, kPatience) == 1;
}

struct Store {
  TemporaryTree tree;
  StageStore store{Path::Clean(tree.root() + "/stages")};

  UniqueFd Lock() const {
    Result<UniqueFd> lock = store.LockProject(kProject, 1);
    REQUIRE(lock.has_value());
    REQUIRE(lock->valid());
    return std::move(*lock);
  }
  PauseWatch Watch() const {
    Result<UniqueFd> file = store.OpenProjectLock(kProject);
    REQUIRE(file.has_value());
    Result<PauseWatch> watch = PauseWatch::Begin(std::move(*file));
    REQUIRE(watch.has_value());
    return std::move(*watch);
  }
  OtherStages Pause(const UniqueFd& lock, const std::string& id) const {
    Result<OtherStages> others = PauseOthers(store, lock, {.id = id, .project = kProject});
    REQUIRE(others.has_value());
    return std::move(*others);
  }
};

}  // namespace

TEST_CASE("project pause: a watch sees a command that works alone, and its end") {
  const Store store;
  const PauseWatch watch = store.Watch();
  CHECK(watch.Look() == "");
  {
    const UniqueFd lock = store.Lock();
    CHECK(HasNotice(watch));
    CHECK(watch.Look() == "");  // it applies changes, for a moment
    store.Pause(lock, "ab23");
    CHECK(HasNotice(watch));
    CHECK(watch.Look() == "ab23");
    CHECK(HasNotice(watch));
    CHECK(watch.Look() == "ab23");
    CHECK(store.Watch().Look() == "ab23");  // one that begins later
  }
  CHECK(watch.Look() == "");
  CHECK(store.Watch().Look() == "");
}

TEST_CASE("project pause: a watch does not keep the next command from the lock") {
  const Store store;
  const PauseWatch watch = store.Watch();
  store.Pause(store.Lock(), "ab23");
  CHECK(watch.Look() == "");
  const UniqueFd lock = store.Lock();
  store.Pause(lock, "cd45");
  CHECK(watch.Look() == "cd45");
}

TEST_CASE("project pause: the running stages of the project are those to wait for") {
  const Store store;
  const auto create = [&](const char* project, StageState state) {
    Result<StageFolder> stage = store.store.Create();
    REQUIRE(stage.has_value());
    const StageRecord record{
        .id = std::string(stage->path().name()), .project = Path::Clean(project), .state = state};
    REQUIRE(stage->Save(record).has_value());
    return std::move(*stage);
  };
  const StageFolder paused = create("/home/dev/project", StageState::kRunning);
  const StageFolder running = create("/home/dev/project", StageState::kRunning);
  const StageFolder ended = create("/home/dev/project", StageState::kEnded);
  const StageFolder elsewhere = create("/home/dev/other", StageState::kRunning);
  { const StageFolder killed = create("/home/dev/project", StageState::kRunning); }
  paused.NotePause("ab23");
  running.NotePause("cd45");  // for an earlier command
  const OtherStages others = store.Pause(store.Lock(), "ab23");
  CHECK(others.paused == std::vector<std::string>{std::string(paused.path().name())});
  CHECK(others.running == std::vector<std::string>{std::string(running.path().name())});
  CHECK(paused.PausedFor() == "ab23");
  paused.NotePause("");
  CHECK(paused.PausedFor() == "");
  paused.NotePause("not an id");
  CHECK(paused.PausedFor() == "");
}

TEST_CASE("project pause: the stage that works alone is named while it is in use") {
  const Store store;
  CHECK(StageAlone(store.store, kProject) == "");
  std::string id;
  {
    const Result<StageFolder> stage = store.store.Create();
    REQUIRE(stage.has_value());
    id = stage->path().name();
    store.Pause(store.Lock(), id);
    CHECK(StageAlone(store.store, kProject) == id);
  }
  CHECK(StageAlone(store.store, kProject) == "");
}
