#include <doctest/doctest.h>

#include "policy/rules/path_entry.h"
#include "policy/rules/sets.h"
#include "tests/support/loaded.h"

using namespace ringfence;

namespace {

// The parsed form of one entry, or "! " and the mistake.
std::string Entry(std::string_view text, ListKind kind) {
  std::deque<std::string> strings;
  PathRule rule;
  const Status sound = ParsePathEntry(text, kind, strings, &rule);
  if (!sound) return "! " + sound.error().what;
  return RulesText({rule});
}

}  // namespace

TEST_CASE("load: an entry of a path list has a base and a pattern below it") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"the project", ".", "root:"},
      {"below the project", "src/main.cc", "root:src/main.cc"},
      {"dots and slashes", "./src//./a/", "root:src/a"},
      {"the home", "~", "home:"},
      {"the home with a slash", "~/", "home:"},
      {"below the home", "~/src//lib/", "home:src/lib"},
      {"the root", "/", "abs:"},
      {"absolute", "//srv/./data/", "abs:srv/data"},
      {"a pattern", "src/*.cc", "root:src/*.cc (pattern)"},
      {"a pattern across folders", "/srv/**/x", "abs:srv/**/x (pattern)"},
      {"an escaped character is one, too", "a\\*", "root:a\\* (pattern)"},
      {"a name with a tilde inside", "a~b/~", "root:a~b/~"},
      {"a name with a dollar inside", "a$b", "root:a$b"},
      {"a name with braces", "{a,b}", "root:{a,b}"},
      {"white space inside", "my docs", "root:my docs"},
      {"three dots", "...", "root:..."},
      {"a name that begins like a drive", "c:x", "root:c:x"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    for (const ListKind kind : {ListKind::kAllow, ListKind::kAsk, ListKind::kDeny}) {
      CHECK(Entry(row.text, kind) == row.want);
    }
  }
}

TEST_CASE("load: a leading \"**\" matches anywhere in a deny or ask list only") {
  CHECK(Entry("**/.env", ListKind::kDeny) == "any:**/.env (pattern)");
  CHECK(Entry("**/.env", ListKind::kAsk) == "any:**/.env (pattern)");
  CHECK(Entry("**/.env", ListKind::kAllow) == "root:**/.env (pattern)");
  CHECK(Entry("**", ListKind::kDeny) == "any:** (pattern)");
  CHECK(Entry("**.env", ListKind::kDeny) == "root:**.env (pattern)");
  CHECK(Entry("/**/.env", ListKind::kDeny) == "abs:**/.env (pattern)");
}

TEST_CASE("load: an entry that cannot be parsed is a mistake") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"nothing", "", "! is empty"},
      {"dot-dot", "..", R"(! contains "..")"},
      {"dot-dot at the front", "../x", R"(! contains "..")"},
      {"dot-dot in the middle", "/srv/../x", R"(! contains "..")"},
      {"dot-dot at the end", "~/..", R"(! contains "..")"},
      {"dot-dot behind two stars", "**/../x", R"(! contains "..")"},
      {"a variable", "$HOME/x", "! contains a variable"},
      {"a variable further down", "/srv/${X}", "! contains a variable"},
      {"somebody's home", "~root/x", "! begins with ~ and a name"},
      {"NUL", std::string_view("a\0b", 3), "! contains NUL"},
      {"white space in front", " src", "! begins or ends with white space"},
      {"white space behind", "src\t", "! begins or ends with white space"},
      {"a no-break space behind", "src\xC2\xA0", "! begins or ends with white space"},
      {"a negation", "!src", R"(! begins with "!")"},
      {"a drive", "C:\\x", "! is a Windows path"},
      {"a drive with slashes", "c:/x", "! is a Windows path"},
      {"UNC", "\\\\server\\share", "! is a Windows path"},
      {"a lone surrogate", "a\xED\xA0\x80", "! contains a lone surrogate"},
      {"a bracket without end", "src/[ab",
       R"(! "src/[ab" has a bracket that is not closed or an unknown class)"},
      {"a backslash at the end", "src\\", R"(! "src\\" ends in a backslash)"},
      {"a set that is none", "@scrts",
       R"(! "@scrts" is not a set of paths; did you mean "@secrets"?)"},
      {"a set that is nothing like one", "@x", R"(! "@x" is not a set of paths)"},
      {"a set of tools", "@session-tools", R"(! "@session-tools" is not a set of paths)"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Entry(row.text, ListKind::kAllow) == row.want);
    CHECK(Entry(row.text, ListKind::kDeny) == row.want);
  }
}

