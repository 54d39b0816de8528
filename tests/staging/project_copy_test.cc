#include "staging/project_copy.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "staging/base_versions.h"
#include "staging/put_back.h"
#include "staging/stage.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

// A project, and its copy in a stage.
class Copied {
 public:
  explicit Copied(bool is_elsewhere = false) {
    tree.Directory("state");
    tree.File("project/a", "1\n");
    tree.File("project/b", "1\n");
    tree.File("project/sub/c", "1\n");
    tree.File("project/sub/d", "1\n");
    tree.Link("project/link", "a");
    record_.project = Path::Clean(tree.At("project"));
    record_.mechanism = StageMechanism::kCopy;
    record_.is_elsewhere = is_elsewhere;
  }

  // Call it once everything is in the project.
  CopiedProject Make() {
    const StageFolder folder = Folder();
    record_.id = folder.path().name();
    REQUIRE(folder.Save(record_).has_value());
    if (record_.is_elsewhere) REQUIRE(folder.MakeElsewhere().has_value());
    copy = folder.written(record_).text() + "/";
    size_t last = 0;
    const Result<CopiedProject> made = CopyProject(folder, record_, [&](size_t done, size_t all) {
      CHECK(done <= all);
      last = done;
    });
    REQUIRE(made.has_value());
    CHECK(last > 0);
    return *made;
  }

  Stage Open() {
    Result<StageFolder> folder = store_.Open(record_.id);
    REQUIRE(folder.has_value());
    Result<Stage> stage = Stage::Open(std::move(*folder));
    REQUIRE(stage.has_value());
    return std::move(*stage);
  }

  // "a: modified, sub: removed"
  std::string Changes() {
    const Result<ChangeList> changes = Open().Changes();
    REQUIRE(changes.has_value());
    std::string text;
    for (const Change& change : *changes) {
      const char* const what = change.is_added()       ? "added"
                               : change.is_removed()   ? "removed"
                               : change.is_mode_only() ? "mode"
                                                       : "modified";
      text += (text.empty() ? "" : ", ") + change.path + ": " + what;
    }
    return text;
  }

  std::string Project(const char* name) const { return tree.At("project") + "/" + name; }
  void WriteCopy(const std::string& name, const std::string& text) const {
    tree.File(copy.substr(tree.root().size() + 1) + name, text);
  }

  const StageStore& store() const { return store_; }

  TemporaryTree tree;
  std::string copy;

 private:
  StageFolder Folder() const {
    Result<StageFolder> folder = store_.Create();
    REQUIRE(folder.has_value());
    return std::move(*folder);
  }

  StageRecord record_;
  StageStore store_{Path::Clean(tree.At("state/ringfence/stages"))};
};

}  // namespace

TEST_CASE("project copy: an untouched copy has no changes, whatever changes in the project") {
  for (const bool is_elsewhere : {false, true}) {
    Copied copied(is_elsewhere);
    ::chmod(copied.Project("b").c_str(), 0750);
    CHECK(copied.Make().unread.empty());
    CHECK(copied.Changes().empty());
    struct stat facts {};
    REQUIRE(::stat((copied.copy + "b").c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777) == 0750);
    copied.tree.File("project/a", "mine\n");
    copied.tree.File("project/new", "mine\n");
    std::filesystem::remove_all(copied.Project("sub"));
    CHECK(copied.Changes().empty());
  }
}

TEST_CASE("project copy: what the command changes is listed") {
  Copied copied;
  copied.Make();
  copied.WriteCopy("a", "staged\n");
  copied.WriteCopy("new/f", "staged\n");
  ::chmod((copied.copy + "b").c_str(), 0600);
  ::chmod((copied.copy + "b").c_str(), 0755);
  std::filesystem::remove(copied.copy + "link");
  std::filesystem::remove(copied.copy + "sub/c");
  std::filesystem::rename(copied.copy + "sub/d", copied.copy + "sub/e");
  CHECK(copied.Changes() ==
        "a: modified, b: mode, link: removed, new: added, new/f: added, sub/c: removed, "
        "sub/d: removed, sub/e: added");
}

