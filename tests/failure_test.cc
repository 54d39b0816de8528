#include "hook/failure.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

std::string Paths(std::string_view failure) {
  std::string text;
  for (const RefusedPath& refused : RefusedPaths(failure)) {
    text += "[" + std::string(refused.is_write ? "w " : "") + refused.path + "]";
  }
  return text;
}

}  // namespace

TEST_CASE("failure: paths that stand beside a refusal of the kernel") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"nothing", "", ""},
      {"another failure", "cat: /etc/x: No such file or directory", ""},
      {"a refusal without a path", "Permission denied", ""},
      {"cat", "cat: /etc/shadow: Permission denied", "[/etc/shadow]"},
      {"touch", "touch: cannot touch '/etc/x y': Read-only file system", "[w /etc/x y]"},
      {"bash", "bash: line 1: /etc/x: Permission denied", "[/etc/x]"},
      {"mkdir", "mkdir: cannot create directory \xE2\x80\x98/srv/x\xE2\x80\x99: Permission denied",
       "[w /srv/x]"},
      {"python", "PermissionError: [Errno 13] Permission denied: '/etc/x'", "[/etc/x]"},
      {"node", "Error: EACCES: permission denied, open '/etc/x'", "[/etc/x]"},
      {"node, read-only", "EROFS: read-only file system, mkdir '/srv/a'", "[w /srv/a]"},
      {"the home", "cat: ~/.ssh/id_rsa: Permission denied", "[~/.ssh/id_rsa]"},
      {"operation", "chattr: Operation not permitted while reading /srv/x", "[/srv/x]"},
      {"two in a line", "mv: cannot move '/a/b' to '/c/d': Permission denied", "[w /a/b][w /c/d]"},
      {"a shell that redirects", "sh: 1: cannot create /etc/hosts: Permission denied",
       "[w /etc/hosts]"},
      {"two lines", "cat: /a: Permission denied\ncat: /b: Permission denied\n", "[/a][/b]"},
      {"once each", "cat: /a: Permission denied\ncat: /a: Permission denied", "[/a]"},
      {"the other line does not count", "see /x\ncat: /a: Permission denied", "[/a]"},
      {"a slash inside a word is no path", "a/b: Permission denied", ""},
      {"double quotes", "x: \"/a b\": Permission denied", "[/a b]"},
      {"backticks", "x: `/a b`: Permission denied", "[/a b]"},
      {"at the front of a line", "/a/b: Permission denied", "[/a/b]"},
      {"at the end of a line", "Permission denied: /", ""},
      {"five in a line", "Permission denied: /a /b /c /d /e", "[/a][/b][/c][/d]"},
      {"a slash alone is none", "ls: / : Permission denied", ""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Paths(row.text) == row.want);
  }
}

TEST_CASE("failure: at most four paths, and no text makes it slow") {
  std::string many;
  for (int i = 0; i < 50; ++i) many += "cat: /a" + std::to_string(i) + ": Permission denied\n";
  CHECK(RefusedPaths(many).size() == 4);
  CHECK(RefusedPaths("Permission denied " + std::string(16000, '/')).size() <= 4);
  CHECK(RefusedPaths("Permission denied " + std::string(16000, '~')).size() <= 4);
}
