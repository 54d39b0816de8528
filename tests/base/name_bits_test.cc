#include "base/name_bits.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ringfence;

TEST_CASE("name bits: a path has the bits of every pattern that it can match") {
  struct Row {
    const char* pattern;
    const char* path;
  };
  static constexpr Row kRows[] = {
      {".git/hooks", "p/.git/hooks/pre-commit"},
      {"**/.git/hooks", "p/.git/hooks"},
      {"**/.Git/HOOKS", "p/.git/hooks/x"},
      {"**/*.code-workspace", "p/a.code-workspace"},
      {".config/gcloud", "home/dev/.config/gcloud/credentials.db"},
      {"**/.git/modules/**/config", ".git/modules/a/b/config"},
      {"a[b]c/d", "abc/d"},
      {"a\\*/d", "a*/d"},
      {"\xC3\x84/x", "\xC3\xA4/x"},
      {"", "p"},
      {"x//y", "x/y"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.pattern);
    CHECK(HasNameBits(NameBitsOf(row.path), NameBitsNeededBy(row.pattern)));
  }
}

TEST_CASE("name bits: most paths lack the bits of most patterns") {
  const std::vector<std::string> patterns{"**/.git/hooks", "**/.vscode", ".ssh", ".config/gcloud",
                                          "**/.cursor",    ".netrc",     ".aws", "**/.envrc"};
  for (const char* path : {"home/dev/project/src/main.cc", "srv/www/index.html", "tmp/a/b/c"}) {
    CAPTURE(path);
    int lacking = 0;
    for (const std::string& pattern : patterns) {
      lacking += HasNameBits(NameBitsOf(path), NameBitsNeededBy(pattern)) ? 0 : 1;
    }
    CHECK(lacking > 4);
  }
}

TEST_CASE("name filter: never misses an added name, and rules out most others") {
  NameFilter filter;
  for (int i = 0; i < 100; ++i) filter.Add(".name-" + std::to_string(i));
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    CHECK(filter.MayHave(NameFilter::IndexOf(".name-" + std::to_string(i))));
    wrong += filter.MayHave(NameFilter::IndexOf(".other-" + std::to_string(i))) ? 1 : 0;
  }
  CHECK(wrong < 50);
  NameFilter all;
  all.AddAll();
  CHECK(all.MayHave(NameFilter::IndexOf("x")));
  CHECK_FALSE(NameFilter().MayHave(NameFilter::IndexOf("x")));
}
