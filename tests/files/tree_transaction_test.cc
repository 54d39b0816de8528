#include "files/tree_transaction.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "files/beneath.h"
#include "tests/support/interrupted_run.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
using Kind = DoneStep::Kind;

Entry EntryAt(const UniqueFd& folder, const std::string& path) {
  const Result<UniqueFd> parent = OpenFolderOf(folder, path);
  REQUIRE(parent.has_value());
  const Result<Entry> entry = LookAt(parent->get(), std::string(NameOf(path)), path);
  REQUIRE(entry.has_value());
  return *entry;
}

// A small project, and steps of every kind that change it.
class Project {
 public:
  Project() {
    tree_.File("p/edited", "old\n");
    tree_.File("p/removed", "gone\n");
    tree_.File("p/sub/kept", "kept\n");
    tree_.File("p/folder/inner/file", "in a folder\n");
    tree_.File("p/becomes_file/x", "x\n");
    tree_.Link("p/link", "edited");
    tree_.Directory("state");
    tree_.Directory("sources/tree/deep");
    tree_.File("sources/tree/deep/file", "copied\n");
    root_ = UniqueFd(::open(tree_.At("p").c_str(), kFolder));
    state_ = UniqueFd(::open(tree_.At("state").c_str(), kFolder));
    sources_ = UniqueFd(::open(tree_.At("sources").c_str(), kFolder));
  }

  TreeFolders folders() const { return {root_, state_, {&sources_}}; }
  const UniqueFd& root() const { return root_; }
  const UniqueFd& state() const { return state_; }
  const TemporaryTree& tree() const { return tree_; }
  std::string At(const std::string& path) const { return tree_.At("p/" + path); }
  std::string snapshot() const { return Snapshot(tree_.At("p")); }

