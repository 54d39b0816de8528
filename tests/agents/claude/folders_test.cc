#include "agents/claude/folders.h"

#include <doctest/doctest.h>

#include "policy/files/git_files.h"
#include "policy/files/real_files.h"
#include "tests/support/fake_files.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

std::string MainOf(const FakeFiles& files, const std::string& folder) {
  return MainRepositoryOf(Path::Clean(folder), files).text();
}

// /home/dev/main with a worktree at /home/dev/tree.
FakeFiles Worktree() {
  return {{"/home/dev/main/.git/HEAD", File()},
          {"/home/dev/main/pkg/app", Directory()},
          {"/home/dev/main/.git/worktrees/tree/commondir", File("../..\n")},
          {"/home/dev/main/.git/worktrees/tree/gitdir", File("/home/dev/tree/.git\n")},
          {"/home/dev/tree/.git", File("gitdir: /home/dev/main/.git/worktrees/tree\n")},
          {"/home/dev/tree/src", Directory()},
          {"/home/dev/plain", Directory()}};
}

}  // namespace

TEST_CASE("client folders: the client's name for a directory, made from its path") {
  struct Row {
    std::string root, want;
  };
  const std::string long_path =
      "/tmp/ha-work/m/long"
      "/dir1_abcdefghijklmnopqrstuvwxyz\xC3\xA9"
      "abcdefghij/dir2_abcdefghijklmnopqrstuvwxyz\xC3\xA9"
      "abcdefghij/dir3_abcdefghijklmnopqrstuvwxyz\xC3\xA9"
      "abcdefghij/dir4_abcdefghijklmnopqrstuvwxyz\xC3\xA9"
      "abcdefghij/dir5_abcdefghijklmnopqrstuvwxyz\xC3\xA9"
      "abcdefghij/dir6_abcdefghijklmnopqrstuvwxyz\xC3\xA9"
      "abcdefghij";
  const Row kRows[] = {
      {"/home/dev/project", "-home-dev-project"},
      {"/home/dev/my.project_2", "-home-dev-my-project-2"},
      {"/srv/A b-c", "-srv-A-b-c"},
      {"/srv/caf\xC3\xA9", "-srv-caf-"},
      {"/srv/\xF0\x9F\x98\x80", "-srv---"},
      {"/srv/\xEF\xBF\xBF", "-srv--"},  // U+FFFF, the last of one UTF-16 unit
      {"/srv/\xF0\x90\x80\x80", "-srv---"},
      {"/", "-"},
      {"/" + std::string(199, 'a'), "-" + std::string(199, 'a')},
      // Names that the client itself made, versions 2.1.330 and 2.1.331.
      {long_path,
       "-tmp-ha-work-m-long-dir1-abcdefghijklmnopqrstuvwxyz-abcdefghij-dir2-"
       "abcdefghijklmnopqrstuvwxyz-abcdefghij-dir3-abcdefghijklmnopqrstuvwxyz-abcdefghij-dir4-"
       "abcdefghijklmnopqrstuvwxyz-abcdefghij-dir5-abc-3nj60e"},
  };
  for (const Row& row : kRows) CHECK(ClaudeProjectSlug(Path::Clean(row.root)) == row.want);
  const std::string longer = ClaudeProjectSlug(Path::Clean("/" + std::string(200, 'a')));
  CHECK(longer.starts_with("-" + std::string(199, 'a') + "-"));
  CHECK(longer != ClaudeProjectSlug(Path::Clean("/" + std::string(201, 'a'))));
}