TEST_CASE("load: every set may be denied and asked about, few may be allowed") {
  for (const PathSet& set : PathSets()) {
    CAPTURE(set.name);
    CHECK(Entry(set.name, ListKind::kDeny) == set.name);
    CHECK(Entry(set.name, ListKind::kAsk) == set.name);
    const std::string allowed = Entry(set.name, ListKind::kAllow);
    CHECK(allowed == (set.may_allow ? std::string(set.name)
                                    : "! \"" + std::string(set.name) +
                                          "\" can be denied or asked about, not allowed"));
  }
  CHECK(Entry("@secrets", ListKind::kAllow).starts_with("!"));
  CHECK(Entry("@runs-later", ListKind::kAllow).starts_with("!"));
  CHECK(Entry("@claude-scratch", ListKind::kAllow) == "@claude-scratch");
  CHECK(Entry("@toolchains", ListKind::kAllow) == "@toolchains");
}

TEST_CASE("load: sizes are whole numbers with a unit") {
  struct Row {
    std::string_view text;
    uint64_t want;  // 0 for a mistake
  };
  static constexpr Row kRows[] = {
      {"1", 1},
      {"4096", 4096},
      {"64K", 64u << 10},
      {"200M", 200u << 20},
      {"8G", 8ull << 30},
      {"1T", 1ull << 40},
      {"999999T", 999999ull << 40},
      {"", 0},
      {"M", 0},
      {"0", 0},
      {"0G", 0},
      {"-1M", 0},
      {"1.5G", 0},
      {"1m", 0},
      {"1MB", 0},
      {"1 M", 0},
      {"1000000", 0},
      {"0x10", 0},
      {"8GM", 0},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const std::string text = PolicyWith(R"("sandbox":{"io":")" + std::string(row.text) + R"("})");
    const Loaded loaded = Load(text);
    CHECK((loaded.file != nullptr) == (row.want != 0));
    if (loaded.file != nullptr)
      CHECK(loaded.file->sections.keys.Get<uint64_t>("sandbox.io") == row.want);
  }
  CHECK(Mistakes(PolicyWith(R"("sandbox":{"io":"fast"})")) ==
        R"(policy.json:1:30: /sandbox/io must be a size such as "64M" or "8G")");
}

TEST_CASE("load: numbers have the range of what they count") {
  struct Row {
    std::string_view key;
    std::string_view number;
    bool ok;
  };
  static constexpr Row kRows[] = {
      {"processes", "512", true},    {"processes", "1", true},
      {"processes", "1e3", true},    {"processes", "1000000", true},
      {"processes", "0", false},     {"processes", "-1", false},
      {"processes", "1.5", false},   {"processes", "1e7", false},
      {"processes", "1e400", false}, {"processes", "-1e400", false},
      {"processes", "1e30", false},  {"cpus", "0.5", true},
      {"cpus", "2", true},           {"cpus", "0", false},
      {"cpus", "-0.5", false},       {"cpus", "1e-400", false},
      {"cpus", "1e400", false},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.key);
    CAPTURE(row.number);
    const std::string text = PolicyWith("\"sandbox\":{\"" + std::string(row.key) +
                                        "\":" + std::string(row.number) + "}");
    CHECK((Load(text).file != nullptr) == row.ok);
  }
}

TEST_CASE("load: a number is never truncated") {
  const std::string huge = "1." + std::string(70, '0') + "e9";
  CHECK(Load(PolicyWith("\"sandbox\":{\"cpus\":" + huge + "}")).file == nullptr);
}
