// What the entries of host lists match.
#include <doctest/doctest.h>

#include "policy/rules/domain.h"

using namespace ringfence;

TEST_CASE("domain: a rule matches whole labels and its own port") {
  struct Row {
    std::string_view name;
    std::string_view rule, host;
    uint16_t port;
    bool want;
  };
  static constexpr Row kRows[] = {
      {"itself", "forge.example", "forge.example", 443, true},
      {"another port than 80 and 443", "forge.example", "forge.example", 1, false},
      {"a subdomain is another host", "forge.example", "a.forge.example", 443, false},
      {"a suffix is another host", "forge.example", "evilforge.example", 443, false},
      {"a prefix is another host", "forge.example", "forge.example.evil", 443, false},
      {"subdomains", "*.forge.example", "a.forge.example", 443, true},
      {"subdomains of subdomains", "*.forge.example", "a.b.forge.example", 443, true},
      {"the name itself is no subdomain", "*.forge.example", "forge.example", 443, false},
      {"a suffix is no subdomain", "*.forge.example", "evilforge.example", 443, false},
      {"an empty label is no subdomain", "*.forge.example", ".forge.example", 443, false},
      {"the right port", "forge.example:443", "forge.example", 443, true},
      {"another port", "forge.example:443", "forge.example", 80, false},
      {"everything", "*", "forge.example", 80, true},
      {"everything on another port", "*", "forge.example", 22, false},
      {"everything on one port", "*:22", "forge.example", 22, true},
      {"an address", "192.0.2.1", "192.0.2.1", 80, true},
      {"another address", "192.0.2.1", "192.0.2.10", 80, false},
      {"IPv6 in another spelling", "[0:0::1]", "[::1]", 80, true},
      {"IPv6 in full", "[::1]", "[0:0:0:0:0:0:0:1]", 80, true},
      {"another IPv6 address", "[::1]", "[::2]", 80, false},
      {"IPv4 in IPv6", "[::ffff:192.0.2.1]", "192.0.2.1", 80, true},
      {"IPv4 in IPv6 in hexadecimal", "192.0.2.1", "[::ffff:c000:201]", 80, true},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Result<HostRule> rule = ParseHostRule(row.rule);
    REQUIRE(rule);
    HostRule wanted;
    wanted.host = row.host;
    wanted.port = row.port;
    CHECK(Covers(*rule, wanted) == row.want);
    CHECK(Overlaps(*rule, wanted) == row.want);
  }
}

TEST_CASE("hosts: rules that cover or overlap each other") {
  struct Pair {
    std::string_view rule, wanted;
    bool covers, overlaps;
  };
  constexpr Pair kPairs[] = {
      {"a.example", "a.example", true, true},
      {"a.example", "b.example", false, false},
      {"a.example", "*.a.example", false, false},
      {"*.example", "a.example", true, true},
      {"*.example", "*.a.example", true, true},
      {"*.example", "*.example", true, true},
      {"*.a.example", "*.example", false, true},
      {"x.a.example", "*.example", false, true},
      {"*.a.example", "*.b.example", false, false},
      {"*.example", "*.badexample", false, false},
      {"*", "*.example", true, true},
      {"*", "*", true, true},
      {"*.example", "*", false, true},
      {"a.example:443", "a.example", false, true},
      {"a.example", "a.example:443", true, true},
      {"a.example:443", "a.example:80", false, false},
      {"a.example", "a.example:22", false, false},
      {"a.example:22", "a.example", false, false},
      {"a.example", "a.example:80", true, true},
      {"*:22", "a.example:22", true, true},
      {"*", "*:22", false, false},
      {"*", "192.0.2.1", false, true},
      {"*", "[::1]", false, true},
      {"*", "host.ringfence:80", false, true},
      {"host.ringfence:80", "host.ringfence:80", true, true},
      {"host.ringfence:80", "host.ringfence:81", false, false},
      {"*.example:443", "*.a.example:443", true, true},
      {"[::1]", "[::1]", true, true},
  };
  for (const Pair& pair : kPairs) {
    CAPTURE(pair.rule);
    CAPTURE(pair.wanted);
    const Result<HostRule> rule = ParseHostRule(pair.rule);
    const Result<HostRule> wanted = ParseHostRule(pair.wanted);
    REQUIRE((rule && wanted));
    CHECK(Covers(*rule, *wanted) == pair.covers);
    CHECK(Overlaps(*rule, *wanted) == pair.overlaps);
  }
}

TEST_CASE("hosts: an entry of a deny list without a port means every port, and \"*\" every host") {
  struct Pair {
    std::string_view rule, wanted;
    bool covers;
  };
  constexpr Pair kPairs[] = {
      {"a.example", "a.example", true},     {"a.example", "a.example:22", true},
      {"a.example:22", "a.example", false}, {"a.example:22", "a.example:22", true},
      {"*", "192.0.2.1:22", true},          {"*", "host.ringfence:1", true},
      {"*:22", "host.ringfence:1", false},
  };
  for (const Pair& pair : kPairs) {
    CAPTURE(pair.rule);
    CAPTURE(pair.wanted);
    Result<HostRule> rule = ParseHostRule(pair.rule);
    const Result<HostRule> wanted = ParseHostRule(pair.wanted);
    REQUIRE((rule && wanted));
    rule->wide = true;
    CHECK(Covers(*rule, *wanted) == pair.covers);
    // No other entry covers all that it does.
    CHECK(Covers(*wanted, *rule) == (pair.covers && rule->port != 0));
  }
}

TEST_CASE("domain: the URL of a proxy has a host and a port, and nothing else") {
  for (const std::string_view text : {"http://proxy.example:3128", "HTTP://Proxy.Example:3128",
                                      "http://127.0.0.1:1", "http://[::1]:65535"}) {
    CAPTURE(text);
    CHECK(ParseProxyUrl(text));
  }
  CHECK(ParseProxyUrl("http://Proxy.Example:3128")->host == "proxy.example");
  CHECK(ParseProxyUrl("http://Proxy.Example:3128")->port == 3128);
  for (const std::string_view text :
       {"", "proxy.example:3128", "https://proxy.example:3128", "socks5://proxy.example:3128",
        "http://proxy.example", "http://proxy.example:3128/", "http://proxy.example:0",
        "http://me@proxy.example:3128", "http://me:x@proxy.example:3128", "http://*:80",
        "http://*.proxy.example:3128", "http://host.ringfence:3128", "http://proxy.ringfence:1",
        "http:// proxy.example:3128", "http://proxy.example:3128?x", "http://"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseProxyUrl(text));
  }
}

TEST_CASE("domain: names below .ringfence are reserved, except host.ringfence") {
  for (const std::string_view host : {"x.ringfence", "x.host.ringfence", ".ringfence"}) {
    CHECK(IsReservedName(host));
  }
  for (const std::string_view host : {"host.ringfence", "ringfence", "xringfence", ""}) {
    CHECK_FALSE(IsReservedName(host));
  }
}
