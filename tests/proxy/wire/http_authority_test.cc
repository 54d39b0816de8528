#include "proxy/wire/http_authority.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;
using namespace std::literals;

namespace {

// The host and port; "!" and the reason for one that is refused.
std::string AuthorityText(std::string_view text) {
  HttpAuthority authority;
  WireError error;
  if (!ReadHttpAuthority(text, authority, error)) return "!" + error.reason;
  return authority.host + " " + std::to_string(authority.port);
}

}  // namespace

TEST_CASE("http authority: a host has one canonical spelling") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"a name", "forge.example", "forge.example 0"},
      {"a name with a port", "forge.example:443", "forge.example 443"},
      {"upper case", "FORGE.Example:80", "forge.example 80"},
      {"a final dot", "forge.example.", "forge.example 0"},
      {"a final dot and a port", "forge.example.:443", "forge.example 443"},
      {"one label", "localhost:1", "localhost 1"},
      {"an A-label", "xn--bcher-kva.example:443", "xn--bcher-kva.example 443"},
      {"an underscore", "_srv.forge.example:443", "_srv.forge.example 443"},
      {"a digit first", "3com.example:443", "3com.example 443"},
      {"the last port", "h:65535", "h 65535"},
      {"IPv4", "192.0.2.1:80", "192.0.2.1 80"},
      {"IPv4 with a final dot", "192.0.2.1.", "192.0.2.1 0"},
      {"IPv6", "[2001:DB8:0:0::1]:443", "[2001:db8::1] 443"},
      {"IPv6 without a port", "[0:0:0:0:0:0:0:1]", "[::1] 0"},
      {"mapped IPv4", "[::ffff:192.0.2.1]:80", "192.0.2.1 80"},
      {"mapped IPv4 in hexadecimal", "[::FFFF:c000:0201]", "192.0.2.1 0"},
      {"mapped loopback", "[0:0:0:0:0:ffff:127.0.0.1]", "127.0.0.1 0"},
      {"compatible IPv4 stays IPv6", "[::127.0.0.1]", "[::7f00:1] 0"},
      {"NAT64 stays IPv6", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1] 0"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const std::string text = AuthorityText(row.text);
    CHECK(text == row.want);
    CHECK(AuthorityText(text.substr(0, text.find(' '))) == text.substr(0, text.find(' ')) + " 0");
  }
}

