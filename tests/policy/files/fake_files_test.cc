#include "tests/support/fake_files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>

using namespace ringfence;

namespace {

constexpr size_t kMany = 100000;  // names

std::string Names(const Result<std::vector<DirectoryEntry>>& entries) {
  if (!entries) return entries.error().what;
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
  std::ranges::sort(names);
  std::string text;
  for (const std::string& name : names) text += name + " ";
  return text;
}

}  // namespace

TEST_CASE("fake files: links on the way are followed, the last component is not") {
  const FakeFiles files{
      {"/a/link", LinkTo("../b/./c")}, {"/b/c/f", File()}, {"/b/c/up", LinkTo("..")}};
  CHECK(files.Look(Path::Clean("/a/link"))->kind == FileKind::kLink);
  CHECK(files.Look(Path::Clean("/a/link/f"))->kind == FileKind::kFile);
  CHECK(files.Look(Path::Clean("/a/link/up/c/f"))->kind == FileKind::kFile);
  CHECK(files.Look(Path::Clean("/a/link/no"))->kind == FileKind::kMissing);
  CHECK(files.Look(Path::Clean("/b/c/f/x"))->kind == FileKind::kMissing);
  CHECK(*files.ReadLink(Path::Clean("/a/link")) == "../b/./c");
  CHECK(files.ReadLink(Path::Clean("/b/c/f")).error().code == EINVAL);
  CHECK(files.ReadLink(Path::Clean("/no")).error().code == ENOENT);
}

TEST_CASE("fake files: directories on the way exist, and list their content") {
  FakeFiles files{{"/a/b/f", File()},
                  {"/a/g", File()},
                  {"/locked", UnreadableDirectory()},
                  {"/link", LinkTo("a")}};
  CHECK(files.Look(Path::Clean("/a/b"))->kind == FileKind::kDirectory);
  CHECK(Names(files.List(Path(), kMany)) == "a link locked ");
  CHECK(Names(files.List(Path::Clean("/a"), kMany)) == "b g ");
  CHECK(Names(files.List(Path::Clean("/a/g"), kMany)) == "ENOTDIR");
  CHECK(Names(files.List(Path::Clean("/no"), kMany)) == "ENOENT");
  CHECK(Names(files.List(Path::Clean("/link"), kMany)) == "b g ");
  CHECK(Names(files.List(Path::Clean("/locked"), kMany)) == "EACCES");
  files.Remove("/a/b");
  CHECK(Names(files.List(Path::Clean("/a"), kMany)) == "g ");
  CHECK(files.Look(Path::Clean("/a/b/f"))->kind == FileKind::kMissing);
}

TEST_CASE("fake files: loops and long names are errors, as on a disk") {
  const FakeFiles files{{"/a", LinkTo("a")}};
  CHECK(files.Look(Path::Clean("/a/x")).error().code == ELOOP);
  CHECK(files.Look(Path::Clean("/" + std::string(256, 'x'))).error().code == ENAMETOOLONG);
}

TEST_CASE("fake files: each file has its own inode unless a test sets it") {
  const FakeFiles files{{"/a", File()}, {"/b", File()}, {"/c", File().Inode(5).Links(2)}};
  CHECK(files.Look(Path::Clean("/a"))->inode != files.Look(Path::Clean("/b"))->inode);
  CHECK(files.Look(Path::Clean("/c"))->inode == 5);
  CHECK(files.Look(Path::Clean("/c"))->links == 2);
}

TEST_CASE("fake files: letter case can be ignored") {
  const FakeFiles files({{"/Repo/CAF\xC3\x89", File()}}, LetterCase::kIgnored);
  CHECK(files.Look(Path::Clean("/repo/caf\xC3\xA9"))->kind == FileKind::kFile);
  CHECK(Names(files.List(Path::Clean("/REPO"), kMany)) == "CAF\xC3\x89 ");
  const FakeFiles strict{{"/Repo/f", File()}};
  CHECK(strict.Look(Path::Clean("/repo/f"))->kind == FileKind::kMissing);
}