  std::string Read(const std::string& path) const {
    std::ifstream file(At(path));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void ReplaceByFile(const std::string& path) const {
    std::ofstream(At("written")) << "user's\n";
    std::filesystem::rename(At("written"), At(path));
  }

  TreeStep Step(Kind kind, const std::string& path) const {
    TreeStep step{.kind = kind, .path = path, .expected = EntryAt(root_, path)};
    if (!step.expected.is_directory() || kind == Kind::kMode) return step;
    const Result<UniqueFd> opened = OpenBeneath(root_, path, kFolder);
    REQUIRE(opened.has_value());
    const Result<Contents> contents = ContentsOf(*opened);
    REQUIRE(contents.has_value());
    step.expected_inside = *contents;
    return step;
  }

  TreeStep Put(const std::string& path, NewTree tree) const {
    TreeStep step = Step(Kind::kPut, path);
    step.tree = std::move(tree);
    return step;
  }

  std::vector<TreeStep> Steps() const {
    std::vector<TreeStep> steps;
    steps.push_back(Put("becomes_file", {.entries = {{.bytes = "a file\n"}}}));
    steps.push_back(Put("edited", {.entries = {{.mode = 0755, .bytes = "new\n"}}}));
    steps.push_back(Step(Kind::kRemove, "folder"));
    steps.push_back(Put("link", {.entries = {{.kind = EntryKind::kLink, .target = "sub"}}}));
    const std::optional<int64_t> time = 1'000'000'000'000'000'000;
    NewTree tree{.entries = {{.kind = EntryKind::kDirectory, .mode = 0700, .source = "tree"},
                             {.below = "deep",
                              .kind = EntryKind::kDirectory,
                              .mode = 0755,
                              .source = "tree/deep",
                              .mtime = time},
                             {.below = "deep/file", .source = "tree/deep/file", .mtime = time}}};
    steps.push_back(Put("made", std::move(tree)));
    steps.push_back(Step(Kind::kRemove, "removed"));
    steps.push_back(Step(Kind::kMode, "sub"));
    steps.back().mode = 0750;
    steps.back().attributes.emplace().emplace_back("user.new", "1");
    return steps;
  }

 private:
  TemporaryTree tree_;
  UniqueFd root_, state_, sources_;
};

// Performs all steps and commits. Returns the exit status of a process that does nothing else.
int Apply(const Project& project) {
  TreeTransaction transaction(project.folders());
  const auto mismatch = transaction.Perform(project.Steps());
  if (!mismatch || *mismatch) return 2;
  return transaction.Commit("undo") ? 0 : 3;
}

std::string AppliedSnapshot() {
  const Project project;
  REQUIRE(Apply(project) == 0);
  return project.snapshot();
}

bool HasLeftovers(const Project& project) {
  namespace fs = std::filesystem;
  for (const auto& entry : fs::recursive_directory_iterator(project.tree().At("state"))) {
    const std::string name = entry.path().filename();
    if (name.starts_with("journal") || name == "committed") {
      MESSAGE("left: " << entry.path().string());
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("tree transaction: every kind of step is carried out") {
  const Project project;
  REQUIRE(Apply(project) == 0);
  CHECK(project.Read("becomes_file") == "a file\n");
  CHECK(project.Read("edited") == "new\n");
  CHECK((EntryAt(project.root(), "edited").mode & 0777) == 0755);
  CHECK_FALSE(EntryAt(project.root(), "folder").exists());
  CHECK(EntryAt(project.root(), "link").target == "sub");
  CHECK(project.Read("made/deep/file") == "copied\n");
  CHECK(EntryAt(project.root(), "made/deep/file").mtime == 1'000'000'000'000'000'000);
  CHECK(EntryAt(project.root(), "made/deep").mtime == 1'000'000'000'000'000'000);
  CHECK(EntryAt(project.root(), "made").mode == 0700);
  CHECK_FALSE(EntryAt(project.root(), "removed").exists());
  CHECK(EntryAt(project.root(), "sub").mode == 0750);
  CHECK(project.Read("sub/kept") == "kept\n");
  CHECK_FALSE(HasLeftovers(project));
}

TEST_CASE("tree transaction: what was replaced is in the undo directory, with the steps") {
  const Project project;
  REQUIRE(Apply(project) == 0);
  const UniqueFd undo(::open(project.tree().At("state/undo").c_str(), kFolder));
  const Result<std::vector<DoneStep>> steps = ReadUndo(undo);
  REQUIRE(steps.has_value());
  REQUIRE(steps->size() == 7);
  CHECK((*steps)[1].path == "edited");
  CHECK(std::ifstream(project.tree().At("state/undo/1")).get() == 'o');
  CHECK(std::filesystem::exists(project.tree().At("state/undo/2/inner/file")));
  CHECK(IsUnchanged(EntryAt(project.root(), "edited"), (*steps)[1].placed));
}

TEST_CASE("tree transaction: an edit that keeps size and mtime is noticed afterwards") {
  const Project project;
  REQUIRE(Apply(project) == 0);
  const UniqueFd undo(::open(project.tree().At("state/undo").c_str(), kFolder));
  const Result<std::vector<DoneStep>> steps = ReadUndo(undo);
  REQUIRE(steps.has_value());
  const auto is_still_placed = [&](const DoneStep& step) {
    return IsStillPlaced(project.root(), step).value();
  };
  const DoneStep& edited = (*steps)[1];
  const DoneStep& made = (*steps)[4];
  CHECK(edited.placed.ctime == EntryAt(project.root(), "edited").ctime);
  for (const DoneStep& step : *steps) {
    if (step.kind != Kind::kMode) CHECK(is_still_placed(step));
  }
  const auto write = [&](const std::string& path, const char* text) {
    const auto time = std::filesystem::last_write_time(project.At(path));
    std::ofstream(project.At(path)) << text;
    std::filesystem::last_write_time(project.At(path), time);
  };
  write("edited", "mew\n");
  CHECK_FALSE(is_still_placed(edited));
  write("edited", "new\n");
  CHECK(is_still_placed(edited));
  write("made/deep/file", "edited\n");
  CHECK_FALSE(is_still_placed(made));
  write("made/deep/file", "copied\n");
  CHECK(is_still_placed(made));
  std::filesystem::remove(project.At("made/deep/file"));
  CHECK_FALSE(is_still_placed(made));
}

TEST_CASE("tree transaction: without a commit, everything is as before") {
  const Project project;
  const std::string before = project.snapshot();
  {
    TreeTransaction transaction(project.folders());
    const auto mismatch = transaction.Perform(project.Steps());
    REQUIRE(mismatch.has_value());
    CHECK_FALSE(mismatch->has_value());
    CHECK(project.snapshot() != before);
  }
  CHECK(project.snapshot() == before);
  CHECK_FALSE(HasLeftovers(project));
}

TEST_CASE("tree transaction: a name that is not as expected stops all of it") {
  struct Row {
    const char* name;
    void (*change)(const Project&);
  };
  constexpr Row kRows[] = {
      {"edited", [](const Project& p) { std::ofstream(p.At("edited")) << "user's\n"; }},
      {"removed", [](const Project& p) { std::ofstream(p.At("removed")) << "user's text\n"; }},
      {"removed", [](const Project& p) { std::filesystem::remove(p.At("removed")); }},
      {"edited", [](const Project& p) { std::filesystem::remove(p.At("edited")); }},
      {"made", [](const Project& p) { std::ofstream(p.At("made")) << "user's\n"; }},
      {"folder", [](const Project& p) { std::ofstream(p.At("folder/inner/new")) << "user's\n"; }},
      {"folder", [](const Project& p) { std::filesystem::remove(p.At("folder/inner/file")); }},
      {"folder", [](const Project& p) { std::ofstream(p.At("folder/inner/file")) << "longer"; }},
      {"becomes_file", [](const Project& p) { std::ofstream(p.At("becomes_file/y")) << "y\n"; }},
      {"sub", [](const Project& p) { ::chmod(p.At("sub").c_str(), 0700); }},
      {"link",
       [](const Project& p) {
         std::filesystem::remove(p.At("link"));
         std::filesystem::create_symlink("elsewhere", p.At("link"));
       }},
      // Editors write another file, and rename it.
      {"edited", [](const Project& p) { p.ReplaceByFile("edited"); }},
      {"removed", [](const Project& p) { p.ReplaceByFile("removed"); }},
      {"link", [](const Project& p) { p.ReplaceByFile("link"); }},
      {"becomes_file",
       [](const Project& p) {
         std::filesystem::rename(p.At("becomes_file"), p.At("elsewhere"));
         p.ReplaceByFile("becomes_file");
       }},
      {"folder",
       [](const Project& p) {
         std::filesystem::rename(p.At("folder"), p.At("elsewhere"));
         std::filesystem::create_directory(p.At("folder"));
       }},
  };
  for (int i = 0; i < 2 * static_cast<int>(std::size(kRows)); ++i) {
    const Row& row = kRows[i / 2];
    CAPTURE(row.name);
    const Project project;
    std::vector<TreeStep> steps = project.Steps();
    for (TreeStep& step : steps) step.keeps_attributes = step.path == "edited" && i % 2 == 1;
    row.change(project);
    const std::string changed = project.snapshot();
    TreeTransaction transaction(project.folders());
    const auto mismatch = transaction.Perform(steps);
    REQUIRE(mismatch.has_value());
    REQUIRE(mismatch->has_value());
    CHECK(**mismatch == row.name);
    CHECK(project.snapshot() == changed);
    CHECK_FALSE(HasLeftovers(project));
  }
}

TEST_CASE("tree transaction: a new directory that cannot be created changes nothing") {
  const Project project;
  const std::string before = project.snapshot();
  {
    TreeTransaction transaction(project.folders());
    std::vector<TreeStep> steps = project.Steps();
    steps.push_back(project.Put("z", {.entries = {{.source = "missing"}}}));
    const auto mismatch = transaction.Perform(steps);
    REQUIRE_FALSE(mismatch.has_value());
    CHECK(mismatch.error().code == ENOENT);
  }
  CHECK(project.snapshot() == before);
  CHECK_FALSE(HasLeftovers(project));
}

TEST_CASE("tree transaction: a process that is killed at any call leaves the old or the new tree") {
  const std::string after = AppliedSnapshot();
  size_t old_trees = 0;
  size_t new_trees = 0;
#ifdef RINGFENCE_SANITIZED
  constexpr size_t kStep = 11;  // fork(2) is slow there
#else
  constexpr size_t kStep = 1;
#endif
  for (size_t at = 1;; at += kStep) {
    CAPTURE(at);
    const Project project;
    const std::string before = project.snapshot();
    const InterruptedRun run = KillAt(at, [&] { return Apply(project); });
    const Result<Recovered> recovered = Recover(project.root(), project.state());
    REQUIRE(recovered.has_value());
    CHECK(recovered->changed.empty());
    const std::string now = project.snapshot();
    REQUIRE((now == before || now == after));
    (now == before ? old_trees : new_trees) += 1;
    CHECK_FALSE(HasLeftovers(project));
    // The tree can be changed again.
    if (now == before) CHECK(Apply(project) == 0);
    if (!run.was_interrupted) break;
  }
  CHECK(old_trees > 5);
  CHECK(new_trees > 1);
}

TEST_CASE("tree transaction: a call that fails leaves the old or the new tree") {
  const std::string after = AppliedSnapshot();
#ifdef RINGFENCE_SANITIZED
  constexpr size_t kStep = 13;
#else
  constexpr size_t kStep = 1;
#endif
  for (size_t at = 1;; at += kStep) {
    CAPTURE(at);
    const Project project;
    const std::string before = project.snapshot();
    const InterruptedRun run = FailAt(at, ENOSPC, [&] { return Apply(project); });
    const Result<Recovered> recovered = Recover(project.root(), project.state());
    REQUIRE(recovered.has_value());
    const std::string now = project.snapshot();
    REQUIRE((now == before || now == after));
    CHECK((run.status != 0 || now == after));
    CHECK_FALSE(HasLeftovers(project));
    if (!run.was_interrupted) break;
  }
}

TEST_CASE("tree transaction: recovery keeps what another program has changed since") {
  const Project project;
  // Killed late enough that everything is in place, but not committed.
  size_t at = 1;
  std::string placed;
  for (;; ++at) {
    const Project other;
    KillAt(at, [&] { return Apply(other); });
    if (other.Read("edited") == "new\n" && !EntryAt(other.root(), "removed").exists() &&
        std::filesystem::exists(other.tree().At("state/journal"))) {
      break;
    }
    REQUIRE(at < 1000);
  }
  KillAt(at, [&] { return Apply(project); });
  std::ofstream(project.At("edited")) << "edited after the crash\n";
  std::filesystem::remove(project.At("link"));
  const Result<Recovered> recovered = Recover(project.root(), project.state());
  REQUIRE(recovered.has_value());
  CHECK(recovered->was_interrupted);
  CHECK(recovered->changed == std::vector<std::string>{"link", "edited"});
  CHECK_FALSE(EntryAt(project.root(), "link").exists());
  CHECK(project.Read("edited") == "edited after the crash\n");
  std::set<std::string> kept;
  for (const auto& entry : std::filesystem::directory_iterator(project.tree().At("state/kept"))) {
    const std::string name = entry.path().filename();
    kept.insert(name.substr(0, name.find(".ringfence-")));
  }
  CHECK(kept == std::set<std::string>{"1", "3"});  // the numbers of the steps
  CHECK(project.Read("removed") == "gone\n");
}
