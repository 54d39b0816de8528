#include "staging/merge_plan.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "files/attributes.h"
#include "staging/apply.h"

using namespace ringfence;

namespace {

using Kind = DoneStep::Kind;

constexpr int64_t kBefore = 1;   // the ctime of what has not changed since the stage began
constexpr int64_t kSince = 100;  // and of what has

Entry File(int64_t ctime = kBefore, uint64_t size = 1) {
  return {.kind = EntryKind::kFile, .mode = 0644, .size = size, .ctime = ctime};
}
Entry Folder(int64_t ctime = kBefore) {
  return {.kind = EntryKind::kDirectory, .mode = 0755, .ctime = ctime};
}
Entry Link() { return {.kind = EntryKind::kLink, .target = "x"}; }
Entry Fifo() { return {.kind = EntryKind::kSpecial}; }

Change Edit(const std::string& path, Entry before, Entry after) {
  return {.path = path, .before = before, .after = after, .is_edit = true};
}
Change Create(const std::string& path, Entry after) { return {.path = path, .after = after}; }
Change Remove(const std::string& path, Entry before) { return Edit(path, before, {}); }

// The three versions of files, by path.
struct Texts {
  std::map<std::string, std::string> base, project, staged;
  std::optional<uint32_t> base_mode = std::nullopt;
  std::optional<std::string> base_attributes = std::nullopt;
};

MergePlan Plan(ChangeList changes, const Texts& texts = {}) {
  const auto read = [](const std::map<std::string, std::string>& files) {
    return [&files](const std::string& path) -> Result<std::string> {
      return files.contains(path) ? files.at(path) : std::string();
    };
  };
  Result<MergePlan> plan = PlanMerge(
      std::move(changes),
      {.is_unchanged =
           [](const std::string& path, const Entry& now) {
             return now.exists() ? now.ctime < kSince : path.ends_with("moved");
           },
       .base =
           [&texts](const std::string& path) {
             const auto found = texts.base.find(path);
             return found == texts.base.end() ? std::nullopt : std::optional(found->second);
           },
       .base_mode = [&texts](const std::string&, const Entry&) { return texts.base_mode; },
       .base_attributes = [&texts](const std::string&,
                                   const Entry&) { return texts.base_attributes; },
       .project_bytes = read(texts.project),
       .staged_bytes = read(texts.staged),
       .held_back = [](const Change& change) -> std::string {
         return change.path.ends_with(".held") ? "the policy" : "";
       }});
  REQUIRE(plan.has_value());
  return std::move(*plan);
}

ChangeAction OnlyAction(Change change, const Texts& texts = {}) {
  const MergePlan plan = Plan({std::move(change)}, texts);
  REQUIRE(plan.changes.size() == 1);
  return plan.changes.front().action;
}

}  // namespace

TEST_CASE("merge plan: what only the stage has changed is applied") {
  CHECK(OnlyAction(Edit("f", File(), File())) == ChangeAction::kApply);
  CHECK(OnlyAction(Remove("f", File())) == ChangeAction::kApply);
  CHECK(OnlyAction(Create("f", File())) == ChangeAction::kApply);
  CHECK(OnlyAction(Create("f", Link())) == ChangeAction::kApply);
  // A file that the project had, and that was written under another name first.
  CHECK(OnlyAction(Create("f", File()), {.base = {{"f", "1"}}}) == ChangeAction::kConflict);
  CHECK(OnlyAction(Edit("moved", {}, File())) == ChangeAction::kApply);
  Change renamed = Edit("f", {}, File());  // in a directory that has changed since
  renamed.moved_from = "old";
  CHECK(OnlyAction(renamed) == ChangeAction::kApply);
  CHECK(OnlyAction(renamed, {.base = {{"f", "1"}}}) == ChangeAction::kConflict);
  CHECK(OnlyAction(Edit("f", File(), Link())) == ChangeAction::kApply);
  CHECK(OnlyAction(Edit("f", File(), Folder())) == ChangeAction::kApply);
  // Files that are created in a directory change its time.
  CHECK(OnlyAction(Edit("d", Folder(kSince), Folder())) == ChangeAction::kApply);
  CHECK(OnlyAction(Remove("d", Folder(kSince))) == ChangeAction::kApply);
}

