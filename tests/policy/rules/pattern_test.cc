#include "policy/rules/pattern.h"

#include <doctest/doctest.h>

#include <span>

#include "base/case_fold.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view pattern, text;
  bool want;
};

void CheckRows(std::span<const Row> rows, MatchOptions options) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.pattern);
    CHECK(MatchPattern(row.pattern, row.text, options) == row.want);
  }
}

}  // namespace

TEST_CASE("pattern: stars and question marks stay inside one component") {
  static constexpr Row kRows[] = {
      {"plain text", "src/main.cc", "src/main.cc", true},
      {"a longer text", "src/main", "src/main.cc", false},
      {"a star", "*.cc", "main.cc", true},
      {"a star for nothing", "*.cc", ".cc", true},
      {"a star does not cross", "*.cc", "src/main.cc", false},
      {"a star in the middle", "src/*/x", "src/a/x", true},
      {"one folder, not two", "src/*/x", "src/a/b/x", false},
      {"one folder, not none", "src/*/x", "src/x", false},
      {"several stars", "a*b*c", "aXbYbZc", true},
      {"several stars, wrong end", "a*b*c", "aXbYbZ", false},
      {"stars in a row inside a name", "a**c", "abc", true},
      {"stars in a row inside a name do not cross", "a**c", "a/c", false},
      {"question mark", "a?c", "abc", true},
      {"question mark is never a slash", "a?c", "a/c", false},
      {"question mark is never nothing", "a?", "a", false},
      {"question marks count bytes", "caf??", "caf\xC3\xA9", true},
      {"a hidden file", "*", ".env", true},
      {"nothing against nothing", "", "", true},
      {"nothing against something", "", "a", false},
      {"a star against nothing", "*", "", true},
  };
  CheckRows(kRows, {});
}

TEST_CASE("pattern: \"**\" as a whole component crosses any number of directories") {
  static constexpr Row kRows[] = {
      {"at the front, none", "**/.env", ".env", true},
      {"at the front, some", "**/.env", "a/b/.env", true},
      {"at the front, another name", "**/.env", "a/b.env", false},
      {"in the middle, none", "a/**/z", "a/z", true},
      {"in the middle, some", "a/**/z", "a/b/c/z", true},
      {"in the middle, not half a name", "a/**/z", "a/bz", false},
      {"at the end, some", "a/**", "a/b/c", true},
      {"at the end, something there must be", "a/**", "a", false},
      {"twice", "**/a/**/b", "x/a/y/a/z/b", true},
      {"twice, with the second missing", "**/a/**/b", "x/a/y/c", false},
      {"in a row", "a/**/**/z", "a/z", true},
      {"alone", "**", "a/b/c", true},
      {"with a name behind", "**/*.key", "deep/down/server.key", true},
      {"three stars are no two", "a/***/z", "a/b/c/z", false},
      {"the shortest way is not the only one", "**/b/c", "a/b/b/c", true},
  };
  CheckRows(kRows, {});
}

TEST_CASE("pattern: brackets match one character") {
  static constexpr Row kRows[] = {
      {"one of them", "[abc]", "b", true},
      {"none of them", "[abc]", "d", false},
      {"a range", "[a-c]", "b", true},
      {"a range from both ends", "[a-c]x", "cx", true},
      {"two ranges", "[a-cx-z]", "y", true},
      {"a range backwards is empty", "[c-a]", "b", false},
      {"not one of them", "[!abc]", "d", true},
      {"not, spelled with a caret", "[^abc]", "a", false},
      {"a slash is never in it", "a[/]b", "a/b", false},
      {"nor left over by a negation", "a[!x]b", "a/b", false},
      {"a bracket first stands for itself", "[]x]", "]", true},
      {"and after a negation", "[!]x]", "]", false},
      {"a dash first", "[-a]", "-", true},
      {"a dash last", "[a-]", "-", true},
      {"a dash between two ranges", "[a-c-e]", "-", true},
      {"a range does not go on behind one", "[a-c-e]", "d", false},
      {"an escaped bracket", "[\\]]", "]", true},
      {"an escaped dash", "[a\\-c]", "b", false},
      {"an escaped end of a range", "[a-\\c]", "b", true},
      {"an open bracket inside", "[[]", "[", true},
      {"a class", "[[:digit:]]", "7", true},
      {"a class among others", "[a[:digit:]z]", "z", true},
      {"not a class", "[![:alpha:]]", "a", false},
      {"a colon without a class", "[[:]", ":", true},
      {"one byte of a longer character", "[\xC3][\xA9]", "\xC3\xA9", true},
      {"without end it matches nothing", "[abc", "a", false},
      {"an unknown class matches nothing", "[[:letter:]]", "a", false},
      {"an unknown class does not match when negated", "[![:letter:]]", "a", false},
  };
  CheckRows(kRows, {});
}

