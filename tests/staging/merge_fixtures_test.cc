// fixtures/merges/CASE: plans a change of both sides, and compares what would be applied, or the
// text of the conflict. fixtures/merges/README.md describes the files.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "staging/merge_plan.h"
#include "staging/text_merge.h"
#include "tests/support/corpora.h"
#include "tests/support/project_root.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;
using Text = std::optional<std::string>;

Text ReadIfPresent(const fs::path& path) {
  return fs::exists(path) ? Text(ReadWholeFile(path.string())) : std::nullopt;
}

struct MergeCase {
  std::string name;
  Text base, ours, theirs;
  Text merged, conflict, why;
};

std::vector<MergeCase> Cases() {
  std::vector<MergeCase> cases;
  for (const auto& entry : fs::directory_iterator(ProjectRoot() / "fixtures" / "merges")) {
    if (!entry.is_directory()) continue;
    const auto read = [&entry](const char* name) { return ReadIfPresent(entry.path() / name); };
    cases.push_back({.name = entry.path().filename().string(),
                     .base = read("base"),
                     .ours = read("ours"),
                     .theirs = read("theirs"),
                     .merged = read("merged"),
                     .conflict = read("conflict"),
                     .why = read("why")});
  }
  std::ranges::sort(cases, {}, &MergeCase::name);
  return cases;
}

Entry FileOf(const Text& text) {
  if (!text) return {};
  return {.kind = EntryKind::kFile, .mode = 0644, .size = text->size(), .ctime = 2};
}

// The plan for the file, which the user has changed as well.
PlannedChange PlannedFor(const MergeCase& merge) {
  Result<MergePlan> plan = PlanMerge(
      {{.path = "f", .before = FileOf(merge.ours), .after = FileOf(merge.theirs), .is_edit = true}},
      {.is_unchanged = [](const std::string&, const Entry&) { return false; },
       .base = [&](const std::string&) { return merge.base; },
       .base_mode = [](const std::string&, const Entry&) { return std::nullopt; },
       .base_attributes = [](const std::string&, const Entry&) { return std::nullopt; },
       .project_bytes = [&](const std::string&) -> Result<std::string> { return *merge.ours; },
       .staged_bytes = [&](const std::string&) -> Result<std::string> { return *merge.theirs; },
       .held_back = [](const Change&) { return std::string(); }});
  REQUIRE(plan.has_value());
  return std::move(plan->changes.at(0));
}

void CheckConflict(const MergeCase& merge) {
  const Result<MergedText> marked = MergeTexts({*merge.base, *merge.ours, *merge.theirs});
  REQUIRE(marked.has_value());
  CHECK_FALSE(marked->is_clean);
  CHECK(marked->text == *merge.conflict);
}

}  // namespace

TEST_CASE("merge fixtures") {
  const std::vector<MergeCase> cases = Cases();
  CHECK(cases.size() >= 46);
  for (const MergeCase& merge : cases) {
    CAPTURE(merge.name);
    REQUIRE(merge.merged.has_value() + merge.conflict.has_value() + merge.why.has_value() == 1);
    const PlannedChange planned = PlannedFor(merge);
    if (merge.merged) {
      const bool is_there = merge.merged == merge.ours;
      CHECK(planned.action == (is_there ? ChangeAction::kSkip : ChangeAction::kMerge));
      CHECK(planned.merged == *merge.merged);
      continue;
    }
    CHECK(planned.action == ChangeAction::kConflict);
    if (merge.why) {
      CHECK(planned.why + "\n" == *merge.why);
    } else {
      CheckConflict(merge);
    }
  }
}