TEST_CASE("merge plan: what both sides have changed is a conflict, unless the texts merge") {
  CHECK(OnlyAction(Remove("f", File(kSince))) == ChangeAction::kConflict);
  CHECK(OnlyAction(Edit("f", {}, File())) == ChangeAction::kConflict);  // deleted in the project
  CHECK(OnlyAction(Edit("f", File(kSince), Link())) == ChangeAction::kConflict);
  CHECK(OnlyAction(Edit("f", Folder(kSince), File())) == ChangeAction::kConflict);
  CHECK(OnlyAction(Edit("f", File(kSince), Folder())) == ChangeAction::kConflict);

  const Texts apart{.base = {{"f", "1\n2\n3\n4\n5\n"}},
                    .project = {{"f", "1 mine\n2\n3\n4\n5\n"}},
                    .staged = {{"f", "1\n2\n3\n4\n5 staged\n"}}};
  const MergePlan merged = Plan({Edit("f", File(kSince), File())}, apart);
  REQUIRE(merged.changes.front().action == ChangeAction::kMerge);
  CHECK(merged.changes.front().merged == "1 mine\n2\n3\n4\n5 staged\n");
  CHECK(merged.changes.front().why.empty());

  Texts same_line = apart;
  same_line.staged["f"] = "1 staged\n2\n3\n4\n5\n";
  const MergePlan conflict = Plan({Edit("f", File(kSince), File())}, same_line);
  CHECK(conflict.changes.front().action == ChangeAction::kConflict);
  CHECK(conflict.changes.front().base == same_line.base.at("f"));

  Texts unknown = apart;
  unknown.base.clear();
  CHECK(OnlyAction(Edit("f", File(kSince), File()), unknown) == ChangeAction::kConflict);

  for (auto side : {&Texts::base, &Texts::project, &Texts::staged}) {
    Texts binary = apart;
    (binary.*side)["f"] += '\0';
    CHECK(OnlyAction(Edit("f", File(kSince), File()), binary) == ChangeAction::kConflict);
  }
  CHECK(OnlyAction(Edit("f", File(kSince, uint64_t{1} << 40), File()), apart) ==
        ChangeAction::kConflict);
}

TEST_CASE("merge plan: what the policy holds back and what is never applied") {
  CHECK(OnlyAction(Create("x.held", File())) == ChangeAction::kHold);
  CHECK(OnlyAction(Create("f", Fifo())) == ChangeAction::kSkip);
  CHECK(OnlyAction(Remove("f", Fifo())) == ChangeAction::kSkip);
  Entry program = File();
  program.mode = 04755;
  CHECK(OnlyAction(Create("f", program)) == ChangeAction::kSkip);
  program.mode = 02755;
  CHECK(OnlyAction(Edit("f", File(), program)) == ChangeAction::kSkip);
}

void Decide(MergePlan& plan, size_t index, ConflictResolution side) {
  REQUIRE(plan.changes[index].action == ChangeAction::kConflict);
  plan.changes[index].resolution = side;
  plan.changes[index].action =
      side == ConflictResolution::kStaged ? ChangeAction::kApply : ChangeAction::kSkip;
}

TEST_CASE("merge plan: a directory that holds something that stays is not removed") {
  MergePlan plan =
      Plan({Remove("d", Folder()), Remove("d/a", File()), Remove("d/e", Folder()),
            Remove("d/e/b", File(kSince)), Remove("d/g", Folder()), Remove("d/g/c", File())});
  CHECK(plan.CountDone() == 5);
  Decide(plan, 3, ConflictResolution::kMine);
  LeaveOutDependents(plan);
  const std::vector<ChangeAction> actions = {ChangeAction::kSkip,  ChangeAction::kApply,
                                             ChangeAction::kSkip,  ChangeAction::kSkip,
                                             ChangeAction::kApply, ChangeAction::kApply};
  for (size_t i = 0; i < actions.size(); ++i) {
    CAPTURE(plan.changes[i].change.path);
    CHECK(plan.changes[i].action == actions[i]);
  }
  const std::vector<TreeStep> steps = StepsOf(plan);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].path == "d/a");
  CHECK(steps[1].path == "d/g");
  REQUIRE(steps[1].expected_inside.size() == 1);
  CHECK(steps[1].expected_inside.front().first == "c");

  const MergePlan replaced = Plan({Edit("d", Folder(), File()), Remove("d/x.held", File())});
  CHECK(replaced.changes[0].action == ChangeAction::kSkip);
}

