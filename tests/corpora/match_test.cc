// git's t3070 and Go's filepath.Match tables.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/case_fold.h"
#include "policy/rules/pattern.h"
#include "tests/support/corpora.h"

using namespace ringfence;

namespace {

struct Difference {
  std::string_view pattern, text, why;
};

// Rows of Go's table that differ from git, whose semantics apply here.
constexpr Difference kGoDiffers[] = {
    {"a?b",
     "a\xE2\x98\xBA"
     "b",
     "a question mark is one byte in git, one character in Go"},
    {"a???b",
     "a\xE2\x98\xBA"
     "b",
     "three bytes"},
    {"a[^a]b",
     "a\xE2\x98\xBA"
     "b",
     "a bracket is one byte"},
    {"a[^a][^a][^a]b",
     "a\xE2\x98\xBA"
     "b",
     "three bytes"},
    {"[]a]", "]", "a bracket that comes first stands for itself"},
    {"[-]", "-", "a dash at an end stands for itself"},
    {"[x-]", "x", "a dash at an end stands for itself"},
    {"[x-]", "-", "a dash at an end stands for itself"},
    {"[-x]", "x", "a dash at an end stands for itself"},
    {"[-x]", "-", "a dash at an end stands for itself"},
    {"[a-b-c]", "a", "a dash behind a range stands for itself"},
};

// Patterns that are malformed for Go and valid for git.
constexpr std::string_view kSoundInGit[] = {"[]a]", "[-]", "[x-]", "[-x]", "[a-b-c]"};

bool Differs(std::string_view pattern, std::string_view text) {
  return std::ranges::any_of(kGoDiffers, [&](const Difference& row) {
    return row.pattern == pattern && row.text == text;
  });
}

bool IsSoundInGit(std::string_view pattern) {
  return std::ranges::find(kSoundInGit, pattern) != std::end(kSoundInGit);
}

}  // namespace

TEST_CASE("corpora: git's wildmatch table in pathname mode") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const auto table = ReadJsonFile(folder + "/wildmatch/git_t3070.json");
  REQUIRE(table["cases"].size() == 190);
  for (const auto& row : table["cases"]) {
    const std::string pattern = row["pattern"];
    const std::string text = row["text"];
    CAPTURE(pattern);
    CAPTURE(text);
    CHECK(MatchPattern(pattern, text, {}) == row["glob"].get<bool>());
    // For a class that excludes letters, git tries only the lower case; a deny tries both.
    const bool leaves_out = pattern.find("[!") != std::string::npos;
    const bool folded = MatchPattern(pattern, FoldName(text), {.fold = true});
    CHECK((folded == row["iglob"].get<bool>() || (folded && leaves_out)));
    // A pattern that the policy loader refuses must match nothing.
    if (!CheckPattern(pattern)) CHECK_FALSE(row["glob"].get<bool>());
  }
}

TEST_CASE("corpora: Go's table of matches, where git agrees") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const auto table = ReadJsonFile(folder + "/wildmatch/go_filepath_match.json");
  size_t differing = 0;
  for (const auto& row : table["cases"]) {
    const std::string pattern = row[0];
    const std::string text = row[1];
    CAPTURE(pattern);
    CAPTURE(text);
    const bool differs = Differs(pattern, text);
    differing += differs ? 1 : 0;
    CHECK((MatchPattern(pattern, text, {}) == row[2].get<bool>()) == !differs);
    CHECK(CheckPattern(pattern).has_value() == (!row[3].get<bool>() || IsSoundInGit(pattern)));
  }
  CHECK(differing == std::size(kGoDiffers));
}
