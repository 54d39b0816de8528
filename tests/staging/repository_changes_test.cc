#include "staging/repository_changes.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ringfence;

namespace {

const std::string kCommit(40, 'a');
const std::string kOther(40, 'b');

Entry File() { return {.kind = EntryKind::kFile, .mode = 0644, .size = 1}; }
Entry Folder() { return {.kind = EntryKind::kDirectory, .mode = 0755}; }
Change Added(const std::string& path, Entry entry) { return {.path = path, .after = entry}; }
Change Edited(const std::string& path) {
  return {.path = path, .before = File(), .after = File(), .is_edit = true};
}

struct Planned {
  RepositoryPlan plan;
  ChangeList others;

  const PlannedChange* At(const std::string& path) const {
    for (const PlannedChange& planned : plan.changes) {
      if (planned.change.path == path) return &planned;
    }
    return nullptr;
  }
  bool Applies(const std::string& path) const { return At(path) != nullptr && At(path)->is_done(); }
};

using Bytes = std::map<std::string, std::string>;

Planned PlanOf(ChangeList changes, const Bytes& staged = {}, const Bytes& project = {}) {
  const std::set<std::string> existing = {".git", ".git/HEAD", ".git/refs/heads", "sub/.git/HEAD",
                                          "sub/.git/refs/heads"};
  Result<RepositoryPlan> plan = PlanRepositories(
      changes, {.stage = "ab23",
                .staged_bytes = [&](const std::string& path) -> Result<std::string> {
                  const auto found = staged.find(path);
                  return found == staged.end() ? std::string("x") : found->second;
                },
                .project_bytes = [&](const std::string& path) -> Result<std::string> {
                  const auto found = project.find(path);
                  if (found != project.end()) return found->second;
                  return Error{Error::Kind::kSystem, path, "does not exist", ""};
                },
                .is_sound = [](const std::string& path) { return path.find("/00/") == path.npos; },
                .exists =
                    [&](const std::string& path) {
                      return existing.contains(path) || project.contains(path);
                    }});
  REQUIRE(plan.has_value());
  return {std::move(*plan), std::move(changes)};
}

}  // namespace

TEST_CASE("repository: a branch that the project has is left alone, and so is its name") {
  const ChangeList changes = {Edited(".git/refs/heads/main")};
  const Bytes staged = {{".git/refs/heads/main", kCommit + "\n"}};
  const std::string name = ".git/refs/heads/stage/ab23";
  const Planned same = PlanOf(changes, staged, {{name, kCommit + "\n"}});
  CHECK(same.plan.branches.empty());
  CHECK_FALSE(same.Applies(name));
  const Planned packed =
      PlanOf(changes, staged, {{".git/packed-refs", kCommit + " refs/heads/stage/ab23\n"}});
  CHECK(packed.plan.branches.empty());
  const Planned other =
      PlanOf(changes, staged, {{".git/packed-refs", kOther + " refs/heads/stage/ab23\n"}});
  REQUIRE(other.plan.branches.size() == 1);
  CHECK(other.plan.branches[0].becomes == "stage/ab23-2");
  CHECK(other.Applies(name + "-2"));
}

TEST_CASE("repository: a branch of the stage with the name of another one has its own commit") {
  const Planned planned =
      PlanOf({Edited(".git/refs/heads/main"), Added(".git/refs/heads/stage", Folder()),
              Added(".git/refs/heads/stage/ab23", File())},
             {{".git/refs/heads/main", kCommit}, {".git/refs/heads/stage/ab23", kOther}});
  REQUIRE(planned.plan.branches.size() == 2);
  for (const StagedBranch& branch : planned.plan.branches) {
    CAPTURE(branch.name);
    const PlannedChange* change = planned.At(ReferenceOf(branch));
    REQUIRE(change != nullptr);
    CHECK(change->merged == branch.commit + "\n");
  }
}