TEST_CASE("merge plan: a directory is replaced with all that is in it, or not at all") {
  const ChangeList changes = {Edit("d", Folder(), Link()), Remove("d/a", File()),
                              Remove("d/mine", File(kSince)), Remove("d/s", Folder()),
                              Remove("d/s/b", File(kSince))};
  MergePlan staged = Plan(changes);
  Decide(staged, 2, ConflictResolution::kStaged);
  Decide(staged, 4, ConflictResolution::kStaged);
  LeaveOutDependents(staged);
  const std::vector<TreeStep> steps = StepsOf(staged);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].kind == Kind::kPut);
  CHECK(steps[0].expected_inside.size() == 4);

  MergePlan mine = Plan(changes);
  Decide(mine, 2, ConflictResolution::kStaged);
  Decide(mine, 4, ConflictResolution::kMine);
  LeaveOutDependents(mine);
  CHECK(mine.CountDone() == 0);
  CHECK(mine.changes[0].why == "the directory holds something that stays");
  CHECK(mine.changes[1].why == "its directory is not replaced");

  // What has to be decided is decided already.
  ChangeList held = changes;
  held.push_back(Remove("d/x.held", File()));
  const MergePlan kept = Plan(held);
  CHECK(kept.CountDone() == 0);
  CHECK(kept.Count(ChangeAction::kConflict) == 0);
}

TEST_CASE("merge plan: what was moved to the place of a directory that stays keeps its name") {
  Change replaced = Edit("d", Folder(), File());
  replaced.moved_from = "f";
  const MergePlan plan = Plan({replaced, Remove("d/x.held", File()), Remove("f", File())});
  CHECK(plan.CountDone() == 0);
  CHECK(plan.changes[2].why == "it was moved to \"d\", which is not applied");
}

TEST_CASE("merge plan: what is never applied stays so in a directory that is a conflict") {
  Entry program = File();
  program.mode = 04755;
  const MergePlan plan =
      Plan({Edit("d", File(kSince), Folder()), Create("d/f", File()), Create("d/fifo", Fifo()),
            Create("d/program", program), Create("d/x.held", File())});
  const std::vector<ChangeAction> actions = {ChangeAction::kConflict, ChangeAction::kConflict,
                                             ChangeAction::kSkip, ChangeAction::kSkip,
                                             ChangeAction::kHold};
  for (size_t i = 0; i < actions.size(); ++i) {
    CAPTURE(plan.changes[i].change.path);
    CHECK(plan.changes[i].action == actions[i]);
  }
}

TEST_CASE("merge plan: what is moved to a name that is held back keeps the old one") {
  Change held = Create("x.held", File());
  held.moved_from = "d/a";
  Change applied = Create("y", File());
  applied.moved_from = "d/b";
  const MergePlan plan =
      Plan({Remove("d", Folder()), Remove("d/a", File()), Remove("d/b", File()), held, applied});
  const std::vector<ChangeAction> actions = {ChangeAction::kSkip, ChangeAction::kSkip,
                                             ChangeAction::kApply, ChangeAction::kHold,
                                             ChangeAction::kApply};
  for (size_t i = 0; i < actions.size(); ++i) {
    CAPTURE(plan.changes[i].change.path);
    CHECK(plan.changes[i].action == actions[i]);
  }
  CHECK(plan.changes[1].why == "it was moved to \"x.held\", which is not applied");
}

TEST_CASE("merge plan: a new directory is one step, without what is held back") {
  const MergePlan plan =
      Plan({Create("d", Folder()), Create("d/a", File()), Create("d/e", Folder()),
            Create("d/e/x.held", File()), Create("d/z", Link()), Create("f", File())});
  const std::vector<TreeStep> steps = StepsOf(plan);
  REQUIRE(steps.size() == 2);
  std::vector<std::string> inside;
  for (const NewEntry& entry : steps[0].tree.entries) inside.push_back(entry.below);
  CHECK(inside == std::vector<std::string>{"", "a", "e", "z"});
  CHECK(steps[0].tree.entries[1].source == "d/a");
  CHECK(steps[1].path == "f");
}

TEST_CASE("merge plan: nothing below a directory that is held back is applied") {
  const MergePlan plan = Plan({Create("d.held", Folder()), Create("d.held/a", File())});
  CHECK(StepsOf(plan).empty());
}

TEST_CASE("merge plan: permissions, replaced directories and merged texts are steps of their own") {
  Entry closed = Folder();
  closed.mode = 0700;
  const MergePlan plan = Plan({Edit("d", Folder(), closed), Edit("e", Folder(), File()),
                               Remove("e/a", File()), Edit("f", File(kSince), File())},
                              {.base = {{"f", "a\nb\nc\n"}},
                               .project = {{"f", "A\nb\nc\n"}},
                               .staged = {{"f", "a\nb\nC\n"}}});
  const std::vector<TreeStep> steps = StepsOf(plan);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].kind == Kind::kMode);
  CHECK(steps[0].mode == 0700);
  CHECK(steps[1].kind == Kind::kPut);
  CHECK(steps[1].expected_inside.size() == 1);
  CHECK(steps[2].tree.entries.front().bytes == "A\nb\nC\n");
}

