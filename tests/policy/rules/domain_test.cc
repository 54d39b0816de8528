#include "policy/rules/domain.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "policy/rules/own_loopback.h"

using namespace ringfence;

namespace {

std::string RuleText(const HostRule& rule) {
  std::string text = rule.any ? "*" : (rule.subdomains ? "*." : "") + std::string(rule.host);
  if (rule.port != 0) text += ":" + std::to_string(rule.port);
  return text;
}

std::string UrlText(const Result<Url>& url) {
  if (!url) return "! " + url.error().what;
  return url->scheme + " " + url->host + " " + std::to_string(url->port) + " " + url->path;
}

}  // namespace

TEST_CASE("domain: an entry of a host list is a name, an address or a star") {
  struct Row {
    std::string_view name;
    std::string_view entry, want;
  };
  static constexpr Row kRows[] = {
      {"a name", "registry.npm.example", "registry.npm.example"},
      {"one label", "localhost", "localhost"},
      {"subdomains", "*.forge.example", "*.forge.example"},
      {"a port", "forge.example:8443", "forge.example:8443"},
      {"subdomains with a port", "*.forge.example:443", "*.forge.example:443"},
      {"everything", "*", "*"},
      {"everything on a port", "*:22", "*:22"},
      {"a port of this machine", "host.ringfence:5432", "host.ringfence:5432"},
      {"a name that only ends alike", "*.myringfence", "*.myringfence"},
      {"IPv4", "192.0.2.1", "192.0.2.1"},
      {"IPv4 with a port", "127.0.0.1:8080", "127.0.0.1:8080"},
      {"IPv6", "[2001:db8::1]", "[2001:db8::1]"},
      {"IPv6 with a port", "[::1]:443", "[::1]:443"},
      {"an A-label", "xn--bcher-kva.example", "xn--bcher-kva.example"},
      {"underscore and dash", "_srv.a-b.example", "_srv.a-b.example"},
      {"a label that begins with a digit", "3com.example", "3com.example"},
      {"the last port", "a.example:65535", "a.example:65535"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Result<HostRule> rule = ParseHostRule(row.entry);
    REQUIRE(rule);
    CHECK(RuleText(*rule) == row.want);
    CHECK(rule->written == row.entry);
  }
}

TEST_CASE("domain: an entry that is not plainly a host is refused") {
  struct Row {
    std::string_view name;
    std::string_view entry;
  };
  static constexpr Row kRows[] = {
      {"nothing", ""},
      {"a URL", "https://forge.example"},
      {"a path", "forge.example/x"},
      {"a user name", "me@forge.example"},
      {"a star in a name", "forge*.example"},
      {"a star in the middle", "a.*.example"},
      {"a star before an address", "*.192.0.2.1"},
      {"a star before IPv6", "*.[::1]"},
      {"a star without a name", "*."},
      {"two stars", "*.*.example"},
      {"a dot at the end", "forge.example."},
      {"a dot at the front", ".forge.example"},
      {"two dots", "forge..example"},
      {"white space", "forge .example"},
      {"another language",
       "b\xC3\xBC"
       "cher.example"},
      {"port 0", "forge.example:0"},
      {"port 65536", "forge.example:65536"},
      {"a port of six digits", "forge.example:000443"},
      {"no port behind the colon", "forge.example:"},
      {"a port that is a word", "forge.example:https"},
      {"IPv6 without brackets", "::1"},
      {"a bracket alone", "[::1"},
      {"a name in brackets", "[forge.example]"},
      {"a zone", "[fe80::1%eth0]"},
      {"hexadecimal IPv4", "0x7f.0.0.1"},
      {"IPv4 of two parts", "127.1"},
      {"IPv4 as one number", "2130706433"},
      {"octal IPv4", "0177.0.0.1"},
      {"IPv4 with a leading zero", "192.0.02.1"},
      {"a number above 255", "256.0.0.1"},
      {"five parts", "1.2.3.4.5"},
      {"a name that ends in a number", "forge.1"},
      {"a label of 64 letters",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example"},
      {"percent", "%66orge.example"},
      {"not an IPv6 address", "[:::]"},
      {"IPv6 of seven groups", "[1:2:3:4:5:6:7]"},
      {"IPv4 in brackets", "[192.0.2.1]"},
      {"a star with port 0", "*:0"},
      {"this machine without a port", "host.ringfence"},
      {"below this machine", "x.host.ringfence:80"},
      {"all below this machine", "*.host.ringfence:80"},
      {"a reserved name", "proxy.ringfence"},
      {"all reserved names", "*.ringfence:80"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK_FALSE(ParseHostRule(row.entry));
  }
  CHECK_FALSE(ParseHostRule(std::string(130, 'a') + "." + std::string(130, 'b')));
}

TEST_CASE("domain: a URL has a host, a port and a path") {
  struct Row {
    std::string_view name;
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"https", "https://forge.example/x", "https forge.example 443 /x"},
      {"http", "http://forge.example", "http forge.example 80 "},
      {"a port", "https://forge.example:8443/", "https forge.example 8443 /"},
      {"web sockets", "wss://forge.example/s", "wss forge.example 443 /s"},
      {"web sockets without TLS", "ws://forge.example/s", "ws forge.example 80 /s"},
      {"capital letters", "HTTPS://Forge.EXAMPLE/X", "https forge.example 443 /X"},
      {"a dot at the end", "https://forge.example./x", "https forge.example 443 /x"},
      {"a query ends the host", "https://forge.example?q=@evil.example",
       "https forge.example 443 ?q=@evil.example"},
      {"a fragment ends the host", "https://forge.example#@evil.example",
       "https forge.example 443 #@evil.example"},
      {"an at sign in the path", "https://forge.example/@a/b", "https forge.example 443 /@a/b"},
      {"IPv4", "http://192.0.2.1/", "http 192.0.2.1 80 /"},
      {"IPv6", "http://[2001:DB8::1]:81/", "http [2001:db8::1] 81 /"},
      {"another scheme has no port", "gopher://forge.example/", "gopher forge.example 0 /"},
      {"other languages in the path", "https://forge.example/\xC3\xA9",
       "https forge.example 443 /\xC3\xA9"},
      {"an A-label", "https://xn--bcher-kva.example/", "https xn--bcher-kva.example 443 /"},
      {"every character of a scheme", "a1+b-c.d://forge.example/", "a1+b-c.d forge.example 0 /"},
      {"IPv4 in IPv6", "http://[::ffff:192.0.2.1]/", "http 192.0.2.1 80 /"},
      {"IPv6 in full", "http://[0:0:0:0:0:0:0:1]/", "http [::1] 80 /"},
      {"an encoded letter", "https://%66orge.example/", "https forge.example 443 /"},
      {"an encoded full stop", "https://forge%2Eexample/", "https forge.example 443 /"},
      {"full stops of other scripts", "https://a\u3002b\uff0ec\uff61d/", "https a.b.c.d 443 /"},
      {"such a full stop at the end", "https://forge.example\u3002/", "https forge.example 443 /"},
      {"a file", "file:///etc/hosts", "file  0 /etc/hosts"},
      {"a file of a host", "file://Server/share", "file server 0 /share"},
      {"no authority", "mailto:a@b", "mailto  0 a@b"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(UrlText(ParseUrl(row.text)) == row.want);
  }
}

TEST_CASE("domain: a URL that two parsers can read differently is refused") {
  struct Row {
    std::string_view name;
    std::string_view text;
  };
  static constexpr Row kRows[] = {
      {"nothing", ""},
      {"no scheme", "forge.example/x"},
      {"no scheme, two slashes", "//forge.example/x"},
      {"a colon alone", "://forge.example"},
      {"a user name", "https://forge.example@evil.example/"},
      {"user name and password", "https://a:b@evil.example/"},
      {"a backslash for a slash", "https://evil.example\\@forge.example/"},
      {"a backslash in the host", "https://evil.example\\.forge.example/"},
      {"backslashes for the slashes", "https:\\\\evil.example/"},
      {"one slash", "https:/evil.example/"},
      {"no slash", "https:evil.example"},
      {"three slashes", "https:///evil.example/"},
      {"a tab in the host", "https://forge.example\t.evil.example/"},
      {"a tab between the slashes", "https:/\t/evil.example/"},
      {"a tab in the scheme", "ht\ttps://forge.example/"},
      {"a line feed", "https://forge.example\n.evil.example/"},
      {"white space in front", " https://forge.example/"},
      {"a space in the host", "https://forge.example .evil.example/"},
      {"a DEL in the host", "https://forge.example\x7F/"},
      {"a bracket that is not closed", "https://[2001:db8::1/"},
      {"half of a character", "https://forge%ff.example/"},
      {"a bracket that is not opened", "https://2001:db8::1]/"},
      {"another language",
       "https://b\xC3\xBC"
       "cher.example/"},
      {"a soft hyphen", "https://for\xC2\xADge.example/"},
      {"half an escape in the host", "https://%6/"},
      {"an encoded slash in the host", "https://forge.example%2Fevil.example/"},
      {"an encoded at sign in the host", "https://forge.example%40evil.example/"},
      {"an encoded colon in the host", "https://forge.example%3A80/"},
      {"letters beyond ASCII, encoded", "https://b%C3%BCcher.example/"},
      {"hexadecimal IPv4", "http://0x7f.1/"},
      {"short IPv4", "http://127.1/"},
      {"IPv4 as one number", "http://2130706433/"},
      {"octal IPv4", "http://0177.0.0.1/"},
      {"IPv4 with a dot at the end, short", "http://127.1./"},
      {"two dots at the end", "https://forge.example../"},
      {"a zone in IPv6", "http://[fe80::1%25eth0]/"},
      {"an empty host", "https://:443/"},
      {"an empty port", "https://forge.example:/"},
      {"port 0", "https://forge.example:0/"},
      {"port 65536", "https://forge.example:65536/"},
      {"a port with a sign", "https://forge.example:+443/"},
      {"two ports", "https://forge.example:80:443/"},
      {"a semicolon", "https://forge.example;evil.example/"},
      {"a comma", "https://forge.example,evil.example/"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(UrlText(ParseUrl(row.text)).substr(0, 1) == "!");
  }
}

TEST_CASE("domain: a NUL in a URL is refused") {
  CHECK_FALSE(ParseUrl(std::string_view("https://forge.example\0.evil.example/", 36)));
}

TEST_CASE("domain: for a URL in place of a host, the hint gives the correct entry") {
  const auto hint = [](std::string_view entry) { return ParseHostRule(entry).error().hint; };
  CHECK(hint("https://me@forge.example/x") ==
        R"(write the host without https://: "forge.example")");
  CHECK(hint("https:///x") == "write the host without https://");
  CHECK(hint("forge.example/x") ==
        R"(a rule covers a whole host; write it without a path: "forge.example")");
  for (const char* range : {"10.0.0.0/8", "10.0.0.1/8", "fd00::/8", "[fd00::]/8"}) {
    CAPTURE(range);
    CHECK(hint(range).starts_with("name each address, or list the names that lead there"));
  }
  CHECK(hint("10.0.0.1/") == R"(a rule covers a whole host; write it without a path: "10.0.0.1")");
  CHECK(hint("10.0.0.1/x").ends_with(R"(: "10.0.0.1")"));
  CHECK(hint("a.example/8").ends_with(R"(: "a.example")"));
}

TEST_CASE("domain: East Asian full stops and digits equal the ASCII ones") {
  struct Row {
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"", ""},
      {"forge.example", "forge.example"},
      {"a\u3002b\uff0ec\uff61d", "a.b.c.d"},
      {"\uff10\uff11\uff19", "019"},
      {"\uff0f\uff1a", "\uff0f\uff1a"},  // a slash and a colon
      {"\u00fc\uff41", "\u00fc\uff41"},
      {"\xFF\xEF.x", "\xFF\xEF.x"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(WithPlainMarks(row.text) == row.want);
  }
}

TEST_CASE("domain: percent signs are decoded once") {
  struct Row {
    std::string_view name;
    std::string_view text;
    const char* want;  // nullptr: refused
  };
  static constexpr Row kRows[] = {
      {"nothing to do", "/a/b", "/a/b"}, {"letters of either case", "%2e%2E/%41", "../A"},
      {"at the end", "/x%20", "/x "},    {"once, not twice", "%252e", "%2e"},
      {"a byte", "%ff", "\xFF"},         {"plus stays plus", "a+b", "a+b"},
      {"cut", "/x%2", nullptr},          {"a sign alone", "%", nullptr},
      {"no digits", "%zz", nullptr},     {"one digit", "%4z", nullptr},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    std::string out = "old";
    CHECK(DecodePercent(row.text, &out) == (row.want != nullptr));
    if (row.want != nullptr) CHECK(out == row.want);
  }
  std::string nul;
  CHECK(DecodePercent("a%00", &nul));
  CHECK(nul == std::string_view("a\0", 2));
}

TEST_CASE("domain: a small number is not a usable address") {
  for (const std::string_view text : {"1", "404", "8080", "16777215"}) {
    CAPTURE(text);
    CHECK(LeadsNowhere(text));
  }
  for (const std::string_view text :
       {"", "0", "010", "16777216", "123456789", "2130706433", "1a"}) {
    CAPTURE(text);
    CHECK_FALSE(LeadsNowhere(text));
  }
}

TEST_CASE("domain: an IPv6 address without brackets") {
  for (const char* text : {"::", "::1", "fe80::1%eth0", "2001:db8::1", "::ffff:192.0.2.1"}) {
    CAPTURE(text);
    CHECK(IsBareAddress(text));
  }
  for (const char* text : {"", "1", "a:b", "12:30:00", "[::1]", "00:11:22:33:44:55", "%::1"}) {
    CAPTURE(text);
    CHECK_FALSE(IsBareAddress(text));
  }
}

TEST_CASE("domain: names and addresses of the loopback") {
  for (const char* host : {"localhost", "a.localhost", "127.0.0.1", "127.1.2.3", "[::1]", "0.0.0.0",
                           "[::]", "[::ffff:127.0.0.1]"}) {
    CAPTURE(host);
    CHECK(IsOwnLoopback({.host = host}));
  }
  for (const char* host : {"host.ringfence", "localhost.example", "10.0.0.1", "[::2]", "1.0.0.0"}) {
    CAPTURE(host);
    CHECK_FALSE(IsOwnLoopback({.host = host}));
  }
}