TEST_CASE("project copy: touched files, and kinds that change") {
  Copied copied;
  copied.Make();
  copied.WriteCopy("a", "1\n");
  std::filesystem::create_hard_link(copied.copy + "b", copied.copy + "b2");
  std::filesystem::remove(copied.copy + "b2");
  CHECK(copied.Changes().empty());
  std::filesystem::remove_all(copied.copy + "sub");
  copied.WriteCopy("sub", "a file now\n");
  std::filesystem::remove(copied.copy + "a");
  copied.WriteCopy("a/x", "a directory now\n");
  copied.tree.File("project/sub/of-the-user", "mine\n");
  CHECK(copied.Changes() ==
        "a: modified, a/x: added, sub: modified, sub/c: removed, sub/d: removed, "
        "sub/of-the-user: removed");
}

TEST_CASE("project copy: a directory that is gone, and one that the user has removed as well") {
  Copied copied;
  copied.Make();
  std::filesystem::remove_all(copied.copy + "sub");
  CHECK(copied.Changes() == "sub: removed, sub/c: removed, sub/d: removed");
  std::filesystem::remove_all(copied.Project("sub"));
  CHECK(copied.Changes().empty());
}

TEST_CASE("project copy: it leaves out FIFOs, and keeps holes, links and odd names") {
  Copied copied;
  REQUIRE(::mkfifo(copied.Project("pipe").c_str(), 0600) == 0);
  copied.tree.File("project/odd \xff\n\"name", "1\n");
  copied.tree.File("project/holes", "begin");
  REQUIRE(::truncate(copied.Project("holes").c_str(), off_t{1} << 26) == 0);
  copied.Make();
  CHECK(copied.Changes().empty());
  CHECK_FALSE(std::filesystem::exists(copied.copy + "pipe"));
  CHECK(std::filesystem::exists(copied.copy + "odd \xff\n\"name"));
  CHECK(std::filesystem::read_symlink(copied.copy + "link") == "a");
  CHECK(std::filesystem::file_size(copied.copy + "holes") == uint64_t{1} << 26);
  struct stat facts {};
  REQUIRE(::stat((copied.copy + "holes").c_str(), &facts) == 0);
  CHECK(facts.st_blocks < 8192);
}

TEST_CASE("project copy: base versions know what has changed since") {
  Copied copied;
  copied.Make();
  const Stage stage = copied.Open();
  const Result<BaseVersions> base = BaseVersions::Of(stage, copied.store());
  REQUIRE(base.has_value());
  const auto is_unchanged = [&](const std::string& path) {
    const Result<Entry> now =
        LookAt(AT_FDCWD, copied.Project(path.c_str()), copied.Project(path.c_str()));
    REQUIRE(now.has_value());
    return base->IsUnchanged(path, *now);
  };
  for (const char* path : {"a", "sub", "sub/c", "link", "missing"}) CHECK(is_unchanged(path));
  copied.tree.File("project/a", "2\n");
  copied.tree.File("project/new", "2\n");
  copied.tree.File("project/sub/new", "2\n");
  ::chmod(copied.Project("sub/c").c_str(), 0600);
  for (const char* path : {"a", "new", "sub/new", "sub/c"}) CHECK_FALSE(is_unchanged(path));
  CHECK(is_unchanged("sub"));
  std::filesystem::remove(copied.Project("sub/d"));
  CHECK_FALSE(is_unchanged("sub/d"));
}

TEST_CASE("project copy: damaged lists are errors") {
  for (const char* name : {"copied", "originals"}) {
    Copied copied;
    copied.Make();
    const Stage stage = copied.Open();
    const std::string list = stage.folder().path().Child(name).text();
    REQUIRE(::truncate(list.c_str(), 100) == 0);
    const bool has_changes = stage.Changes().has_value();
    const bool has_base = BaseVersions::Of(stage, copied.store()).has_value();
    CHECK(has_changes != has_base);
    std::filesystem::remove(list);
    CHECK(stage.Changes().has_value() == has_changes);
  }
}

