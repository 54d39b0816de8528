#include "staging/store/stage_store.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

StageRecord Example() {
  return {.id = "ab23",
          .project = Path::Clean("/home/dev/a\xff=\nb"),
          .command = {"sh", "-c", "", "echo = 1"},
          .profile = "main",
          .is_agent = true,
          .mechanism = StageMechanism::kCopy,
          .is_elsewhere = true,
          .state = StageState::kEnded,
          .started = 1,
          .watermark = 2,
          .clock_offset = -3,
          .boot = "boot",
          .buffer_process = 12,
          .buffer_fd = 7,
          .status = 130,
          .is_on_disk = true};
}

}  // namespace

TEST_CASE("stage record: it is read as it was written") {
  const Result<StageRecord> record = ParseRecord(RenderRecord(Example()), "record");
  REQUIRE(record.has_value());
  CHECK(*record == Example());
}

TEST_CASE("stage record: an unusable one is refused") {
  const std::string text = RenderRecord(Example());
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    CAPTURE(i);
    const Result<StageRecord> record = ParseRecord(text.substr(0, i), "record");
    // Without its last fields, a record is still one.
    CHECK((!record.has_value() || text[i - 1] == '\0'));
  }
  for (const char* field : {"unknown=1", "status=x", "state=gone", "agent=2", "project=relative"}) {
    CAPTURE(field);
    CHECK_FALSE(ParseRecord(text + field + std::string(1, '\0'), "record").has_value());
  }
  StageRecord nameless = Example();
  nameless.id.clear();
  CHECK_FALSE(ParseRecord(RenderRecord(nameless), "record").has_value());
  StageRecord homeless = Example();
  homeless.project = Path();
  CHECK_FALSE(ParseRecord(RenderRecord(homeless), "record").has_value());
}

TEST_CASE("stage store: stages are created, found, locked and removed") {
  const TemporaryTree tree;
  const StageStore store(Path::Clean(tree.At("state/stages")));
  CHECK(store.Ids().value().empty());
  tree.Directory("state");
  const Result<StageFolder> one = store.Create();
  REQUIRE(one.has_value());
  const Result<StageFolder> other = store.Create();
  REQUIRE(other.has_value());
  CHECK(store.Ids().value().size() == 2);
  CHECK(one->Save(Example()).has_value());
  CHECK(one->Load().value() == Example());
  CHECK_FALSE(other->Load().has_value());

  const Result<StageFolder> again = store.Open(one->path().name());
  REQUIRE(again.has_value());
  CHECK_FALSE(again->Lock().value());
  CHECK(again->Load().value() == Example());
  CHECK(one->Remove().has_value());
  CHECK(store.Ids().value().size() == 1);
  CHECK(store.Open(one->path().name()).error().code == ENOENT);
}

TEST_CASE("stage store: only a directory of the user's own counts") {
  const TemporaryTree tree;
  tree.Directory("stages/ab23");
  REQUIRE(::chmod(tree.At("stages/ab23").c_str(), 0755) == 0);
  REQUIRE(::chmod(tree.At("stages").c_str(), 0755) == 0);
  const StageStore store(Path::Clean(tree.At("stages")));
  CHECK(store.Open("ab23").error().code == EPERM);
  CHECK(store.Create().error().code == EPERM);
  for (const char* name : {"..", "", "ab", "ab2", "AB23", "ab2/"}) {
    CAPTURE(name);
    CHECK_FALSE(IsStageId(name));
    CHECK(store.Open(name).error().code == ENOENT);
  }
}

TEST_CASE("stage store: one command at a time applies changes to a project") {
  const TemporaryTree tree;
  const StageStore store(Path::Clean(tree.At("stages")));
  const Path project = Path::Clean("/home/dev/project");
  Result<UniqueFd> lock = store.LockProject(project, 1);
  REQUIRE(lock.has_value());
  CHECK(lock->valid());
  CHECK_FALSE(store.LockProject(project, 1).value().valid());
  CHECK(store.LockProject(Path::Clean("/home/dev/other"), 1).value().valid());
  *lock = UniqueFd();
  CHECK(store.LockProject(project, 1).value().valid());
  CHECK(store.Ids().value().empty());
}
