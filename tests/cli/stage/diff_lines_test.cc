#include "cli/stage/diff_lines.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "staging/text_diff.h"

using namespace ringfence;
using enum DiffLine::Kind;

TEST_CASE("diff lines: each line has its numbers in both files") {
  const std::string diff =
      "diff --git a/x b/x\nindex 1\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ f()\n a\n-b\n+c\n+d\n";
  const std::vector<DiffLine> expected = {{kHunk, 0, 0, "@@ -1,2 +1,3 @@ f()"},
                                          {kContext, 1, 1, "a"},
                                          {kRemoved, 2, 0, "b"},
                                          {kAdded, 0, 2, "c"},
                                          {kAdded, 0, 3, "d"}};
  CHECK(DiffLines(diff) == expected);
}

TEST_CASE("diff lines: a count of 1 is left out, and several hunks follow each other") {
  const std::string diff = "@@ -1 +1 @@\n-a\n+b\n@@ -9,0 +10 @@\n+c\n";
  const std::vector<DiffLine> expected = {{kHunk, 0, 0, "@@ -1 +1 @@"},
                                          {kRemoved, 1, 0, "a"},
                                          {kAdded, 0, 1, "b"},
                                          {kHunk, 0, 0, "@@ -9,0 +10 @@"},
                                          {kAdded, 0, 10, "c"}};
  CHECK(DiffLines(diff) == expected);
}

TEST_CASE("diff lines: content that looks like a header stays content") {
  const std::string before = "-- a/x\n@@ -1 +1 @@\ndiff --git\n";
  const std::string after = "++ b/x\n\\ No newline\n";
  const Result<std::string> hunks = UnifiedHunks(before, after);
  REQUIRE(hunks.has_value());
  std::string removed;
  std::string added;
  const std::string diff = "--- a/x\n+++ b/x\n" + *hunks;
  for (const DiffLine& line : DiffLines(diff)) {
    if (line.kind == kRemoved) removed += std::string(line.text) + "\n";
    if (line.kind == kAdded) added += std::string(line.text) + "\n";
  }
  CHECK(removed == before);
  CHECK(added == after);
}

TEST_CASE("diff lines: a missing newline at the end is a note") {
  const Result<std::string> hunks = UnifiedHunks("a", "b");
  REQUIRE(hunks.has_value());
  const std::vector<DiffLine> lines = DiffLines(*hunks);
  REQUIRE(lines.size() == 5);
  CHECK(lines[2].kind == kNote);
  CHECK(lines[2].text == " No newline at end of file");
  CHECK(lines[4].kind == kNote);
}

TEST_CASE("diff lines: what is not a diff has no lines") {
  for (const char* text : {"", "Binary files a/x and b/x differ\n", "@@ -x +1 @@\n+a\n",
                           "@@ -1 1 @@\n+a\n", "@@ -1,y +1 @@\n", "@ -1 +1 @@\n", "\\ x\n"}) {
    CAPTURE(text);
    CHECK(DiffLines(text).empty());
  }
}