TEST_CASE("client folders: the repository that a directory belongs to") {
  FakeFiles files = Worktree();
  CHECK(MainOf(files, "/home/dev/main") == "/home/dev/main");
  CHECK(MainOf(files, "/home/dev/main/pkg/app") == "/home/dev/main");
  CHECK(MainOf(files, "/home/dev/tree") == "/home/dev/main");
  CHECK(MainOf(files, "/home/dev/tree/src") == "/home/dev/main");
  CHECK(MainOf(files, "/home/dev/plain") == "/home/dev/plain");
  CHECK(MainOf(files, "/gone/a") == "/gone/a");
  files.Put("/home/dev/tree/.git", File("gitdir: ../main/.git/worktrees/tree"));
  CHECK(MainOf(files, "/home/dev/tree") == "/home/dev/main");
  files.Put("/home/dev/linked/.git", LinkTo("../main/.git"));
  CHECK(MainOf(files, "/home/dev/linked") == "/home/dev/linked");
}

TEST_CASE("client folders: the worktree of a bare repository belongs to that repository") {
  const FakeFiles files{{"/srv/x.git/worktrees/t/commondir", File("../..")},
                        {"/srv/x.git/worktrees/t/gitdir", File("/srv/t/.git")},
                        {"/srv/t/.git", File("gitdir: /srv/x.git/worktrees/t")}};
  CHECK(MainOf(files, "/srv/t") == "/srv/x.git");
}

TEST_CASE("client folders: a directory that only claims to be a worktree is its own repository") {
  struct Row {
    const char* name;
    const char* file;
    const char* text;
  };
  static constexpr Row kRows[] = {
      {"no gitdir", "/home/dev/tree/.git", "nothing"},
      {"a submodule", "/home/dev/tree/.git", "gitdir: /home/dev/main/.git/modules/x"},
      {"the repository names another folder", "/home/dev/main/.git/worktrees/tree/gitdir",
       "/home/dev/other/.git"},
      {"not below worktrees", "/home/dev/main/.git/worktrees/tree/commondir", "../../.."},
      {"empty", "/home/dev/main/.git/worktrees/tree/commondir", ""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    FakeFiles files = Worktree();
    files.Put(row.file, File(row.text));
    CHECK(MainOf(files, "/home/dev/tree") == "/home/dev/tree");
  }
  for (const char* name : {"commondir", "gitdir"}) {
    CAPTURE(name);
    FakeFiles files = Worktree();
    files.Remove("/home/dev/main/.git/worktrees/tree/" + std::string(name));
    CHECK(MainOf(files, "/home/dev/tree") == "/home/dev/tree");
  }
  FakeFiles files = Worktree();
  files.Put("/home/dev/loop", LinkTo("loop"));
  files.Put("/home/dev/main/.git/worktrees/tree/gitdir", File("/home/dev/loop/tree/.git"));
  CHECK(MainOf(files, "/home/dev/tree") == "/home/dev/tree");
  files.Put("/home/dev/tree/.git", File(std::string(5000, 'x')));
  CHECK(MainOf(files, "/home/dev/tree") == "/home/dev/tree");
  files.Put("/home/dev/tree/.git", Special(FileKind::kFifo));
  CHECK(MainOf(files, "/home/dev/tree") == "/home/dev/tree");
}

TEST_CASE("client folders: worktrees on the real disk") {
  TemporaryTree tree;
  tree.File("main/.git/worktrees/t/commondir", "../..\n");
  tree.File("main/.git/worktrees/t/gitdir", tree.At("t/.git") + "\n");
  tree.File("t/.git", "gitdir: " + tree.At("main/.git/worktrees/t") + "\n");
  CHECK(MainRepositoryOf(Path::Clean(tree.At("t")), RealFiles()).text() == tree.At("main"));
  tree.Link("linked", "t/.git");
  CHECK_FALSE(RealFiles().ReadText(Path::Clean(tree.At("linked")), 100).has_value());
  CHECK_FALSE(RealFiles().ReadText(Path::Clean(tree.At("t")), 100).has_value());
  CHECK_FALSE(RealFiles().ReadText(Path::Clean(tree.At("t/.git")), 3).has_value());
  CHECK_FALSE(RealFiles().ReadText(Path::Clean(tree.At("gone")), 3).has_value());
}