TEST_CASE("repository: objects with SHA-256 are not added, and no branch is") {
  const std::string object = ".git/objects/ab/" + std::string(62, 'c');
  const std::string commit(64, 'd');
  const Planned planned = PlanOf({Added(object, File()), Edited(".git/refs/heads/main")},
                                 {{".git/refs/heads/main", commit}});
  CHECK(planned.plan.branches.empty());
  CHECK_FALSE(planned.Applies(object));
  CHECK_FALSE(planned.At(object)->is_gits);
}

TEST_CASE("repository: the outermost .git") {
  CHECK(GitFolderOf(".git/config") == ".git");
  CHECK(GitFolderOf(".git") == ".git");
  CHECK(GitFolderOf("a/.git/x/.git/y") == "a/.git");
  for (const char* path : {"a", "a/b", ".gitignore", "a.git/b", ".git2/b", ""}) {
    CAPTURE(path);
    CHECK(GitFolderOf(path).empty());
  }
}

TEST_CASE("repository: objects are added, and git's other files stay") {
  const std::string kObject = ".git/objects/aa/" + std::string(38, '1');
  const std::string kProgram = ".git/objects/aa/" + std::string(38, '2');
  const std::string kPack = ".git/objects/pack/pack-" + kCommit + ".pack";
  const Entry kExecutable{.kind = EntryKind::kFile, .mode = 0755, .size = 1};
  const Planned planned =
      PlanOf({Added(".git/COMMIT_EDITMSG", File()), Edited(".git/index"), Edited(".git/logs/HEAD"),
              Added(".git/objects/aa", Folder()), Added(kObject, File()),
              Edited(".git/objects/cc/dd"), Added(".git/objects/info/alternates", File()),
              Added(kPack, File()), Added(".git/objects/pack/tmp_pack_1", File()),
              Added(".git/objects/aa/evil.sh", File()), Added(".git/objects/hid", Folder()),
              Added(".git/objects/pack/multi-pack-index", File()), Added(kProgram, kExecutable),
              Added(".git/index.lock", File()), Added(".git/refs/heads/x.lock", File()),
              Added(".git/hooks/pre-commit", File()), Edited(".git/config"), Edited("src/main.c")});
  CHECK(planned.Applies(".git/objects/aa"));
  CHECK(planned.Applies(kObject));
  CHECK(planned.Applies(kPack));
  size_t applied = 0;
  for (const PlannedChange& change : planned.plan.changes) {
    CHECK(change.is_gits);
    applied += change.is_done() ? 1 : 0;
  }
  CHECK(applied == 3);
  REQUIRE(planned.others.size() == 1);
  CHECK(planned.others.front().path == "src/main.c");
  CHECK(planned.plan.branches.empty());
}

TEST_CASE("repository: a branch that has moved becomes a new one") {
  const Planned planned =
      PlanOf({Edited(".git/refs/heads/main")}, {{".git/refs/heads/main", kCommit + "\n"}});
  REQUIRE(planned.plan.branches.size() == 1);
  CHECK(planned.plan.branches.front().name == "main");
  CHECK(planned.plan.branches.front().becomes == "stage/ab23");
  CHECK_FALSE(planned.Applies(".git/refs/heads/main"));
  CHECK(planned.Applies(".git/refs/heads/stage"));
  REQUIRE(planned.Applies(".git/refs/heads/stage/ab23"));
  CHECK(planned.At(".git/refs/heads/stage/ab23")->merged == kCommit + "\n");
}

TEST_CASE("repository: several branches, new branches and a detached HEAD") {
  const Planned planned =
      PlanOf({Edited(".git/HEAD"), Added(".git/refs/heads/fix", Folder()),
              Added(".git/refs/heads/fix/1", File()), Edited(".git/refs/heads/main"),
              Edited("sub/.git/refs/heads/main")},
             {{".git/HEAD", kOther + "\n"},
              {".git/refs/heads/fix/1", kCommit},
              {".git/refs/heads/main", kCommit + "\n"},
              {"sub/.git/refs/heads/main", kOther}});
  std::vector<std::string> names;
  for (const StagedBranch& branch : planned.plan.branches) {
    names.push_back(branch.repository + " " + branch.becomes);
  }
  CHECK(names == std::vector<std::string>{".git stage/ab23", ".git fix/1", ".git stage/ab23-main",
                                          "sub/.git stage/ab23"});
  CHECK(planned.Applies(".git/refs/heads/fix/1"));
  CHECK(planned.Applies(".git/refs/heads/fix"));
  CHECK(planned.Applies("sub/.git/refs/heads/stage/ab23"));
  CHECK_FALSE(planned.Applies(".git/HEAD"));
}

