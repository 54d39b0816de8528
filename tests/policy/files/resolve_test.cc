#include "policy/files/resolve.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "base/short_name.h"
#include "tests/support/fake_files.h"

using namespace ringfence;

using Stop = Walked::Stop;

namespace {

std::string Links(const Walked& walked) {
  std::string text;
  for (const Path& link : walked.links) text += (text.empty() ? "" : " ") + link.text();
  return text;
}

// l0 -> l1 -> ... -> the target, `count` links in total.
std::vector<FakeFiles::Entry> Chain(int count, const std::string& target) {
  std::vector<FakeFiles::Entry> entries;
  for (int i = 0; i < count; ++i) {
    entries.push_back(
        {"/l" + std::to_string(i), LinkTo(i + 1 == count ? target : "l" + std::to_string(i + 1))});
  }
  return entries;
}

class Refuse final : public NameGuard {
 public:
  explicit Refuse(std::string_view folder) : folder_(Path::Clean(folder)) {}
  bool Refuses(const Path& path) const override { return path.IsInside(folder_); }

 private:
  Path folder_;
};

}  // namespace

TEST_CASE("walk: a path leads where the kernel would go") {
  const FakeFiles files{{"/repo/f", File()},
                        {"/repo/sub/g", File()},
                        {"/repo/link", LinkTo("/srv/data")},
                        {"/repo/up", LinkTo("..")},
                        {"/repo/inner", LinkTo("sub")},
                        {"/repo/twice", LinkTo("link/x")},
                        {"/repo/slash", LinkTo("sub/")},
                        {"/repo/dots", LinkTo("./sub/../sub/.")},
                        {"/repo/dangling", LinkTo("/srv/new/file")},
                        {"/repo/dangling_here", LinkTo("new")},
                        {"/repo/root", LinkTo("/")},
                        {"/srv/data/x", File()},
                        {"/srv/y", File()},
                        {"/pipe", Special(FileKind::kFifo)}};
  struct Row {
    std::string_view name;
    std::string_view text, want;
    FileKind kind;
    std::string_view links;
  };
  static constexpr Row kRows[] = {
      {"a file", "/repo/f", "/repo/f", FileKind::kFile, ""},
      {"a directory", "/repo/sub", "/repo/sub", FileKind::kDirectory, ""},
      {"the root", "/", "/", FileKind::kDirectory, ""},
      {"slashes and dots", "//repo/./sub///g", "/repo/sub/g", FileKind::kFile, ""},
      {"a slash at the end", "/repo/sub/", "/repo/sub", FileKind::kDirectory, ""},
      {"dot-dot", "/repo/sub/../f", "/repo/f", FileKind::kFile, ""},
      {"dot-dot above the root", "/../../repo/f", "/repo/f", FileKind::kFile, ""},
      {"dot-dot at the end", "/repo/sub/..", "/repo", FileKind::kDirectory, ""},
      {"a link to elsewhere", "/repo/link/x", "/srv/data/x", FileKind::kFile, "/repo/link"},
      {"a link as the last component", "/repo/link", "/srv/data", FileKind::kDirectory,
       "/repo/link"},
      {"dot-dot after a link leaves the link's target", "/repo/link/../y", "/srv/y",
       FileKind::kFile, "/repo/link"},
      {"a relative link", "/repo/inner/g", "/repo/sub/g", FileKind::kFile, "/repo/inner"},
      {"a link to its parent", "/repo/up/srv/y", "/srv/y", FileKind::kFile, "/repo/up"},
      {"a link whose target holds a link", "/repo/twice", "/srv/data/x", FileKind::kFile,
       "/repo/twice /repo/link"},
      {"a target that ends in a slash", "/repo/slash/g", "/repo/sub/g", FileKind::kFile,
       "/repo/slash"},
      {"dots in a target", "/repo/dots/g", "/repo/sub/g", FileKind::kFile, "/repo/dots"},
      {"a link to the root", "/repo/root/repo/f", "/repo/f", FileKind::kFile, "/repo/root"},
      {"a new file", "/repo/new", "/repo/new", FileKind::kMissing, ""},
      {"a new file in a new folder", "/repo/a/b/c", "/repo/a/b/c", FileKind::kMissing, ""},
      {"a new file behind a link", "/repo/link/new", "/srv/data/new", FileKind::kMissing,
       "/repo/link"},
      {"a dangling link: where the file would be made", "/repo/dangling", "/srv/new/file",
       FileKind::kMissing, "/repo/dangling"},
      {"a dangling link beside itself", "/repo/dangling_here", "/repo/new", FileKind::kMissing,
       "/repo/dangling_here"},
      {"below a dangling link", "/repo/dangling/x", "/srv/new/file/x", FileKind::kMissing,
       "/repo/dangling"},
      {"below a file, as text", "/repo/f/x", "/repo/f/x", FileKind::kMissing, ""},
      {"below a file and out again", "/repo/f/../sub/g", "/repo/sub/g", FileKind::kFile, ""},
      {"below something missing and out again", "/repo/no/x/../../sub/g", "/repo/sub/g",
       FileKind::kFile, ""},
      {"out of something missing, then through a link", "/repo/no/../link/x", "/srv/data/x",
       FileKind::kFile, "/repo/link"},
      {"a special file", "/pipe", "/pipe", FileKind::kFifo, ""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Walked walked = Walk(row.text, files);
    CHECK(walked.stop == Stop::kEnd);
    CHECK(walked.end.text() == row.want);
    CHECK(walked.facts.kind == row.kind);
    CHECK(Links(walked) == row.links);
  }
}

TEST_CASE("walk: \"..\" after a name below a file leads back to that file") {
  const FakeFiles files{{"/repo/f", File().Inode(7).Links(2)}};
  const Walked walked = Walk("/repo/f/x/..", files);
  CHECK(walked.end.text() == "/repo/f");
  CHECK(walked.facts.kind == FileKind::kFile);
  CHECK(walked.facts.links == 2);
}

TEST_CASE("walk: each step is reported with the kind of file found there") {
  const FakeFiles files{{"/repo/link", LinkTo("/srv")}, {"/srv/f", File()}};
  const Walked walked = Walk("/repo/link/f", files);
  const std::vector<WalkStep> want = {
      {Path::Clean("/repo"), FileKind::kDirectory, ""},
      {Path::Clean("/repo/link"), FileKind::kLink, "/srv"},
      {Path::Clean("/srv"), FileKind::kDirectory, ""},
      {Path::Clean("/srv/f"), FileKind::kFile, ""},
  };
  CHECK(walked.steps == want);
}

TEST_CASE("walk: the facts describe the end") {
  const FakeFiles files{{"/repo/a", File().Inode(42).Links(3).Owner(7).Mode(0640).Device(5)},
                        {"/repo/b", LinkTo("a")}};
  const Walked walked = Walk("/repo/b", files);
  CHECK(walked.facts.inode == 42);
  CHECK(walked.facts.links == 3);
  CHECK(walked.facts.owner == 7);
  CHECK(walked.facts.mode == 0640);
  CHECK(walked.facts.device == 5);
}

TEST_CASE("walk: forty links are followed, as in the kernel, and no more") {
  CHECK(Walk("/l0", FakeFiles(Chain(40, "/end"))).end.text() == "/end");
  CHECK(Walk("/l0", FakeFiles(Chain(41, "/end"))).stop == Stop::kLoop);
}

TEST_CASE("walk: loops end") {
  const FakeFiles files{{"/self", LinkTo("self")},
                        {"/a", LinkTo("b")},
                        {"/b", LinkTo("a")},
                        {"/grow", LinkTo("grow/x")},
                        {"/d/back", LinkTo("../d/back/y")}};
  for (const std::string_view text : {"/self", "/self/x", "/a", "/grow", "/d/back", "/a/../b"}) {
    CAPTURE(text);
    CHECK(Walk(text, files).stop == Stop::kLoop);
  }
}

TEST_CASE("walk: a path that is too long for the kernel is refused") {
  const FakeFiles files{{"/repo/f", File()}, {"/long", LinkTo(std::string(4095, 'x'))}};
  const std::string name(255, 'n');
  CHECK(Walk("/repo/" + name, files).stop == Stop::kEnd);
  CHECK(Walk("/repo/" + name + "n", files).stop == Stop::kTooLong);
  std::string deep;
  while (deep.size() + 2 <= 4095) deep += "/d";
  CHECK(Walk(deep, files).stop == Stop::kEnd);
  CHECK(Walk(deep + "/dd", files).stop == Stop::kTooLong);
  CHECK(Walk("/repo" + std::string(5000, '/') + "f", files).stop == Stop::kTooLong);
  CHECK(Walk("/long", files).stop == Stop::kTooLong);
}

TEST_CASE("walk: a path that becomes too long through links is refused") {
  std::string half;
  while (half.size() < 2000) half += "/" + std::string(249, 'd');
  const FakeFiles files{{half + "/more", LinkTo(half.substr(1))}, {"/half", LinkTo(half)}};
  const std::string rest = "/" + std::string(200, 'n');
  CHECK(Walk("/half" + rest, files).stop == Stop::kEnd);
  CHECK(Walk("/half/more", files).stop == Stop::kEnd);
  CHECK(Walk("/half/more" + rest, files).stop == Stop::kTooLong);
  CHECK(Walk("/half" + half + rest, files).stop == Stop::kTooLong);
}

TEST_CASE("walk: an unsearchable directory stops it with the reason") {
  const FakeFiles files{
      {"/locked", UnreadableDirectory()}, {"/locked/f", File()}, {"/link", LinkTo("/locked/f")}};
  for (const std::string_view text : {"/locked/f", "/locked/new", "/link", "/locked/f/../g"}) {
    CAPTURE(text);
    const Walked walked = Walk(text, files);
    CHECK(walked.stop == Stop::kUnreadable);
    REQUIRE(walked.error);
    CHECK(walked.error->code == EACCES);
  }
  CHECK(Walk("/locked", files).stop == Stop::kEnd);
}

TEST_CASE("walk: nothing below a refused name is touched") {
  const FakeFiles disk{{"/home/dev/Documents/x", File()},
                       {"/repo/link", LinkTo("/home/dev/Documents/x")},
                       {"/repo/f", File()}};
  const Refuse guard("/home/dev/Documents");
  for (const std::string_view text :
       {"/home/dev/Documents/x", "/repo/link", "/repo/../home/dev/Documents/./x"}) {
    CAPTURE(text);
    const RecordingFiles files(disk);
    const Walked walked = Walk(text, files, &guard);
    CHECK(walked.stop == Stop::kRefused);
    CHECK(walked.end.text() == "/home/dev/Documents");
    CHECK_FALSE(files.touched().empty());
    CHECK_FALSE(files.HasTouchedBelow("/home/dev/Documents"));
    for (const std::string& touched : files.touched()) CHECK(touched != "/home/dev/Documents");
  }
  CHECK(Walk("/repo/f", disk, &guard).stop == Stop::kEnd);
}

TEST_CASE("walk: if letter case is ignored, a name still leads to the file") {
  const FakeFiles files({{"/repo/Link", LinkTo("/SRV/data")}, {"/srv/Data/x", File()}},
                        LetterCase::kIgnored);
  const Walked walked = Walk("/REPO/link/X", files);
  CHECK(walked.facts.kind == FileKind::kFile);
  CHECK(Path::Clean("/SRV/data/X") == walked.end);
}

TEST_CASE("short name: FAT drops trailing dots of names") {
  struct Row {
    std::string_view path, want;
  };
  static constexpr Row kRows[] = {{"/p/.claude./settings.json..", "/p/.claude/settings.json"},
                                  {"/p./x", "/p/x"},
                                  {"/.../..x./.", "/.../..x/."},
                                  {"/a.b/c", "/a.b/c"},
                                  {"/", "/"},
                                  {"a.", "a"},
                                  {"", ""}};
  for (const Row& row : kRows) {
    CAPTURE(row.path);
    CHECK(WithoutFinalDots(row.path) == row.want);
  }
}

TEST_CASE("resolve: a short name of FAT or NTFS leads to the listed name") {
  const FakeFiles files{
      {"/p/.claude", Directory().Inode(7)},  {"/p/.claude/settings.json", File().Inode(8)},
      {"/p/CLAUDE~1", Directory().Inode(7)}, {"/p/CLAUDE~1/settings.json", File().Inode(8)},
      {"/p/MCP~1.JSO", File().Inode(9)},     {"/p/.mcp.json", File().Inode(9)},
      {"/p/FREE~1", File().Inode(10)}};
  CHECK(Walk("/p/CLAUDE~1/settings.json", files).end == Path::Clean("/p/.claude/settings.json"));
  CHECK(Walk("/p/MCP~1.JSO", files).end == Path::Clean("/p/.mcp.json"));
  CHECK(Walk("/p/FREE~1", files).end == Path::Clean("/p/FREE~1"));
  CHECK(Walk("/p/NEW~1", files).end == Path::Clean("/p/NEW~1"));
  const FakeFiles twins{{"/p/a", File().Inode(7).Device(2)}, {"/p/A~1", File().Inode(7)}};
  CHECK(Walk("/p/A~1", twins).end == Path::Clean("/p/A~1"));  // of another file system
  CHECK(MayBeShortName("SETTIN~1.JSO"));
  for (const std::string_view name : {"~1", "a~", "a~b", "file.c~1~", "abcdefg~12", "a~1.text"}) {
    CAPTURE(name);
    CHECK_FALSE(MayBeShortName(name));
  }
}

TEST_CASE("resolve: the long name of a short one is checked by the guard") {
  const FakeFiles files{{"/p/.claude", Directory().Inode(7)},
                        {"/p/.claude/x", File()},
                        {"/p/CLAUDE~1", Directory().Inode(7)},
                        {"/p/CLAUDE~1/x", File()}};
  const Refuse refuse("/p/.claude");
  const Walked refused = Walk("/p/CLAUDE~1/x", files, &refuse);
  CHECK(refused.stop == Stop::kRefused);
  CHECK(refused.end == Path::Clean("/p/.claude"));
  const Refuse other("/elsewhere");
  const Walked walked = Walk("/p/CLAUDE~1/x", files, &other);
  CHECK(walked.stop == Stop::kEnd);
  CHECK(walked.end == Path::Clean("/p/.claude/x"));
}

TEST_CASE("resolve: a short name whose long name cannot be found stops the walk") {
  struct Row {
    FailingFiles::Call call;
    std::string_view path;
  };
  using enum FailingFiles::Call;
  const FakeFiles files{{"/p/.claude", Directory().Inode(7)},
                        {"/p/CLAUDE~1", Directory().Inode(7)}};
  for (const Row& row : {Row{kList, "/p"}, Row{kLook, "/p/.claude"}}) {
    CAPTURE(row.path);
    const Walked walked = Walk("/p/CLAUDE~1/x", FailingFiles(files, row.call, row.path, EACCES));
    CHECK(walked.stop == Stop::kUnreadable);
    REQUIRE(walked.error);
    CHECK(walked.error->code == EACCES);
  }
}