TEST_CASE("pattern: character classes contain ASCII characters") {
  struct ClassRow {
    std::string_view name, in, out;
  };
  static constexpr ClassRow kRows[] = {
      {"alnum", "aZ5", "-_ \xE9"},    {"alpha", "aZ", "5_ "},     {"blank", " \t", "\na"},
      {"cntrl", "\x01\x7F", " a"},    {"digit", "09", "a-"},      {"graph", "a!~", " \x7F"},
      {"lower", "az", "AZ0"},         {"print", "a !", "\t\x7F"}, {"punct", "!_~@", "a5 "},
      {"space", " \t\n\v\f\r", "a_"}, {"upper", "AZ", "az0"},     {"xdigit", "09afAF", "gG-"},
  };
  for (const ClassRow& row : kRows) {
    const std::string pattern = "[[:" + std::string(row.name) + ":]]";
    for (const char c : row.in) {
      CAPTURE(pattern);
      CAPTURE(static_cast<int>(c));
      CHECK(MatchPattern(pattern, std::string_view(&c, 1), {}));
    }
    for (const char c : row.out) {
      CAPTURE(pattern);
      CAPTURE(static_cast<int>(c));
      CHECK_FALSE(MatchPattern(pattern, std::string_view(&c, 1), {}));
    }
  }
}

TEST_CASE("pattern: a backslash makes the next character literal") {
  static constexpr Row kRows[] = {
      {"a star", "a\\*b", "a*b", true},    {"a star is then no other text", "a\\*b", "axb", false},
      {"a bracket", "\\[a]", "[a]", true}, {"a letter stays a letter", "\\a\\b", "ab", true},
      {"itself", "a\\\\b", "a\\b", true},  {"at the end it matches nothing", "a\\", "a\\", false},
  };
  CheckRows(kRows, {});
}

TEST_CASE("pattern: a covering pattern also matches everything below") {
  static constexpr Row kRows[] = {
      {"the folder itself", "docs/adr", "docs/adr", true},
      {"a file in it", "docs/adr", "docs/adr/1.md", true},
      {"far below", "docs/*", "docs/a/b/c", true},
      {"a sibling", "docs/adr", "docs/adr2", false},
      {"the parent", "docs/adr", "docs", false},
      {"anywhere, then below", "**/.ssh", "home/dev/.ssh/id", true},
      {"anywhere, deeper", "**/hooks", "a/.git/hooks/pre/commit", true},
      {"a name that ends too early", "**/a/b", "x/a", false},
  };
  CheckRows(kRows, {.covers = true});
}

TEST_CASE("pattern: if letter case is ignored, the caller folds the text") {
  static constexpr Row kRows[] = {
      {"letters of the pattern", "**/*.KEY", "Server.Key", true},
      {"a range", "[A-C]x", "BX", true},
      {"a range of the other case", "[a-c]x", "BX", true},
      {"upper is lower", "[[:upper:]]", "a", true},
      {"and lower is upper", "[[:lower:]]", "A", true},
      {"escaped letters", "\\A", "a", true},
      {"another letter still counts", "[A-C]x", "DX", false},
      {"a range between the cases", "[Z-a]", "_", true},
      {"all but the other case", "[!a]x", "Ax", true},
      {"all but both cases", "[!aA]x", "Ax", false},
      {"letters beyond ASCII, which the caller folds in the pattern", "\xC3\xA9*",
       "\xC3\x89T\xC3\x89", true},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(MatchPattern(row.pattern, FoldName(row.text), {.fold = true}) == row.want);
  }
}

TEST_CASE("pattern: a pattern that can never match is refused, others are not") {
  static constexpr std::string_view kSound[] = {
      "",    "a",     "*", "**/x", "[a]", "[]a]", "[!]a]", "[[:xdigit:]]",
      "\\[", "a\\\\", "]", "[a-]", "[[:]"};
  for (const std::string_view pattern : kSound) {
    CAPTURE(pattern);
    CHECK(CheckPattern(pattern));
  }
  static constexpr std::string_view kUnsound[] = {"a\\",        "[",     "[a",  "[!",
                                                  "[]",         "[a/b]", "x/[", "[[:letter:]]",
                                                  "[[:alpha:]", "[a\\]", "[a-", "a\\/b"};
  for (const std::string_view pattern : kUnsound) {
    CAPTURE(pattern);
    CHECK_FALSE(CheckPattern(pattern));
  }
  CHECK(CheckPattern("a\\").error().what == "\"a\\\\\" ends in a backslash");
  CHECK(CheckPattern("[a").error().what ==
        "\"[a\" has a bracket that is not closed or an unknown class");
}

TEST_CASE("pattern: a text has a pattern if it contains a special character") {
  for (const std::string_view text : {"*", "a?", "[", "a\\b"}) CHECK(HasPattern(text));
  for (const std::string_view text : {"", "a/b", "]", "{a,b}", "a-b!^"})
    CHECK_FALSE(HasPattern(text));
}

TEST_CASE("pattern: in tool names, a star matches any characters") {
  static constexpr Row kRows[] = {
      {"itself", "Read", "Read", true},
      {"case counts", "Read", "read", false},
      {"a star", "mcp__team__*", "mcp__team__send", true},
      {"another server", "mcp__team__*", "mcp__teams__send", false},
      {"alone it is every tool", "*", "mcp__a__b", true},
      {"nothing is only itself", "", "", true},
      {"nothing against a name", "", "Read", false},
      {"a name against nothing", "Read", "", false},
      {"a class at the beginning", "[RW]ead", "Read", true},
      {"an escape at the beginning", "\\Read", "Read", true},
      {"a star crosses a slash", "mcp__*", "mcp__a/b", true},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(MatchName(row.pattern, row.text) == row.want);
  }
}
