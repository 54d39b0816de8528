#include "policy/evaluate/evaluate_path.h"

#include <doctest/doctest.h>

#include "policy/evaluate/text_kind.h"

using namespace ringfence;

TEST_CASE("evaluator path: text is denied for one reason each") {
  struct Row {
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"", "it is empty"},
      {std::string_view("a\0", 2), "it contains NUL"},
      {" a", "it begins or ends with white space, which the client removes"},
      {"a\xE2\x80\x83", "it begins or ends with white space, which the client removes"},
      {"~x", "it begins with \"~\" and is not below the home"},
      {"$x", "it begins with \"$\", and nothing is expanded here"},
      {"@/x", "it begins with \"@/\""},
      {"\\x", "it is a Windows path"},
      {"c:\\x", "it is a Windows path"},
      {"file:x", "it is a URL, not a path"},
      {"vscode-remote://x", "it is a URL, not a path"},
      {"git+ssh://x", "it is a URL, not a path"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(RefusedText(row.text).value_or("") == row.want);
  }
}

TEST_CASE("evaluator path: ordinary text is not denied") {
  for (const std::string_view text :
       {"a",    "/",   ".",    "..",      "~",     "~/",      "~/x",  "@x", "a b", "ab:c",
        "a\\b", "-rf", "file", "fileX:y", "1://x", "a/b://c", "100%", "#x", "?x",  "*"}) {
    CAPTURE(text);
    CHECK_FALSE(RefusedText(text).has_value());
  }
}

TEST_CASE("evaluator path: special names") {
  for (const std::string_view text :
       {"/proc", "/proc/1", "/Proc/x", "/dev/tty", "/dev/fd/0", "/dev/stdin", "/dev/pts/1",
        "/dev/nvme0n1", "/.vol/1/2", "/dev/nullx"}) {
    CAPTURE(text);
    CHECK(RefusedSpecialName(Path::Clean(text)).has_value());
  }
  for (const std::string_view text : {"/", "/dev", "/dev/null", "/dev/zero", "/dev/urandom",
                                      "/dev/shm/x", "/process", "/home/proc", "/devs/tty"}) {
    CAPTURE(text);
    CHECK_FALSE(RefusedSpecialName(Path::Clean(text)).has_value());
  }
}
