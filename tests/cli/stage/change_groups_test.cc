#include "cli/stage/change_groups.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

namespace {

const Entry kNothing;
const Entry kText{.kind = EntryKind::kFile, .mode = 0644, .size = 3};
const Entry kFolder{.kind = EntryKind::kDirectory, .mode = 0755};

PlannedChange Added(std::string path, Entry after, std::string moved_from = "") {
  return {.change = {.path = std::move(path), .after = after, .moved_from = std::move(moved_from)}};
}
PlannedChange Removed(std::string path, Entry before) {
  return {.change = {.path = std::move(path), .before = before}};
}
PlannedChange Edited(std::string path) {
  return {.change = {.path = std::move(path), .before = kText, .after = kText}};
}
PlannedChange Gits(std::string path) {
  return {.change = {.path = std::move(path), .after = kText}, .is_gits = true};
}
PlannedChange Conflict(std::string path) {
  return {.change = {.path = std::move(path), .before = kText, .after = kText},
          .action = ChangeAction::kConflict};
}

StagePlan PlanOf(std::vector<PlannedChange> changes) {
  StagePlan plan;
  plan.merge.changes = std::move(changes);
  return plan;
}

// The leads, each with the paths that go with it: "a b(b/c)".
std::string GroupsText(StagePlan& plan) {
  std::string text;
  const ChangeGroups groups(plan);
  for (const ChangeGroup& group : groups.all()) {
    std::string members;
    for (const size_t i : group.members) {
      if (i != group.lead)
        members += (members.empty() ? "" : ",") + plan.merge.changes[i].change.path;
    }
    text += (text.empty() ? "" : " ") + plan.merge.changes[group.lead].change.path;
    if (!members.empty()) text += "(" + members + ")";
  }
  return text;
}

// Leaves out the groups with these leads, as the questions do. Returns the paths that are applied.
std::string AppliedWithout(StagePlan& plan, std::string_view leads) {
  ChangeGroups groups(plan);
  for (const ChangeGroup& group : groups.all()) {
    const std::string path = " " + plan.merge.changes[group.lead].change.path + " ";
    const bool is_refused = (" " + std::string(leads) + " ").find(path) != std::string::npos;
    if (is_refused || groups.IsInLeftOut(group)) groups.LeaveOut(group);
  }
  groups.Finish();
  std::string text;
  for (const PlannedChange& planned : plan.merge.changes) {
    if (planned.is_done()) text += (text.empty() ? "" : " ") + planned.change.path;
  }
  return text;
}

}  // namespace

TEST_CASE("change groups: both halves of a move are one") {
  StagePlan plan = PlanOf({Edited("a"), Removed("b", kText), Added("c", kText, "b")});
  CHECK(GroupsText(plan) == "a c(b)");
  CHECK(AppliedWithout(plan, "c") == "a");
}

TEST_CASE("change groups: a moved directory is one with all that is in it") {
  StagePlan plan = PlanOf({Added("new", kFolder, "old"), Added("new/f", kText, "old/f"),
                           Added("new/s", kFolder, "old/s"), Added("new/s/g", kText, "old/s/g"),
                           Removed("old", kFolder), Removed("old/f", kText),
                           Removed("old/s", kFolder), Removed("old/s/g", kText), Edited("z")});
  CHECK(GroupsText(plan) == "new(new/f,new/s,new/s/g,old,old/f,old/s,old/s/g) z");
  CHECK(AppliedWithout(plan, "new") == "z");
}

TEST_CASE("change groups: what is in a new directory goes with it") {
  const std::vector<PlannedChange> changes = {
      Removed("b", kText),   Added("d", kFolder), Added("d/b", kText, "b"), Added("d/e", kFolder),
      Added("d/e/f", kText), Conflict("d/g"),     Added("da", kText)};
  StagePlan plan = PlanOf(changes);
  CHECK(GroupsText(plan) == "d d/b(b) d/e d/e/f da");
  CHECK(AppliedWithout(plan, "d") == "da");
  CHECK(plan.merge.Count(ChangeAction::kConflict) == 0);
  plan = PlanOf(changes);
  CHECK(AppliedWithout(plan, "d/e") == "b d d/b da");
  CHECK(plan.merge.Count(ChangeAction::kConflict) == 1);
}

TEST_CASE("change groups: a removed directory is one with all that is in it") {
  StagePlan plan = PlanOf({Removed("d", kFolder), Removed("d/e", kFolder), Removed("d/e/f", kText),
                           Removed("d/g", kText), Removed("h", kText)});
  CHECK(GroupsText(plan) == "d(d/e,d/e/f,d/g) h");
  CHECK(AppliedWithout(plan, "d") == "h");
}

TEST_CASE("change groups: a directory stays if something that stays is in it") {
  const std::vector<PlannedChange> changes = {Added("a", kText, "d/e/f"), Removed("d", kFolder),
                                              Removed("d/e", kFolder), Removed("d/e/f", kText),
                                              Removed("d/g", kText)};
  StagePlan plan = PlanOf(changes);
  CHECK(GroupsText(plan) == "a(d/e/f) d(d/e,d/g)");
  CHECK(AppliedWithout(plan, "a") == "d/g");
  CHECK(plan.merge.changes[1].why == "the directory holds something that stays");
  plan = PlanOf(changes);
  CHECK(AppliedWithout(plan, "d") == "a d/e/f");
}

TEST_CASE("change groups: nothing takes the place of a directory that stays") {
  PlannedChange replaced{
      .change = {.path = "d", .before = kFolder, .after = kText, .moved_from = "x/y"}};
  StagePlan plan = PlanOf({Added("a", kText, "d/f"), replaced, Removed("d/f", kText),
                           Removed("x", kFolder), Removed("x/y", kText)});
  CHECK(GroupsText(plan) == "a(d/f) d(x/y) x");
  CHECK(AppliedWithout(plan, "a").empty());
}

TEST_CASE("change groups: the commits of a repository are one, with its branches") {
  StagePlan plan = PlanOf({Gits(".git/objects/1"), Gits(".git/refs/heads/stage"), Edited("a"),
                           Gits("b/.git/objects/2")});
  plan.branches = {{.repository = ".git", .name = "main"}, {.repository = "b/.git", .name = "x"}};
  CHECK(GroupsText(plan) == ".git/objects/1(.git/refs/heads/stage) a b/.git/objects/2");
  CHECK(AppliedWithout(plan, ".git/objects/1") == "a b/.git/objects/2");
  REQUIRE(plan.branches.size() == 1);
  CHECK(plan.branches[0].name == "x");
}
