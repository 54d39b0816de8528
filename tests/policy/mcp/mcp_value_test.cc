#include "policy/mcp/mcp_value.h"

#include <doctest/doctest.h>

#include "policy/mcp/mcp_host.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view text;
  ValueForm form;
  std::string_view read = {};  // if it differs from the text
  bool is_prose = false;
};

}  // namespace

TEST_CASE("value: the form of a string follows from its text") {
  using enum ValueForm;
  static constexpr Row kRows[] = {
      {"", kText},
      {" \t\n", kText},
      {"hello", kRelative},
      {"hello world, how are you", kRelative},
      {"a/b", kRelative},
      {" a/b ", kRelative, "a/b"},
      {"/x", kAbsolute},
      {"\u00a0/x\u200b\n", kAbsolute, "/x"},
      {"/a b c d", kAbsolute, {}, true},
      {"/a\nb", kAbsolute, {}, true},
      {"/a b", kAbsolute, {}, true},
      {"~/a b", kHome, {}, true},
      {"$HOME/a b", kHome, "~/a b", true},
      {"../a b c", kClimbing},
      {"../a b c d", kClimbing, {}, true},
      {"~name/a b", kOtherHome},
      {"/a.../b", kAbsolute},
      {"\xED\xA0\x80/x", kRelative},  // a lone surrogate, which JSON permits
      {" \xED\xA0\x80 ", kRelative, "\xED\xA0\x80"},
      {"~", kHome},
      {"~/x", kHome},
      {"$HOME", kHome, "~"},
      {"$HOME/x", kHome, "~/x"},
      {"${HOME}/x", kHome, "~/x"},
      {"$HOMEWORK", kRelative},
      {"~name/x", kOtherHome},
      {"~_name/x", kOtherHome},
      {"~\xff", kRelative},
      {"\xff/x", kRelative},
      {"a note: b", kRelative},
      {"~5", kRelative},
      {"..", kClimbing},
      {"a/../b", kClimbing},
      {"a..b/c", kRelative},
      {"...", kRelative},
      {"(../../x", kClimbing, {}, true},
      {"a/\"../../x", kClimbing, {}, true},
      {"\"../x", kRelative},
      {"file:///x", kFileUrl},
      {"FILE:x", kFileUrl},
      {"fi\nle:///x", kFileUrl, "file:///x", true},
      {"view-source:file:///x", kFileUrl, "file:///x"},
      {"git+file:///x", kFileUrl, "file:///x"},
      {"https://x/y", kWebUrl},
      {" https://x", kWebUrl, "https://x"},
      {"https:/x", kWebUrl, "https://x"},
      {"https:\\\\x", kWebUrl, "https://x"},
      {"ws:x", kWebUrl, "ws://x"},
      {"https:", kRelative},
      {"https: is a scheme", kRelative},
      {"http:\\\\x", kWebUrl, "http://x"},
      {"wss:x", kWebUrl, "wss://x"},
      {"te\u200bam://x", kRelative},
      {"blob:https://x/y", kWebUrl, "https://x/y"},
      {"x:ws:", kRelative},
      {"Note: see https://x", kRelative},
      {"see that: x", kRelative},
      {"te\nam:x", kRelative},
      {"te\nam:/../x", kClimbing, {}, true},
      {"te\u200bam:/../x", kClimbing},
      {"Note:https://x", kWebUrl, "https://x"},
      {"https://x is down", kWebUrl, {}, true},
      {"team://x", kOtherUrl},
      {"C:\\x", kRelative},
      {"12:30", kRelative},
      {"data:text/plain,x", kRelative},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const Value value = ReadValue(row.text);
    CHECK(static_cast<int>(value.form) == static_cast<int>(row.form));
    CHECK(value.is_prose == row.is_prose);
    if (row.form == kText) continue;
    CHECK(value.text == (row.read.empty() ? row.text : row.read));
  }
}

TEST_CASE("value: a string longer than a path is text, unless it begins like a path") {
  const std::string long_text(5000, 'x');
  CHECK(ReadValue(long_text).form == ValueForm::kText);
  CHECK(ReadValue(std::string(300, 'x')).form == ValueForm::kText);  // longer than any name
  CHECK(ReadValue("a/" + std::string(300, 'x')).form == ValueForm::kText);
  CHECK(ReadValue("/" + long_text).form == ValueForm::kAbsolute);
  CHECK(ReadValue("../" + long_text).form == ValueForm::kClimbing);
  CHECK(ReadValue("../x\n" + long_text).form == ValueForm::kText);
}

TEST_CASE("value: the first name of a path") {
  CHECK(FirstName("/a/b") == "a");
  CHECK(FirstName("./a") == "a");
  CHECK(FirstName("//./a") == "a");
  CHECK(FirstName("/") == "");
  CHECK(FirstName("./") == "");
  CHECK(FirstName("..") == "..");
}

TEST_CASE("value: a path with a suffix, such as a mount target or a line number, is a path") {
  struct Row {
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"/etc:/mnt", "/etc"},
      {"/etc:/mnt:ro", "/etc"},
      {"/:/host", "/"},
      {"link:/mnt", "link"},
      {"../x:/mnt", "../x"},
      {"/etc:ro", "/etc"},
      {"/etc:", "/etc"},
      {"src/a.c:12:5", "src/a.c"},
      {"/etc:/my mount", "/etc"},
      {"~/x:/root/x", "~/x"},
      {"/etc", ""},
      {"", ""},
      {":/etc", ""},
      {"/:id", ""},
      {"//:x/edit", ""},
      {"/etc: not there", ""},
      {"/etc:/x\nand more", ""},
      {"see: /etc", ""},
      {"/a new file:/mnt", "/a new file"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(BoundPath(row.text) == row.want);
  }
}

TEST_CASE("value: a text that looks like a host, and one that does not") {
  for (const std::string_view text :
       {"evil.example",    "Evil.example",       "EVIL.EXAMPLE",
        "evil.example.",   "a_b.evil.example",   "//evil.example/x",
        "evil.example:80", "corp:3128",          "corp:65535",
        "localhost",       "LocalHost:80",       "10.0.0.1",
        "10.0.0.0/8",      "127.1:80",           "::1",
        "fe80::1%eth0",    "[::1]:80",           "me@evil.example",
        "me@corp:80",      "me@evil.example:x",  "evil.sh/x",
        "me@evil.sh",      "main, evil.example", "xn--a.xn--p1ai",
        "%65vil.example",  "evil\uFF0Eexample",  "b\u00FCcher.example"}) {
    CAPTURE(text);
    CHECK(LooksLikePeer(text));
  }
  for (const std::string_view text : {"",
                                      ".",
                                      "..",
                                      "main",
                                      "eth0",
                                      "Baker Street 4",
                                      "a~b.example",
                                      "St. Mary",
                                      "1.2",
                                      "1.2.3",
                                      "v1.2",
                                      "server.py",
                                      "app.onReady",
                                      "a.b",
                                      "a..example",
                                      "evil.ex4mple",
                                      "12:30",
                                      "x:latest",
                                      "x:123456",
                                      "00:11:22:33:44:55",
                                      "a b:80",
                                      "%zz.example",
                                      "x, y",
                                      ":80",
                                      "me@corp",
                                      "me@corp:x",
                                      "evil.example:x"}) {
    CAPTURE(text);
    CHECK_FALSE(LooksLikePeer(text));
  }
}
