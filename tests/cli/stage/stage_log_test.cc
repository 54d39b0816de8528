#include "cli/stage/stage_log.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

const Path kProject = Path::Clean("/srv/project");

Entry File(uint64_t size, uint32_t mode = 0644) {
  return {.kind = EntryKind::kFile, .mode = mode, .size = size};
}

}  // namespace

TEST_CASE("stage log: both sides of a change") {
  const AuditEntry entry = ChangeEntry(
      {.change = {.path = "a/b", .before = File(3), .after = File(4, 0755), .moved_from = "c"}},
      kProject);
  CHECK(entry.event == "StageChange");
  CHECK(entry.paths == std::vector<std::string>{"/srv/project/a/b"});
  CHECK(entry.moved_from == "/srv/project/c");
  CHECK(entry.change == "modified");
  CHECK(entry.result == "applied");
  CHECK(entry.verdict == LoggedVerdict::kPermit);
  CHECK(entry.before == AuditEntry::FileState{.kind = "file", .mode = "644", .size = 3});
  CHECK(entry.after == AuditEntry::FileState{.kind = "file", .mode = "755", .size = 4});
}

TEST_CASE("stage log: links, directories and what does not exist") {
  const Entry link{.kind = EntryKind::kLink, .target = "x"};
  const Entry folder{.kind = EntryKind::kDirectory, .mode = 01755};
  const Entry fifo{.kind = EntryKind::kSpecial, .mode = 0600};
  AuditEntry entry = ChangeEntry({.change = {.path = "l", .after = link}}, kProject);
  CHECK(entry.change == "added");
  CHECK_FALSE(entry.before.has_value());
  CHECK(entry.after == AuditEntry::FileState{.kind = "link", .target = "x"});
  entry = ChangeEntry({.change = {.path = "d", .before = folder}}, kProject);
  CHECK(entry.change == "removed");
  CHECK(entry.before == AuditEntry::FileState{.kind = "directory", .mode = "1755"});
  CHECK_FALSE(entry.after.has_value());
  entry = ChangeEntry({.change = {.path = "p", .after = fifo}}, kProject);
  CHECK(entry.after == AuditEntry::FileState{.kind = "special", .mode = "600"});
}

TEST_CASE("stage log: the result of each change") {
  using enum PlannedChange::Action;
  struct Row {
    ChangeAction action;
    ConflictResolution resolution;
    const char* result;
    LoggedVerdict verdict;
  };
  constexpr Row kRows[] = {{kApply, ConflictResolution::kNone, "applied", LoggedVerdict::kPermit},
                           {kApply, ConflictResolution::kStaged, "staged", LoggedVerdict::kPermit},
                           {kMerge, ConflictResolution::kNone, "merged", LoggedVerdict::kPermit},
                           {kMerge, ConflictResolution::kEdited, "edited", LoggedVerdict::kPermit},
                           {kConflict, ConflictResolution::kNone, "conflict", LoggedVerdict::kDeny},
                           {kHold, ConflictResolution::kNone, "held", LoggedVerdict::kDeny},
                           {kSkip, ConflictResolution::kNone, "skipped", LoggedVerdict::kDeny},
                           {kSkip, ConflictResolution::kMine, "mine", LoggedVerdict::kDeny},
                           {kSkip, ConflictResolution::kLater, "skipped", LoggedVerdict::kDeny}};
  for (const Row& row : kRows) {
    CAPTURE(row.result);
    const AuditEntry entry = ChangeEntry({.change = {.path = "f", .after = File(1)},
                                          .action = row.action,
                                          .why = "why",
                                          .resolution = row.resolution},
                                         kProject);
    CHECK(entry.result == row.result);
    CHECK(entry.verdict == row.verdict);
    CHECK(entry.why == "why");
  }
}

TEST_CASE("stage log: a merged text is what is applied") {
  Entry after = File(9);
  after.digest = "digest";
  const AuditEntry entry = ChangeEntry({.change = {.path = "f", .before = File(1), .after = after},
                                        .action = ChangeAction::kMerge,
                                        .merged = "ab"},
                                       kProject);
  CHECK(entry.before->sha256.empty());
  CHECK(entry.after->size == 2);
  CHECK(entry.after->sha256 == "digest");
}