TEST_CASE("project copy: removing the stage removes a copy elsewhere") {
  Copied copied(true);
  copied.Make();
  CHECK(std::filesystem::path(copied.copy).parent_path().filename() == "project");
  REQUIRE(copied.Open().folder().Remove().has_value());
  CHECK_FALSE(std::filesystem::exists(copied.copy));
  CHECK(std::filesystem::exists(copied.tree.At("state/ringfence-copies")));
}

TEST_CASE(
    "project copy: a file that a failed apply has put back is unchanged until it is changed") {
  Copied copied;
  copied.Make();
  const Stage stage = copied.Open();
  const auto look = [&](const std::string& path) {
    const Result<Entry> now = LookAt(AT_FDCWD, copied.Project(path.c_str()), path);
    REQUIRE(now.has_value());
    return *now;
  };
  const auto is_unchanged = [&](const std::string& path) {
    const Result<BaseVersions> base = BaseVersions::Of(stage, copied.store());
    REQUIRE(base.has_value());
    return base->IsUnchanged(path, look(path));
  };
  std::vector<TreeStep> steps;
  for (const char* path : {"a", "b", "link", "sub/c"}) {
    steps.push_back({.kind = DoneStep::Kind::kRemove, .path = path, .expected = look(path)});
    steps.back().mark = steps.back().path != "b";  // an answer to a conflict has no mark
    const std::string place = copied.Project(path);
    // The clock of ctimes is slower than these calls.
    while (look(path).ctime == steps.back().expected.ctime) {
      std::filesystem::rename(place, place + ".moved");
      std::filesystem::rename(place + ".moved", place);
    }
    CHECK_FALSE(is_unchanged(path));
  }
  copied.tree.File("project/sub/c", "mine\n");
  NotePutBack(stage, steps);
  CHECK(is_unchanged("a"));
  CHECK(is_unchanged("link"));
  CHECK_FALSE(is_unchanged("b"));
  CHECK_FALSE(is_unchanged("sub/c"));
  const Entry noted = look("a");
  while (look("a").ctime == noted.ctime) ::chmod(copied.Project("a").c_str(), noted.mode);
  CHECK_FALSE(is_unchanged("a"));
  NotePutBack(stage, {});
  CHECK(is_unchanged("link"));
}

namespace {

// Runs `work` in a thread that has no permissions of root's; gives it everything in the tree.
template <typename Work>
void AsOrdinaryUser(const TemporaryTree& tree, const Work& work) {
  constexpr uid_t kUser = 61777;
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    REQUIRE(::chown(tree.root().c_str(), kUser, kUser) == 0);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.root())) {
      REQUIRE(::lchown(entry.path().c_str(), kUser, kUser) == 0);
    }
  }
  std::thread([&] {
    // The C library's function would change all threads.
    if (is_root) CHECK(::syscall(SYS_setresuid, -1, kUser, -1) == 0);
    work();
  }).join();
}

}  // namespace

TEST_CASE("project copy: a file that the user may not read is empty, and is not replaced") {
  Copied copied;
  ::chmod(copied.Project("a").c_str(), 0);
  ::chmod(copied.Project("b").c_str(), 0);
  AsOrdinaryUser(copied.tree, [&] {
    CHECK(copied.Make().unread == std::vector<std::string>{"a", "b"});
    CHECK(std::filesystem::file_size(copied.copy + "a") == 0);
    CHECK(copied.Changes().empty());
    std::filesystem::remove(copied.copy + "a");
    ::chmod((copied.copy + "b").c_str(), 0600);
    CHECK(copied.Changes() == "a: removed, b: modified");
    const Stage stage = copied.Open();
    const Result<BaseVersions> base = BaseVersions::Of(stage, copied.store());
    REQUIRE(base.has_value());
    for (const char* name : {"a", "b", "link"}) {
      const Result<Entry> now = LookAt(AT_FDCWD, copied.Project(name), name);
      REQUIRE(now.has_value());
      CHECK(base->IsUnchanged(name, *now) == (std::string(name) == "link"));
    }
  });
}
