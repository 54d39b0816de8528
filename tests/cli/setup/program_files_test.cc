#include "cli/setup/program_files.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

const std::string kDigest(64, 'a');

std::string Line(const std::string& path) { return kDigest + "  " + path + "\n"; }

bool IsAccepted(const std::string& text) { return ParseFileList(text, "list").has_value(); }

TEST_CASE("file list: files are sorted, and programs are executable") {
  const auto files = ParseFileList(Line("share/x y") + Line("bin/a"), "list");
  REQUIRE(files.has_value());
  CHECK(*files == std::vector<ListedFile>{{"bin/a", kDigest}, {"share/x y", kDigest}});
  CHECK(files->front().mode() == 0755);
  CHECK(files->back().mode() == 0644);
}

TEST_CASE("file list: only plain paths below the prefix") {
  for (const char* path : {"/etc/passwd", "..", "../x", "a/../b", "a/..", "./a", "a/./b", "a//b",
                           "a/", ".", "", "a\tb", "a\x7f", "share/ringfence/files.sha256"}) {
    CAPTURE(path);
    CHECK_FALSE(IsAccepted(Line("bin/a") + Line(path)));
  }
  CHECK_FALSE(IsAccepted(Line(std::string(3000, 'x'))));
  CHECK(IsAccepted(Line("..a/b..")));
}

TEST_CASE("file list: lines are whole, with a digest") {
  CHECK_FALSE(IsAccepted(""));
  CHECK_FALSE(IsAccepted("\n"));
  CHECK_FALSE(IsAccepted(kDigest + "  bin/a"));
  CHECK_FALSE(IsAccepted(kDigest + " *bin/a\n"));
  CHECK_FALSE(IsAccepted(kDigest.substr(1) + "  bin/a\n"));
  CHECK_FALSE(IsAccepted(std::string(64, 'A') + "  bin/a\n"));
  CHECK_FALSE(IsAccepted(Line("bin/a") + "\n" + Line("bin/b")));
  const auto files = ParseFileList(Line("bin/a") + "x\n", "list");
  CHECK(files.error().where == "list:2");
}

TEST_CASE("file list: no file twice, and none below another one") {
  CHECK_FALSE(IsAccepted(Line("bin/a") + Line("bin/b") + Line("bin/a")));
  CHECK_FALSE(IsAccepted(Line("bin") + Line("bin-a") + Line("bin/a/b")));
  CHECK(IsAccepted(Line("bin/a") + Line("bin/a.b") + Line("bin/ab")));
}

}  // namespace