TEST_CASE("http authority: a host that other programs can read differently is refused") {
  struct Row {
    std::string_view name;
    std::string_view text;
  };
  static constexpr Row kRows[] = {
      {"nothing", ""},
      {"a port only", ":80"},
      {"a dot", "."},
      {"a dot in front", ".forge.example"},
      {"two final dots", "forge.example.."},
      {"an empty label", "forge..example"},
      {"short IPv4", "127.1"},
      {"shorter IPv4", "127.0.1"},
      {"IPv4 as one number", "2130706433"},
      {"zero", "0"},
      {"hexadecimal IPv4", "0x7f.0.0.1"},
      {"hexadecimal IPv4 at its end", "127.0.0.0x1"},
      {"IPv4 as one hexadecimal number", "0x7f000001"},
      {"hexadecimal IPv4 in upper case", "0X7F.0X0.0X0.0X1"},
      {"octal IPv4", "0177.0.0.1"},
      {"octal IPv4 at its end", "127.0.0.01"},
      {"IPv4 as one octal number", "017700000001"},
      {"IPv4 with leading zeros", "127.000.000.001"},
      {"five parts", "127.0.0.1.1"},
      {"a part beyond 255", "127.0.0.256"},
      {"2^32 + 127.0.0.1", "6425673729"},
      {"a plus in a part", "127.0.0.+1"},
      {"IPv4 in brackets", "[127.0.0.1]"},
      {"a name in brackets", "[localhost]"},
      {"IPv6 without brackets", "::1"},
      {"IPv6 without brackets, with a port", "2001:db8::1:443"},
      {"a zone", "[fe80::1%eth0]:80"},
      {"an encoded zone", "[fe80::1%25eth0]:80"},
      {"IPvFuture", "[v1.fe80::a+en1]"},
      {"a bracket that is not closed", "[::1"},
      {"a bracket that is not opened", "::1]"},
      {"text after the bracket", "[::1]x:80"},
      {"a dot after the bracket", "[::1].:80"},
      {"a name after the bracket", "[::1].forge.example"},
      {"text before the bracket", "x[::1]:80"},
      {"two brackets", "[[::1]]"},
      {"octal in mapped IPv4", "[::ffff:0177.0.0.1]"},
      {"two gaps", "[1::2::3]"},
      {"nine groups", "[1:2:3:4:5:6:7:8:9]"},
      {"a user name", "good.example@evil.example"},
      {"a user name and a password", "a:b@evil.example:80"},
      {"an empty user name", "@evil.example"},
      {"a host as a user name", "127.0.0.1:80@good.example"},
      {"an encoded at sign", "good.example%40evil.example"},
      {"an encoded letter", "%66orge.example"},
      {"an encoded dot", "forge%2Eexample"},
      {"an encoded NUL", "forge.example%00.evil.example"},
      {"a backslash", "evil.example\\good.example"},
      {"a slash", "evil.example/good.example"},
      {"a question mark", "evil.example?good.example"},
      {"a number sign", "evil.example#good.example"},
      {"a semicolon", "evil.example;good.example"},
      {"a comma", "evil.example,good.example"},
      {"a space", "evil.example good.example"},
      {"a space in front", " forge.example"},
      {"a tab", "forge.example\t"},
      {"a NUL", "evil.example\0.good.example"sv},
      {"a line end", "evil.example\r\n.good.example"},
      {"a URL", "http://forge.example"},
      {"two slashes", "//forge.example"},
      {"a star", "*.forge.example"},
      {"quotes", "\"forge.example\""},
      {"a dollar sign", "$host.example"},
      {"a letter beyond ASCII",
       "b\xC3\xBC"
       "cher.example"},
      {"a full-width digit", "127.0.0.\xEF\xBC\x91"},
      {"a digit in a circle", "\xE2\x91\xA0\x32\x37.0.0.1"},
      {"an ideographic full stop",
       "127\xE3\x80\x82"
       "0\xE3\x80\x82"
       "0\xE3\x80\x82"
       "1"},
      {"an ideographic full stop at the end", "forge.example\xE3\x80\x82"},
      {"a soft hyphen", "for\xC2\xADge.example"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(AuthorityText(row.text).starts_with("!"));
  }
  CHECK(AuthorityText(std::string(254, 'a')).starts_with("!"));
  CHECK(AuthorityText(std::string(64, 'a') + ".example").starts_with("!"));
  CHECK(AuthorityText(std::string(63, 'a') + ".example").starts_with("a"));
}

TEST_CASE("http authority: a port is 1 to 65535 in plain digits") {
  for (const std::string_view port :
       {"",         "0",     "00",    "080",    "00080",
        "65536",    "65616", "99999", "100000", "4294967376",
        "+80",      "-80",   " 80",   "80 ",    "\t80",
        "0x50",     "8e1",   "80.",   "80,443", "80:443",
        "80/",      "80@h",  "http",  "%38%30", "\xEF\xBC\x98\xEF\xBC\x90",
        "8\x30\x7F"}) {
    CAPTURE(port);
    CHECK(AuthorityText("forge.example:" + std::string(port)).starts_with("!"));
    CHECK(AuthorityText("[::1]:" + std::string(port)).starts_with("!"));
  }
  CHECK(AuthorityText("h:") == "!has a port that is not 1 to 65535");
  CHECK(AuthorityText("h:1") == "h 1");
  CHECK(AuthorityText("u@h") == "!has a user name before its host");
  CHECK(AuthorityText("h/") == "!has a host that is not a plain name or address");
}
