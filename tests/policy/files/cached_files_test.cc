#include "policy/files/cached_files.h"

#include <doctest/doctest.h>

#include "tests/support/fake_files.h"

using namespace ringfence;

namespace {

// Counts the calls that reach the files.
class CountedFiles final : public FileView {
 public:
  explicit CountedFiles(const FileView& files) : files_(files) {}
  Result<FileFacts> Look(const Path& path) const override {
    ++looks;
    return files_.Look(path);
  }
  Result<std::string> ReadLink(const Path& path) const override { return files_.ReadLink(path); }
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override {
    ++lists;
    return files_.List(directory, most);
  }

  mutable int looks = 0;
  mutable int lists = 0;

 private:
  const FileView& files_;
};

bool HasLink(const CachedFiles& files, std::string_view base, std::string_view below) {
  const Result<bool> found = files.HasLinkBelow(files.FolderOf(Path::Clean(base)), below);
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("cached files: a link on the way is found, whatever was asked before") {
  const FakeFiles disk{{"/p/src/a", File()},
                       {"/p/src/b", LinkTo("/elsewhere")},
                       {"/p/srclink", LinkTo("src")},
                       {"/p/src/deep/c/d", LinkTo("x")},
                       {"/p/file", File()}};
  struct Row {
    std::string_view below;
    bool want;
  };
  static constexpr Row kRows[] = {
      {"", false},         {"src", false},     {"src/a", false},      {"src/b", true},
      {"src/b/x", true},   {"srclink", true},  {"srclink/a", true},   {"src/deep/c/d", true},
      {"src/deep", false}, {"src/dee", false}, {"missing/b", false},  {"missing", false},
      {"missin", false},   {"file/b", false},  {"src/deep/c", false}, {"missing/b/c", false},
  };
  // Tests every row after every other one, so that no cached result answers for another path.
  for (const Row& before : kRows) {
    const CachedFiles files(disk);
    for (const Row& row : kRows) {
      CAPTURE(before.below);
      CAPTURE(row.below);
      CHECK(HasLink(files, "/p", before.below) == before.want);
      CHECK(HasLink(files, "/p", row.below) == row.want);
    }
  }
}

TEST_CASE("cached files: many names of one directory cost one listing") {
  std::vector<FakeFiles::Entry> entries;
  for (int i = 0; i < 200; ++i) entries.push_back({"/p/d" + std::to_string(i) + "/x", File()});
  entries.push_back({"/p/last", LinkTo("d0")});
  const FakeFiles disk(entries);
  const CountedFiles counted(disk);
  const CachedFiles files(counted);
  for (int i = 0; i < 300; ++i) CHECK_FALSE(HasLink(files, "/p", "d" + std::to_string(i)));
  CHECK(HasLink(files, "/p", "last/x"));
  CHECK(counted.lists == 1);
  CHECK(counted.looks < 50);
  for (int i = 0; i < 100; ++i) CHECK_FALSE(HasLink(files, "/p", "none/x" + std::to_string(i)));
  CHECK(counted.lists == 1);
  CHECK(counted.looks < 50);
}

TEST_CASE("cached files: files beyond the cache limit are asked about again") {
  const FakeFiles disk{{"/p/f", File()}};
  const CountedFiles counted(disk);
  const CachedFiles files(counted);
  const auto look = [&](int i) { return files.Look(Path::Clean("/p/" + std::to_string(i))); };
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 400; ++i) CHECK(look(i)->kind == FileKind::kMissing);
  }
  CHECK(counted.looks == 400 + (400 - 256));
}

TEST_CASE("cached files: a directory that cannot be listed is tried once and may have any name") {
  const FakeFiles disk{{"/p/closed", UnreadableDirectory()}};
  const CountedFiles counted(disk);
  const CachedFiles files(counted);
  for (int i = 0; i < 3; ++i) {
    const NameFilter names = files.NamesIn(files.FolderOf(Path::Clean("/p")), "closed");
    CHECK(names.MayHave(NameFilter::IndexOf("x")));
  }
  CHECK(counted.lists == 1);
}

TEST_CASE("cached files: a directory of at most 4,096 names is listed") {
  for (const int names : {4096, 4097}) {
    CAPTURE(names);
    std::vector<FakeFiles::Entry> entries;
    for (int i = 0; i < names; ++i) entries.push_back({"/p/f" + std::to_string(i), File()});
    const FakeFiles disk(entries);
    const CountedFiles counted(disk);
    const CachedFiles files(counted);
    for (int i = 0; i < 200; ++i) CHECK_FALSE(HasLink(files, "/p", "g" + std::to_string(i)));
    CHECK(counted.lists == 1);
    CHECK((counted.looks < 50) == (names == 4096));
  }
}

TEST_CASE(
    "cached files: a directory of very many names is not listed, and each name is looked up") {
  std::vector<FakeFiles::Entry> entries;
  for (int i = 0; i < 5000; ++i) entries.push_back({"/p/f" + std::to_string(i), File()});
  entries.push_back({"/p/link", LinkTo("f0")});
  const FakeFiles disk(entries);
  const CountedFiles counted(disk);
  const CachedFiles files(counted);
  for (int i = 4990; i < 5100; ++i) CHECK_FALSE(HasLink(files, "/p", "f" + std::to_string(i)));
  CHECK(HasLink(files, "/p", "link"));
  CHECK(counted.lists == 1);
  CHECK_FALSE(files.failure());
}
