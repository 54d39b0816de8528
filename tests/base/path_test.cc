#include "base/path.h"

#include <doctest/doctest.h>

#include <vector>

using namespace ringfence;

TEST_CASE("path: only an absolute text without .. and NUL is a path") {
  struct Row {
    std::string_view name;
    std::string_view text;
    const char* want;  // nullptr: refused
  };
  static constexpr Row kRows[] = {
      {"the root", "/", "/"},
      {"as it is", "/srv/data", "/srv/data"},
      {"doubled slashes", "//srv///data", "/srv/data"},
      {"a slash at the end", "/srv/data/", "/srv/data"},
      {"single dots", "/./srv/./data/.", "/srv/data"},
      {"a name that begins with dots", "/srv/..data/...", "/srv/..data/..."},
      {"a name of spaces", "/ / ", "/ / "},
      {"a name with a line feed", "/a\nb", "/a\nb"},
      {"nothing", "", nullptr},
      {"relative", "srv", nullptr},
      {"relative with a dot", "./srv", nullptr},
      {"dot-dot at the front", "/../srv", nullptr},
      {"dot-dot in the middle", "/srv/../data", nullptr},
      {"dot-dot at the end", "/srv/..", nullptr},
      {"NUL", std::string_view("/srv\0/x", 7), nullptr},
      {"a home that is not expanded", "~/x", nullptr},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const std::optional<Path> path = Path::Parse(row.text);
    CHECK(path.has_value() == (row.want != nullptr));
    if (path && row.want != nullptr) CHECK(path->text() == row.want);
  }
}

TEST_CASE("path: cleaning works on the text only") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"nothing to do", "/a/b", "/a/b"},
      {"the root", "/", "/"},
      {"slashes", "///a//b///", "/a/b"},
      {"up one", "/a/b/../c", "/a/c"},
      {"up at the end", "/a/b/..", "/a"},
      {"up to the root", "/a/..", "/"},
      {"above the root there is the root", "/../../a/../..", "/"},
      {"single dots", "/a/./b/.", "/a/b"},
      {"three dots are a name", "/a/.../b", "/a/.../b"},
      {"dots with a letter are a name", "/a/..b/../c..", "/a/c.."},
      {"up and down again", "/w/project/../../w/project", "/w/project"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Path path = Path::Clean(row.text);
    CHECK(path.text() == row.want);
    CHECK(Path::Clean(path.text()) == path);
  }
}

TEST_CASE("path: names, parents and children") {
  const Path path = Path::Clean("/srv/data");
  CHECK(path.name() == "data");
  CHECK(path.Parent().text() == "/srv");
  CHECK(path.Parent().Parent().text() == "/");
  CHECK(path.Parent().Parent().Parent().text() == "/");
  CHECK(path.Child("x").text() == "/srv/data/x");
  CHECK(Path().name().empty());
  CHECK(Path().is_root());
  CHECK(Path().Child("x").text() == "/x");
  CHECK_FALSE(Path().Child("x").is_root());
}

TEST_CASE("path: inside means the directory itself or below it, by whole components") {
  struct Row {
    std::string_view name;
    std::string_view path, folder;
    const char* below;  // nullptr: outside
  };
  static constexpr Row kRows[] = {
      {"itself", "/w/project", "/w/project", ""},
      {"a child", "/w/project/a", "/w/project", "a"},
      {"far below", "/w/project/a/b/c", "/w/project", "a/b/c"},
      {"everything is inside the root", "/a/b", "/", "a/b"},
      {"the root is inside the root", "/", "/", ""},
      {"a sibling with the same prefix", "/w/project-evil", "/w/project", nullptr},
      {"a file with the same prefix", "/w/project.env", "/w/project", nullptr},
      {"a shorter name", "/w/proj", "/w/project", nullptr},
      {"the parent", "/w", "/w/project", nullptr},
      {"the root is outside", "/", "/w", nullptr},
      {"another case", "/w/Project", "/w/project", nullptr},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Path path = Path::Clean(row.path);
    const std::optional<std::string_view> below = path.Below(Path::Clean(row.folder));
    CHECK(path.IsInside(Path::Clean(row.folder)) == (row.below != nullptr));
    CHECK(below.has_value() == (row.below != nullptr));
    if (below && row.below != nullptr) CHECK(*below == row.below);
  }
}

TEST_CASE("path: components are removed one by one") {
  std::string_view rest = "//a/./b//..c/";
  std::vector<std::string> taken;
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    taken.emplace_back(name);
  }
  CHECK(taken == std::vector<std::string>{"a", ".", "b", "..c"});
  CHECK(rest.empty());
}

TEST_CASE("path: paths are ordered, and equal if their texts are") {
  CHECK(Path::Clean("/a/") == Path::Clean("//a"));
  CHECK(Path::Clean("/a") < Path::Clean("/b"));
}