TEST_CASE("merge plan: what was left out since leaves out what depends on it") {
  MergePlan plan = Plan({Create("made", Folder()), Create("made/f", File()),
                         Create("made/in", Folder()), Create("made/in/g", File()),
                         Remove("old", Folder()), Remove("old/x", File()), Create("z", File())});
  CHECK(plan.CountDone() == 7);
  for (const size_t left_out : {size_t{0}, size_t{5}}) {
    plan.changes[left_out].action = ChangeAction::kSkip;
    plan.changes[left_out].why = "you left it out";
  }
  LeaveOutDependents(plan);
  CHECK(plan.CountDone() == 1);
  CHECK(plan.changes.back().is_done());
  CHECK(plan.changes[3].why == "you left it out");
  CHECK(plan.changes[4].why == "the directory holds something that stays");
}

TEST_CASE("merge plan: each permission is the one of the side that has changed it") {
  struct Row {
    uint32_t base, project, staged, merged;
  };
  constexpr Row kRows[] = {{0644, 0755, 0644, 0755}, {0644, 0644, 0755, 0755},
                           {0755, 0644, 0755, 0644}, {0644, 0600, 0755, 0711},
                           {0644, 0640, 0640, 0640}, {0644, 04755, 0644, 0755}};
  for (const Row& row : kRows) {
    CAPTURE(row.merged);
    Texts texts{.base = {{"f", "1\n2\n3\n4\n5\n"}},
                .project = {{"f", "1 mine\n2\n3\n4\n5\n"}},
                .staged = {{"f", "1\n2\n3\n4\n5 staged\n"}},
                .base_mode = row.base};
    Entry project = File(kSince);
    Entry staged = File();
    project.mode = row.project;
    staged.mode = row.staged;
    const MergePlan plan = Plan({Edit("f", project, staged)}, texts);
    REQUIRE(plan.changes.front().action == ChangeAction::kMerge);
    CHECK(plan.changes.front().mode() == row.merged);
    texts.base_mode.reset();
    CHECK(Plan({Edit("f", project, staged)}, texts).changes.front().mode() == row.staged);
  }
}

TEST_CASE("merge plan: attributes are those of the side that has changed them") {
  const auto with = [](Entry entry, const std::string& digest) {
    entry.attributes = {{"user.a", digest}};
    return entry;
  };
  struct Row {
    const char* name;
    std::string project, staged;
    std::optional<std::string> base;
    ChangeAction file, folder;
    bool keeps;
  };
  using Do = ChangeAction;
  static const Row kRows[] = {
      {"of neither", "1", "1", "1", Do::kMerge, Do::kApply, true},
      {"the stage's", "1", "2", "1", Do::kMerge, Do::kApply, false},
      {"the user's", "2", "1", "1", Do::kMerge, Do::kSkip, true},
      {"both", "2", "3", "1", Do::kConflict, Do::kConflict, false},
      {"unknown", "2", "3", std::nullopt, Do::kConflict, Do::kApply, false},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    Texts texts{.base = {{"f", "1\n2\n3\n"}},
                .project = {{"f", "one\n2\n3\n"}},
                .staged = {{"f", "1\n2\nthree\n"}}};
    if (row.base) texts.base_attributes = AttributesDigest(with({}, *row.base));
    Change folder = Edit("d", with(Folder(kSince), row.project), with(Folder(), row.staged));
    folder.after.mode = row.folder == Do::kSkip ? folder.before.mode : 0700;
    const MergePlan plan =
        Plan({folder, Edit("f", with(File(kSince), row.project), with(File(), row.staged))}, texts);
    CHECK(plan.changes.back().action == row.file);
    CHECK(plan.changes.back().keeps_attributes == row.keeps);
    if (row.folder == Do::kSkip) {
      CHECK(plan.changes.size() == 1);  // nothing is left to change
    } else {
      CHECK(plan.changes.front().action == row.folder);
    }
    for (const TreeStep& step : StepsOf(plan)) {
      if (step.path == "f") CHECK(step.keeps_attributes == row.keeps);
    }
  }
}