TEST_CASE("repository: a branch that an earlier apply has made") {
  const ChangeList changes = {Edited(".git/refs/heads/main")};
  const Bytes staged = {{".git/refs/heads/main", kCommit + "\n"}};
  const auto becomes = [&](const Bytes& project) -> std::string {
    const RepositoryPlan plan = PlanOf(changes, staged, project).plan;
    return plan.branches.empty() ? "" : plan.branches.front().becomes;
  };
  const std::string kBranch = ".git/refs/heads/stage/ab23";
  CHECK(becomes({{kBranch, kCommit + "\n"}}).empty());
  CHECK(becomes({{".git/packed-refs", kCommit + " refs/heads/stage/ab23\n"}}).empty());
  CHECK(becomes({{kBranch, kOther + "\n"}}) == "stage/ab23-2");
  CHECK(becomes({{kBranch, kOther + "\n"}, {kBranch + "-2", kOther + "\n"}}) == "stage/ab23-3");
  CHECK(becomes({{kBranch, kOther + "\n"}, {kBranch + "-2", kCommit + "\n"}}).empty());
}

TEST_CASE("repository: a symbolic HEAD and a malformed reference make no branch") {
  const Planned planned =
      PlanOf({Edited(".git/HEAD"), Edited(".git/refs/heads/main")},
             {{".git/HEAD", "ref: refs/heads/main\n"}, {".git/refs/heads/main", "../../config\n"}});
  CHECK(planned.plan.branches.empty());
}

TEST_CASE("repository: a new repository is an ordinary directory") {
  const Planned planned =
      PlanOf({Added("new/.git", Folder()), Added("new/.git/HEAD", File()), Edited(".git")});
  CHECK(planned.others.size() == 3);
  CHECK(planned.plan.changes.empty());
}

TEST_CASE("repository: with an object that is not what its name says, no branch is applied") {
  const std::string object = ".git/objects/00/" + std::string(38, '1');
  const Planned planned = PlanOf({Added(object, File()), Edited(".git/refs/heads/main")},
                                 {{".git/refs/heads/main", kCommit + "\n"}});
  REQUIRE(planned.At(object) != nullptr);
  CHECK_FALSE(planned.Applies(object));
  CHECK_FALSE(planned.At(object)->is_gits);  // so that users see it
  CHECK(planned.plan.branches.empty());
}

TEST_CASE("repository: no branch has a name that misleads git") {
  for (const char* name : {"HEAD", "-x", "a b", "a\nb", "a..b/.c", "x.lock"}) {
    CAPTURE(name);
    const std::string path = std::string(".git/refs/heads/") + name;
    const Planned planned = PlanOf({Added(path, File())}, {{path, kCommit + "\n"}});
    CHECK(planned.plan.branches.empty());
    CHECK_FALSE(planned.Applies(path));
  }
}

TEST_CASE("repository: a branch that is packed in the project is not new") {
  const Planned planned =
      PlanOf({Added(".git/refs/heads/main", File()), Added(".git/refs/heads/same", File())},
             {{".git/refs/heads/main", kCommit}, {".git/refs/heads/same", kOther}},
             {{".git/packed-refs", kOther + " refs/heads/main\n" + kOther + " refs/heads/same\n"}});
  REQUIRE(planned.plan.branches.size() == 1);
  CHECK(planned.plan.branches.front().becomes == "stage/ab23");
  CHECK_FALSE(planned.Applies(".git/refs/heads/main"));
  CHECK(planned.Applies(".git/refs/heads/stage/ab23"));
}

