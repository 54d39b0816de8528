#include "files/move_out.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "files/tree_transaction.h"
#include "tests/support/interrupted_run.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr size_t kStep =
    4;  // of the calls that are interrupted: syncing two file systems takes time

// A project, and the state of its transactions in another file system.
class Project {
 public:
  Project() {
    tree_.File("p/edited", "old\n");
    tree_.File("p/gone/a", "a\n");
    tree_.File("p/gone/s/b", "b\n");
    tree_.File("p/gone/s/c", "c\n");
    root_ = UniqueFd(::open(tree_.At("p").c_str(), kFolder));
    if (::mkdtemp(state_path_.data()) == nullptr) state_path_.clear();
    state_ = UniqueFd(::open(state_path_.c_str(), kFolder));
  }
  ~Project() { std::filesystem::remove_all(state_path_); }
  Project(const Project&) = delete;
  Project& operator=(const Project&) = delete;

  bool is_usable() const { return state_.valid() && IsElsewhere(root_, state_); }
  TreeFolders folders() const { return {root_, state_, {}}; }
  const UniqueFd& root() const { return root_; }
  const UniqueFd& state() const { return state_; }
  std::string At(const std::string& name) const { return tree_.At("p/" + name); }
  std::string snapshot() const { return Snapshot(tree_.At("p")); }
  std::string InState(const std::string& name) const { return state_path_ + "/" + name; }

 private:
  TemporaryTree tree_;
  std::string state_path_ = "/dev/shm/ringfence-test-XXXXXX";
  UniqueFd root_, state_;
};

std::vector<TreeStep> Steps(const Project& project) {
  std::vector<TreeStep> steps = {{.path = "edited", .tree = {.entries = {{.bytes = "new\n"}}}},
                                 {.kind = DoneStep::Kind::kRemove, .path = "gone"}};
  for (TreeStep& step : steps) step.expected = *LookAt(project.root().get(), step.path, step.path);
  const UniqueFd gone(::open(project.At("gone").c_str(), kFolder));
  steps.back().expected_inside = *ContentsOf(gone);
  return steps;
}

int Apply(const TreeFolders& folders, const std::vector<TreeStep>& steps) {
  TreeTransaction transaction(folders);
  const auto mismatch = transaction.Perform(steps);
  if (!mismatch || *mismatch) return 2;
  return transaction.Commit("undo") ? 0 : 3;
}

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Everything that was replaced, and nothing else.
bool IsUndoWhole(const Project& project) {
  const auto has = [&](const std::string& name, const char* text) {
    return Read(project.InState("undo/" + name)) == text;
  };
  size_t names = 0;
  for (const auto& entry : std::filesystem::directory_iterator(project.InState("undo"))) {
    names += entry.exists() ? 1 : 0;
  }
  return names == 3 && has("0", "old\n") && has("1/a", "a\n") && has("1/s/b", "b\n") &&
         has("1/s/c", "c\n");
}

size_t NamesInState(const Project& project) {
  size_t names = 0;
  for (const auto& entry : std::filesystem::directory_iterator(project.InState(""))) {
    names += entry.exists() ? 1 : 0;
  }
  return names;
}

}  // namespace

TEST_CASE("move out: a process that is killed at any call keeps all that it replaced") {
  {
    const Project project;
    if (!project.is_usable()) {
      MESSAGE("skipped: /dev/shm is not another file system");
      return;
    }
  }
  std::optional<std::string> before;
  size_t new_trees = 0;
  for (size_t at = 1;; at += kStep) {
    CAPTURE(at);
    const Project project;
    if (!before) before = project.snapshot();
    const std::vector<TreeStep> steps = Steps(project);
    const InterruptedRun run = KillAt(at, [&] { return Apply(project.folders(), steps); });
    REQUIRE(Recover(project.root(), project.state()).has_value());
    if (project.snapshot() == *before) {
      CHECK(NamesInState(project) == 0);
    } else {
      ++new_trees;
      CHECK(Read(project.At("edited")) == "new\n");
      CHECK(IsUndoWhole(project));
      CHECK(NamesInState(project) == 1);
    }
    if (!run.was_interrupted) break;
  }
  CHECK(new_trees > 5);
}

TEST_CASE("move out: what cannot be copied to the other file system is not replaced") {
  for (size_t at = 1;; at += kStep) {
    CAPTURE(at);
    const Project project;
    if (!project.is_usable()) return;
    const std::string before = project.snapshot();
    const std::vector<TreeStep> steps = Steps(project);
    const InterruptedRun run = FailAt(at, EIO, [&] { return Apply(project.folders(), steps); });
    REQUIRE(Recover(project.root(), project.state()).has_value());
    if (project.snapshot() == before) {
      CHECK(NamesInState(project) == 0);
      CHECK(run.status != 0);
    } else {
      CHECK(Read(project.At("edited")) == "new\n");
      CHECK(IsUndoWhole(project));
    }
    if (!run.was_interrupted) break;
  }
}

TEST_CASE("move out: a commit is completed without a directory that the user has removed since") {
  // Killed after the commit, before anything was moved out.
  for (size_t at = 1;; ++at) {
    CAPTURE(at);
    TemporaryTree tree;
    tree.File("p/d/f", "old\n");
    tree.File("p/g", "old\n");
    tree.Directory("state");
    const UniqueFd root(::open(tree.At("p").c_str(), kFolder));
    const UniqueFd state(::open(tree.At("state").c_str(), kFolder));
    std::vector<TreeStep> steps;
    for (const std::string path : {"d/f", "g"}) {
      steps.push_back({.path = path,
                       .expected = *LookAt(root.get(), path, path),
                       .tree = {.entries = {{.bytes = "new\n"}}}});
    }
    const InterruptedRun run = KillAt(at, [&] { return Apply({root, state, {}}, steps); });
    REQUIRE(run.was_interrupted);
    if (!std::filesystem::exists(tree.At("state/committed"))) continue;
    std::filesystem::remove_all(tree.At("p/d"));
    const Result<Recovered> recovered = Recover(root, state);
    REQUIRE(recovered.has_value());
    CHECK(Read(tree.At("p/g")) == "new\n");
    CHECK(Read(tree.At("state/undo/1")) == "old\n");
    CHECK(std::filesystem::exists(tree.At("state/undo/steps")));
    return;
  }
}
