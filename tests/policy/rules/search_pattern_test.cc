#include "policy/rules/search_pattern.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace ringfence;

namespace {

// The fixed prefixes, sorted, or "! " and the reason.
std::string Read(std::string_view pattern) {
  SearchPattern read = ReadSearchPattern(pattern);
  if (read.refused) return "! " + std::string(*read.refused);
  std::ranges::sort(read.beginnings);
  std::string text;
  for (const std::string& beginning : read.beginnings) text += "[" + beginning + "]";
  return text;
}

struct Row {
  std::string_view pattern, want;
};

constexpr Row kBeginnings[] = {
    {"*", "[]"},
    {"**/*.cc", "[]"},
    {"src", "[src]"},
    {"src/", "[src]"},
    {"src/*.cc", "[src]"},
    {"src/a/b*/c", "[src/a]"},
    {"./src/*", "[./src]"},
    {"/", "[/]"},
    {"/*", "[/]"},
    {"/etc/*", "[/etc]"},
    {"//etc//x/*", "[/etc/x]"},
    {"~/x/*", "[~/x]"},
    {"src/{a,b}/*", "[src/a][src/b]"},
    {"{src,/etc}/*", "[/etc][src]"},
    {"{a,*}/x", "[][a/x]"},
    {"{a,{b,c}}/x/*", "[a/x][b/x][c/x]"},
    {"src/{a", "[src/{a]"},
    {"src/a}", "[src/a}]"},
    {"src/{}", "[src]"},
    {"@(a|b)/x/*", "[a/x][b/x]"},
    {"src/!(a|b)/*", "[src]"},
    {"src/[a]/x", "[src/a/x]"},
    {"src/[ab]/x", "[src]"},
    {"src/\\*/x*", "[src/*]"},
    {"?(a)/x/*", "[/x][a/x]"},
    {"@(a|{b,(c)})/x/*", "[(c)/x][a/x][b/x]"},
    {"{a\\,b,c\\}}/x/*", "[a,b/x][c}/x]"},
    {"a\\", "[a\\]"},
    {"a/[", "[a]"},
    {"v{1..3}/*", "[v1..3]"},
    {"a..b/*", "[a..b]"},
    {".../x", "[.../x]"},
    {"a?/b", "[]"},
};

constexpr Row kRefused[] = {
    {"", "! it is empty"},
    {std::string_view("a\0b", 3), "! it contains NUL"},
    {"..", R"(! it contains "..")"},
    {"../x", R"(! it contains "..")"},
    {"x/../y", R"(! it contains "..")"},
    {"*/..", R"(! it contains "..")"},
    {"**/../**", R"(! it contains "..")"},
    {"{..,a}/x", R"(! it contains "..")"},
    {"{.,a}./x", R"(! it contains "..")"},
    {".{.,a}/x", R"(! it contains "..")"},
    {"{a,b/..}/x", R"(! it contains "..")"},
    {"@(..)/x", R"(! it contains "..")"},
    {"+(.)+(.)/x", R"(! it contains "..")"},
    {"\\.\\./x", R"(! it contains "..")"},
    {".\\./x", R"(! it contains "..")"},
    {"[.][.]/x", R"(! it contains "..")"},
    {"[.]./x", R"(! it contains "..")"},
    {"..\\x", R"(! it contains "..")"},
    {"a\\..\\x", R"(! it contains "..")"},
};

}  // namespace

TEST_CASE("search pattern: each alternative has a fixed beginning") {
  for (const Row& row : kBeginnings) {
    CAPTURE(row.pattern);
    CHECK(Read(row.pattern) == row.want);
  }
}

TEST_CASE("search pattern: a pattern that any reader can expand to dot-dot is refused") {
  for (const Row& row : kRefused) {
    CAPTURE(row.pattern);
    CHECK(Read(row.pattern) == row.want);
  }
}

TEST_CASE("search pattern: a repetition of dots may expand to dot-dot") {
  CHECK(Read("+(.)/x").starts_with("!"));
  CHECK(Read("*(.)/x").starts_with("!"));
  CHECK(Read("@(.|a)@(.|b)/x").starts_with("!"));
}

TEST_CASE("search pattern: very long patterns are refused, in little time") {
  CHECK(Read(std::string(4096, 'a')).starts_with("["));
  CHECK(Read(std::string(4097, 'a')) == "! it is longer than a path can be");
  std::string many;
  for (int i = 0; i < 40; ++i) many += "{a,b}";
  CHECK(Read(many) == "! it has too many alternatives");
  std::string wide = "{a";
  for (int i = 0; i < 600; ++i) wide += "," + std::to_string(i);
  CHECK(Read(wide + "}/x") == "! it has too many alternatives");
  std::string repeated = "+(a";
  for (int i = 0; i < 600; ++i) repeated += "|" + std::to_string(i);
  CHECK(Read(repeated + ")/x") == "! it has too many alternatives");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{a,";
  CHECK(Read(deep + "x" + std::string(1000, '}')).starts_with("!"));
  CHECK_FALSE(Read(std::string(4000, '{')).empty());
  CHECK_FALSE(Read(std::string(4000, '(')).empty());
}
