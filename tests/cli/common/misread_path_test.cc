#include "cli/common/misread_path.h"

#include <doctest/doctest.h>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

// "" for a path.
std::string Misread(const std::string& word, const TemporaryTree& tree) {
  const std::optional<Error> error = MisreadPath(word, tree.root());
  return error ? error->what + "; " + error->hint : "";
}

bool Says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("misread path: ranges, hosts with a path, and places for ssh") {
  const TemporaryTree tree;
  for (const char* range : {"10.0.0.0/8", "10.1.2.3/8", "fd00::/8", "[fd00::]/64"}) {
    CAPTURE(range);
    CHECK(Says(Misread(range, tree), "is a range of addresses"));
  }
  struct Row {
    const char* word;
    const char* meant;
  };
  static constexpr Row kRows[] = {
      {"example.com/path", "\"example.com\""},
      {"example.com/", "\"example.com\""},
      {"good.sh/install", "\"good.sh\""},
      {"localhost:3000/x", "\"localhost:3000\""},
      {"127.0.0.1/x", "\"127.0.0.1\""},
      {"10.0.0.0/8/x", "\"10.0.0.0\""},
      {"git@good.example:x/y.git", "\"good.example:22\""},
      {"git@good.example:y.git", "\"good.example:22\""},
  };
  for (const Row& row : kRows) {
    CAPTURE(std::string(row.word));
    const std::string said = Misread(row.word, tree);
    CHECK(Says(said, std::string("did you mean ") + row.meant + "?"));
    CHECK(Says(said, std::string("\"./") + row.word + "\""));
  }
}

TEST_CASE("misread path: other words, and what exists, are paths") {
  const TemporaryTree tree;
  tree.File("10.0.0.0/8");
  tree.Directory("example.com");
  tree.Directory("git@good.example:x");
  for (const char* word : {"",
                           "src",
                           "src/lib",
                           "build/new.txt",
                           "./example.org/x",
                           "../example.org/x",
                           "/example.org/x",
                           "~/example.org/x",
                           "@tmp",
                           ".config/x",
                           "*.example.org/x",
                           "v1.[23]/x",
                           "node_modules/@scope/x",
                           "a@b/c",
                           "@scope:x/y",
                           "x:y@z/w",
                           "a@b:c",
                           "localhost/x",
                           "10/8",
                           "mcp__github__*",
                           "Read",
                           "good.example",
                           "10.0.0.0/8",
                           "10.0.0.0/9",
                           "example.com/new",
                           "git@good.example:x/new"}) {
    CAPTURE(word);
    CHECK(Misread(word, tree) == "");
  }
}
