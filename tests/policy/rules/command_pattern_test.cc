#include "policy/rules/command_pattern.h"

#include <doctest/doctest.h>

#include <vector>

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view pattern;
  std::vector<std::string> words;
  bool want;
};

}  // namespace

TEST_CASE("command pattern: words match words") {
  const Row rows[] = {
      {"the same words", "cargo fmt", {"cargo", "fmt"}, true},
      {"another word", "cargo fmt", {"cargo", "run"}, false},
      {"a word more", "cargo fmt", {"cargo", "fmt", "--all"}, false},
      {"a word less", "cargo fmt", {"cargo"}, false},
      {"spaces in a row", "  cargo   fmt ", {"cargo", "fmt"}, true},
      {"a star in a word", "npm run lint:*", {"npm", "run", "lint:fix"}, true},
      {"a star that is a word in the middle", "npm * x", {"npm", "install", "x"}, true},
      {"only one word for it", "npm * x", {"npm", "install", "-g", "x"}, false},
      {"a star for a path", "sed -i *.txt x", {"sed", "-i", "a/b.txt", "x"}, true},
      {"a question mark", "make -j?", {"make", "-j4"}, true},
      {"letters in another case", "npm install", {"npm", "Install"}, false},
      {"an empty word", "npm ?*", {"npm", ""}, false},
      {"an empty pattern", "", {"npm"}, false},
      {"only spaces", "  ", {"npm"}, false},
      {"no command", "npm", {}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(MatchCommand(row.pattern, row.words) == row.want);
  }
}

TEST_CASE("command pattern: a last star stands for any further words") {
  const Row rows[] = {
      {"none", "npm install *", {"npm", "install"}, true},
      {"one", "npm install *", {"npm", "install", "left-pad"}, true},
      {"several", "npm install *", {"npm", "install", "a", "-D", ""}, true},
      {"the words before it count", "npm install *", {"npm", "run", "a"}, false},
      {"too few words before it", "npm install *", {"npm"}, false},
      {"an escaped star is a star", "expr 2 \\*", {"expr", "2", "*"}, true},
      {"and nothing else", "expr 2 \\*", {"expr", "2", "3"}, false},
      {"a star as the program", "*", {"ls"}, true},
      {"which has no further words", "*", {"ls", "-l"}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(MatchCommand(row.pattern, row.words) == row.want);
  }
}

TEST_CASE("command pattern: a word is never split or joined, as a shell would") {
  const Row rows[] = {
      {"a script of a shell", "npm install *", {"sh", "-c", "npm install x"}, false},
      {"two words in one", "npm install", {"npm install"}, false},
      {"a separator in a word", "npm install *", {"npm", "install; rm -r ."}, false},
      {"a word that ends the options", "cargo fmt", {"cargo", "fmt", "--"}, false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(MatchCommand(row.pattern, row.words) == row.want);
  }
}

TEST_CASE("command pattern: a program is named as it was typed") {
  const Row rows[] = {
      {"in the current directory", "npm install", {"./npm", "install"}, false},
      {"by its path", "npm install", {"/usr/bin/npm", "install"}, false},
      {"a star is no path", "* install", {"./npm", "install"}, false},
      {"the path of the pattern", "/usr/bin/npm install", {"/usr/bin/npm", "install"}, true},
      {"a name for a path", "/usr/bin/npm install", {"npm", "install"}, false},
      {"a star in a path", "/opt/*/npm", {"/opt/20/npm"}, true},
      {"slashes of other words", "git -C *", {"git", "-C", "a/b"}, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(MatchCommand(row.pattern, row.words) == row.want);
  }
}
