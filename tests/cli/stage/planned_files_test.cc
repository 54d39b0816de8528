#include "cli/stage/planned_files.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "tests/support/fake_files.h"

using namespace ringfence;

namespace {

Entry Of(EntryKind kind, std::string target = "") {
  return {.kind = kind, .mode = 0640, .target = std::move(target)};
}
const Entry kNothing{};
const Entry kAFile = Of(EntryKind::kFile);
const Entry kAFolder = Of(EntryKind::kDirectory);

// A project, and changes of all kinds.
struct World {
  FakeFiles disk{{"/p/kept", File("1")},           {"/p/edited", File("1")},
                 {"/p/gone", File("1")},           {"/p/old/inner/x", File("1")},
                 {"/p/becomes_file/x", File("1")}, {"/p/stays/x", File("1")},
                 {"/p/stays/gone", File("1")},     {"/q/x", File("1")}};
  ChangeList changes{{.path = "becomes_file", .before = kAFolder, .after = kAFile},
                     {.path = "becomes_file/x", .before = kAFile},
                     {.path = "edited", .before = kAFile, .after = Of(EntryKind::kLink, "kept")},
                     {.path = "gone", .before = kAFile},
                     {.path = "made", .after = kAFolder},
                     {.path = "made/f", .after = kAFile},
                     {.path = "old", .before = kAFolder},
                     {.path = "old/inner", .before = kAFolder},
                     {.path = "old/inner/x", .before = kAFile},
                     {.path = "stays", .before = kAFolder, .after = kAFolder},
                     {.path = "stays/gone", .before = kAFile},
                     {.path = "stays/new", .after = kAFile}};

  PlannedFiles files() const {
    std::vector<const Change*> pointers;
    for (const Change& change : changes) pointers.push_back(&change);
    return {disk, {Path::Clean("/link"), Path::Clean("/p")}, pointers};
  }
};

FileKind KindAt(const FileView& files, std::string_view path) {
  const Result<FileFacts> facts = files.Look(Path::Clean(path));
  REQUIRE(facts.has_value());
  return facts->kind;
}

std::string NamesAt(const FileView& files, std::string_view path, size_t most = 100) {
  const auto entries = files.List(Path::Clean(path), most);
  if (!entries) return std::to_string(entries.error().code);
  std::vector<std::string> names;
  for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
  std::ranges::sort(names);
  std::string text;
  for (const std::string& name : names) text += name + " ";
  return text;
}

}  // namespace

TEST_CASE("planned files: each name is what it will be") {
  const World world;
  const PlannedFiles files = world.files();
  for (const std::string project : {"/p/", "/link/"}) {
    CAPTURE(project);
    CHECK(KindAt(files, project + "edited") == FileKind::kLink);
    CHECK(files.ReadLink(Path::Clean(project + "edited")).value() == "kept");
    CHECK(KindAt(files, project + "gone") == FileKind::kMissing);
    CHECK(KindAt(files, project + "made/f") == FileKind::kFile);
    CHECK(KindAt(files, project + "made/other") == FileKind::kMissing);
    CHECK(KindAt(files, project + "old/inner/x") == FileKind::kMissing);
    CHECK(KindAt(files, project + "old/inner/y") == FileKind::kMissing);
    CHECK(KindAt(files, project + "becomes_file") == FileKind::kFile);
    CHECK(KindAt(files, project + "becomes_file/y") == FileKind::kMissing);
    CHECK(KindAt(files, project + "stays/new") == FileKind::kFile);
    CHECK(KindAt(files, project + "stays/gone") == FileKind::kMissing);
  }
  CHECK(KindAt(files, "/p/kept") == FileKind::kFile);
  CHECK(KindAt(files, "/p/stays") == FileKind::kDirectory);
  CHECK(KindAt(files, "/p/stays/x") == FileKind::kFile);
  CHECK(KindAt(files, "/q/x") == FileKind::kFile);
}

TEST_CASE("planned files: directories list what they will hold") {
  const World world;
  const PlannedFiles files = world.files();
  CHECK(NamesAt(files, "/p") == "becomes_file edited kept made stays ");
  CHECK(NamesAt(files, "/p/stays") == "new x ");
  CHECK(NamesAt(files, "/p/made") == "f ");
  CHECK(NamesAt(files, "/p/old") == std::to_string(ENOENT));
  CHECK(NamesAt(files, "/p/becomes_file") == std::to_string(ENOTDIR));
  CHECK(NamesAt(files, "/p/stays", 1) == std::to_string(E2BIG));
  CHECK(NamesAt(files, "/q") == "x ");
}

TEST_CASE("planned files: new files are different files, and have no content here") {
  const World world;
  const PlannedFiles files = world.files();
  const FileFacts one = files.Look(Path::Clean("/p/made/f")).value();
  const FileFacts other = files.Look(Path::Clean("/p/stays/new")).value();
  CHECK(one.inode != other.inode);
  CHECK(one.links == 1);
  CHECK(one.mode == 0640);
  CHECK_FALSE(files.ReadText(Path::Clean("/p/made/f"), 100).has_value());
  CHECK_FALSE(files.ReadLink(Path::Clean("/p/made/f")).has_value());
  CHECK(files.ReadText(Path::Clean("/p/kept"), 100).value() == "1");
}

TEST_CASE("files without a name: it is missing with all that it holds") {
  const World world;
  const FilesWithoutName files(world.disk, Path::Clean("/p/old"));
  CHECK(KindAt(files, "/p/old") == FileKind::kMissing);
  CHECK(KindAt(files, "/p/old/inner/x") == FileKind::kMissing);
  CHECK(KindAt(files, "/p/gone") == FileKind::kFile);
  CHECK(NamesAt(files, "/p") == "becomes_file edited gone kept stays ");
  CHECK(NamesAt(files, "/p/old") == std::to_string(ENOENT));
}