TEST_CASE("repository: branches that the stage has packed") {
  const std::string packed = "# pack-refs with: peeled fully-peeled sorted\n" + kCommit +
                             " refs/heads/loose\n" + kCommit + " refs/heads/main\n" + kOther +
                             " refs/heads/new/1\n" + kOther + " refs/heads/old\n" + kOther +
                             " refs/tags/v1\n^" + kCommit + "\n" + kCommit + " refs/heads/staged\n";
  const Planned planned = PlanOf({Edited(".git/packed-refs")},
                                 {{".git/packed-refs", packed}, {".git/refs/heads/staged", kOther}},
                                 {{".git/packed-refs", kOther + " refs/heads/old\n"},
                                  {".git/refs/heads/loose", kCommit + "\n"},
                                  {".git/refs/heads/main", kOther + "\n"}});
  std::vector<std::string> names;
  for (const StagedBranch& branch : planned.plan.branches) {
    names.push_back(branch.name + " " + branch.becomes);
  }
  CHECK(names == std::vector<std::string>{"main stage/ab23", "new/1 new/1"});
  CHECK(planned.Applies(".git/refs/heads/new/1"));
  CHECK_FALSE(planned.Applies(".git/packed-refs"));
}

TEST_CASE("repository: no packed name leads out of the branches") {
  for (const char* name : {"../../hooks/x", "a/../../b", "/etc/x", "a//b", ".a", "a/.b", "a.lock",
                           "a.lock/b", "a/", "", "a b", "a\tb", "a:b", "a\x7f"}) {
    CAPTURE(name);
    const std::string packed = kCommit + " refs/heads/" + name + "\n";
    CHECK(
        PlanOf({Edited(".git/packed-refs")}, {{".git/packed-refs", packed}}).plan.branches.empty());
  }
}

TEST_CASE("repository: users see which references stay in the stage") {
  const Planned planned = PlanOf({Added(".git/logs/refs/stash", File()),
                                  Added(".git/modules/lib/HEAD", File()),
                                  Edited(".git/modules/lib/logs/refs/heads/main"),
                                  Edited(".git/modules/lib/refs/heads/main"),
                                  Edited(".git/modules/other/HEAD"),
                                  Edited(".git/modules/other/index"),
                                  Added(".git/refs/notes/commits", File()),
                                  Added(".git/refs/remotes/origin/main", File()),
                                  Added(".git/refs/stash", File()),
                                  Added(".git/refs/tags", Folder()),
                                  {.path = ".git/refs/tags/v0", .before = File(), .after = {}},
                                  Added(".git/refs/tags/v1", File()),
                                  Added(".git/refs/tags/v2.lock", File())},
                                 {{".git/modules/lib/HEAD", "ref: refs/heads/main\n"},
                                  {".git/modules/other/HEAD", kCommit + "\n"}});
  std::vector<std::string> seen;
  for (const PlannedChange& change : planned.plan.changes) {
    CHECK(change.action == ChangeAction::kSkip);
    if (!change.is_gits) seen.push_back(change.change.path + ": " + change.why);
  }
  const std::string kTags = ": tags, notes and stashes are not applied";
  const std::string kModule = ": commits in a submodule are not applied";
  CHECK(seen == std::vector<std::string>{".git/modules/lib/refs/heads/main" + kModule,
                                         ".git/modules/other/HEAD" + kModule,
                                         ".git/refs/notes/commits" + kTags,
                                         ".git/refs/stash" + kTags, ".git/refs/tags/v1" + kTags});
}

