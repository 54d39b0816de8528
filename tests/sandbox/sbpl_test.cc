#include "tests/support/sbpl.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

SbplProfile With(const std::string& rules) {
  return SbplProfile("(version 1)\n(allow default)\n" + rules);
}

}  // namespace

TEST_CASE("sbpl: the last matching rule counts") {
  const SbplProfile profile = With(R"(
    (deny file-write*)
    (allow file-write* (subpath "/a") (literal "/b"))  ; a comment with ) in it
    (deny file-write* (subpath "/a/x")))");
  CHECK(profile.MayWrite("/a"));
  CHECK(profile.MayWrite("/a/y/z"));
  CHECK_FALSE(profile.MayWrite("/a/x/z"));
  CHECK_FALSE(profile.MayWrite("/ab"));
  CHECK(profile.MayWrite("/b"));
  CHECK_FALSE(profile.MayWrite("/b/c"));
  CHECK(profile.MayRead("/anything"));
}

TEST_CASE("sbpl: an expression matches anywhere unless it is anchored") {
  const SbplProfile profile =
      With(R"X((deny file-read* (regex "/[.]git(/|$)") (regex "^/a[^/]*$")))X");
  CHECK_FALSE(profile.MayRead("/x/.git"));
  CHECK_FALSE(profile.MayRead("/x/.git/y"));
  CHECK(profile.MayRead("/x/.github"));
  CHECK_FALSE(profile.MayRead("/abc"));
  CHECK(profile.MayRead("/abc/d"));
}

TEST_CASE("sbpl: filters can be combined") {
  const SbplProfile profile = With(R"(
    (deny file-read* (require-all (subpath "/a") (require-not (require-any (subpath "/a/b") (literal "/a/c"))))))");
  CHECK_FALSE(profile.MayRead("/a/x"));
  CHECK(profile.MayRead("/a/b/x"));
  CHECK(profile.MayRead("/a/c"));
  CHECK_FALSE(profile.MayRead("/a/c/d"));
  CHECK(profile.MayRead("/b"));
}

TEST_CASE("sbpl: hosts, sockets and services") {
  const SbplProfile profile = With(R"(
    (deny network*)
    (allow network-outbound (remote ip "localhost:*") (remote ip "*:53"))
    (allow network-outbound (remote unix-socket (subpath "/p")))
    (deny mach-lookup (global-name "com.apple.x")))");
  CHECK(profile.MayConnect("127.0.0.1", 80));
  CHECK(profile.MayConnect("::1", 80));
  CHECK_FALSE(profile.MayConnect("192.0.2.1", 80));
  CHECK(profile.MayConnect("192.0.2.1", 53));
  CHECK(profile.MayConnectSocket("/p/s"));
  CHECK_FALSE(profile.MayConnectSocket("/q/s"));
  CHECK_FALSE(profile.MayLookUp("com.apple.x"));
  CHECK(profile.MayLookUp("com.apple.y"));
}

TEST_CASE("sbpl: a rule that names the operation may precede one with a star") {
  const SbplProfile profile = With(R"(
    (allow file-read-metadata (literal "/a"))
    (deny file-read* (subpath "/a")))");
  const SbplQuestion question{.operation = "file-read-metadata", .path = "/a"};
  CHECK_FALSE(profile.Allows(question, SbplOrder::kLastMatch));
  CHECK(profile.Allows(question, SbplOrder::kNamedFirst));
  CHECK_THROWS(static_cast<void>(profile.Allows(question)));
}

TEST_CASE("sbpl: strings are read as TinyScheme reads them") {
  const SbplProfile profile = With(R"((deny file-read* (literal "/a\"b\\c\x0ad")))");
  CHECK_FALSE(profile.MayRead("/a\"b\\c\nd"));
  CHECK(profile.MayRead("/a"));
}

TEST_CASE("sbpl: unknown syntax, and syntax that sandbox-exec refuses, is an error") {
  struct Row {
    const char* name;
    const char* rules;
  };
  static constexpr Row kRows[] = {
      {"operation", "(deny file-rite*)"},
      {"filter", "(deny file-read* (supbath \"/a\"))"},
      {"form", "(permit file-read*)"},
      {"no operation", "(deny)"},
      {"open form", "(deny file-read* (literal \"/a\")"},
      {"open string", "(deny file-read* (literal \"/a))"},
      {"text outside", "(deny file-read*) x"},
      {"relative path", "(deny file-read* (literal \"a\"))"},
      {"slash at the end", "(deny file-read* (subpath \"/a/\"))"},
      {"unknown escape", "(deny file-read* (literal \"/\\a\"))"},
      {"newline in a string", "(deny file-read* (literal \"/\na\"))"},
      {"inline flag", "(deny file-read* (regex \"(?i)^/a\"))"},
      {"anchor in the middle", "(deny file-read* (regex \"/a(^/b)\"))"},
      {"braces", "(deny file-read* (regex \"/a{2}\"))"},
      {"letter escape", "(deny file-read* (regex \"/\\\\d\"))"},
      {"open bracket", "(deny file-read* (regex \"/[a\"))"},
      {"class", "(deny file-read* (regex \"/[[:alpha:]]\"))"},
      {"open group", "(deny file-read* (regex \"/(a\"))"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK_THROWS(With(row.rules));
  }
  CHECK_THROWS(SbplProfile("(allow default)"));
}