TEST_CASE("repository: users see that the stage has packed references that stay in it") {
  const std::string kPacked = ".git/packed-refs", kModule = ".git/modules/lib/packed-refs";
  const auto why = [&](const Bytes& staged, const Bytes& project) {
    const Planned planned = PlanOf({Edited(kPacked), Edited(kModule)}, staged, project);
    std::string text;
    for (const PlannedChange& change : planned.plan.changes) {
      CHECK_FALSE(change.is_done());
      if (!change.is_gits) text += change.change.path + ": " + change.why + "\n";
    }
    return text;
  };
  const std::string kTags = kPacked + ": tags, notes and stashes are not applied\n";
  for (const char* name : {"refs/tags/v1", "refs/tags/a/b", "refs/notes/commits", "refs/stash"}) {
    CAPTURE(name);
    const std::string path = std::string(".git/") + name;
    const Bytes staged = {{kPacked, kCommit + " " + name + "\n^" + kOther + "\n"}};
    CHECK(why(staged, {}) == kTags);
    CHECK(why(staged, {{kPacked, kOther + " " + name + "\n"}}) == kTags);
    CHECK(why(staged, {{path, kOther + "\n"}}) == kTags);
    CHECK(why(staged, {{kPacked, kCommit + " " + name + "\n"}}).empty());
    CHECK(why(staged, {{path, kCommit + "\n"}}).empty());
    CHECK(why({{kPacked, kCommit + " " + name + "\n"}, {path, kOther + "\n"}}, {}).empty());
  }
  CHECK(why({{kPacked, kCommit + " refs/remotes/origin/main\n"}}, {}).empty());
  const Bytes module = {{kModule, kCommit + " refs/heads/main\n"}};
  CHECK(why(module, {}) == kModule + ": commits in a submodule are not applied\n");
  CHECK(why(module, {{".git/modules/lib/refs/heads/main", kCommit + "\n"}}).empty());
}

TEST_CASE("repository: no branch of the stage lies beside one that git cannot have with it") {
  const Bytes staged = {{".git/refs/heads/a/b", kCommit}, {".git/refs/heads/c", kCommit}};
  const std::string packed = kOther + " refs/heads/a\n" + kOther + " refs/heads/c/d\n";
  const ChangeList changes = {Added(".git/refs/heads/a/b", File()),
                              Added(".git/refs/heads/c", File())};
  const Planned planned = PlanOf(changes, staged, {{".git/packed-refs", packed}});
  REQUIRE(planned.plan.branches.size() == 2);
  CHECK(planned.plan.branches[0].becomes == "stage/ab23");
  CHECK(planned.plan.branches[1].becomes == "c-2");
  for (const StagedBranch& branch : planned.plan.branches)
    CHECK(planned.Applies(ReferenceOf(branch)));
}

TEST_CASE("repository: a new branch `stage` leaves room for that of another one") {
  const Planned planned =
      PlanOf({Edited(".git/refs/heads/main"), Added(".git/refs/heads/stage", File())},
             {{".git/refs/heads/main", kCommit}, {".git/refs/heads/stage", kOther}});
  REQUIRE(planned.plan.branches.size() == 2);
  CHECK(planned.plan.branches[0].becomes == "stage/ab23");
  CHECK(planned.plan.branches[1].becomes == "stage-2");
}

TEST_CASE("repository: names that lie in each other become separate ones") {
  const std::string packed =
      kCommit + " refs/heads/main\n" + kCommit + " refs/heads/q\n" + kCommit + " refs/heads/q/b\n";
  const std::string before =
      kOther + " refs/heads/main\n" + kOther + " refs/heads/q\n" + kOther + " refs/heads/q/b\n";
  const Planned planned = PlanOf({Edited(".git/packed-refs")}, {{".git/packed-refs", packed}},
                                 {{".git/packed-refs", before}});
  std::vector<std::string> names;
  for (const StagedBranch& branch : planned.plan.branches) names.push_back(branch.becomes);
  CHECK(names == std::vector<std::string>{"stage/ab23", "stage/ab23-q", "stage-ab23-q-b"});
}

TEST_CASE("repository: the first commits of the user's branch become a new one") {
  const Planned planned =
      PlanOf({Added(".git/refs/heads/main", File()), Added(".git/refs/heads/other", File())},
             {{".git/refs/heads/main", kCommit}, {".git/refs/heads/other", kOther}},
             {{".git/HEAD", "ref: refs/heads/main\n"}});
  REQUIRE(planned.plan.branches.size() == 2);
  CHECK(planned.plan.branches[0].becomes == "stage/ab23");
  CHECK(planned.plan.branches[1].becomes == "other");
}
