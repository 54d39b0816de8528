// Hosts of WebFetch and Monitor, with and without a "network" section.
#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view url, want;
};

std::string Fetch(const World& world, std::string_view url) {
  return world.Call("WebFetch", "{\"url\":" + JsonString(url) + ",\"prompt\":\"x\"}");
}

void Check(const World& world, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.url);
    CHECK(Fetch(world, row.url) == row.want);
  }
}

constexpr Row kListed[] = {
    {"https://good.example/x", "permit"},
    {"http://good.example", "permit"},
    {"HTTPS://GOOD.Example/x", "permit"},
    {"https://good.example./x", "permit"},
    {"https://good.example:8443/x", "deny"},  // listed for 80 and 443
    {"https://a.forge.example/x", "permit"},
    {"https://a.b.forge.example:443/x", "permit"},
    {"https://good.example?x=@evil.example", "permit"},
    {"https://good.example#@evil.example", "permit"},
    {"https://forge.example/x", "deny"},         // "*." means subdomains only
    {"https://a.forge.example:8080/x", "deny"},  // another port
    {"http://a.forge.example/x", "deny"},        // port 80
    {"https://gist.forge.example/x", "deny"},    // denied
    {"https://GIST.forge.example./x", "deny"},
    {"https://evilgood.example", "deny"},
    {"https://good.example.evil.example", "deny"},
    {"https://evil.example/good.example", "deny"},
    {"https://good.example@evil.example/", "deny"},
    {"https://good.example:x@evil.example/", "deny"},
    {"https://evil.example\\@good.example/", "deny"},
    {"https://good.example\\.evil.example/", "deny"},
    {"https://good.example\t.evil.example/", "deny"},
    {"https://go\nod.example/", "deny"},
    {" https://good.example/", "deny"},
    {"https:good.example", "deny"},
    {"https:/good.example", "deny"},
    {"https:///good.example", "deny"},
    {"//good.example/", "deny"},
    {"good.example", "deny"},
    {"https://", "deny"},
    {"", "deny"},
    {"ftp://good.example/", "deny"},
    {"file:///etc/passwd", "deny"},
    {"javascript:alert(1)", "deny"},
    {"data:text/plain,x", "deny"},
    {"https://g\xC3\xB6\xC3\xB6"
     "d.example/",
     "deny"},  // not an A-label
    {"https://good\xE3\x80\x82"
     "example/",
     "permit"},  // an ideographic full stop is a "."
    {"https://evil\xE3\x80\x82"
     "example/",
     "deny"},
    {"https://\xEF\xBD\x87ood.example/", "deny"},  // full width g
    {"https://good%2Eexample/", "permit"},
    {"https://%65vil.example/", "deny"},
    {"https://good.example:99999/", "deny"},
    {"https://good.example:0/", "deny"},
    {"https://0x7f.1/", "deny"},
    {"https://2130706433/", "deny"},
    {"https://127.0.0.1/", "deny"},
    {"https://[::1]/", "deny"},
};

}  // namespace

TEST_CASE("network: a host is permitted when it is listed and not denied") {
  World world;
  world.User(R"("network":{"allow":["good.example","*.forge.example:443"],
                           "deny":["gist.forge.example"]})");
  Check(world, kListed);
}

TEST_CASE("network: without the section hosts are not evaluated, but only web URLs are fetched") {
  const World world;
  constexpr Row kRows[] = {
      {"https://anything.example/x", "permit"},
      {"http://127.0.0.1:8080/", "permit"},
      {"file:///etc/passwd", "deny"},
      {"FILE:///home/dev/project/README.md", "deny"},
      {"ftp://a.example/", "deny"},
      {"/etc/passwd", "deny"},
      {"javascript:x", "deny"},
      {"", "deny"},
  };
  Check(world, kRows);
  CHECK(world.Call("WebFetch", R"({"prompt":"x"})") == "deny");
  CHECK(world.Call("WebFetch", R"({"url":["https://a.example"],"prompt":"x"})") == "deny");
}

TEST_CASE("network: unlisted hosts are denied, asked about or permitted") {
  World deny;
  deny.User(R"("network":{"allow":["good.example"]})");
  CHECK(Fetch(deny, "https://other.example") == "deny");
  World ask;
  ask.User(R"("network":{"allow":["good.example"],"deny":["evil.example"],"unlisted":"ask"})");
  CHECK(Fetch(ask, "https://other.example") == "ask");
  CHECK(Fetch(ask, "https://good.example") == "permit");
  CHECK(Fetch(ask, "https://evil.example") == "deny");
  CHECK(Fetch(ask,
              "https://g\xC3\xB6\xC3\xB6"
              "d.example/") == "deny");
  World allow;
  allow.User(R"("network":{"deny":["*.evil.example","evil.example"],"unlisted":"allow"})");
  CHECK(Fetch(allow, "https://other.example") == "permit");
  CHECK(Fetch(allow, "https://evil.example") == "deny");
  CHECK(Fetch(allow, "https://a.EVIL.example") == "deny");
}

TEST_CASE("network: a section without a list permits nothing") {
  World world;
  world.User(R"("network":{})");
  CHECK(Fetch(world, "https://good.example") == "deny");
}

TEST_CASE("network: \"*\" is every name on 80 and 443, \"*:PORT\" on another port") {
  World world;
  world.User(R"("network":{"allow":["*","*:8443"],"deny":["evil.example"]})");
  CHECK(Fetch(world, "https://any.example") == "permit");
  CHECK(Fetch(world, "http://any.example") == "permit");
  CHECK(Fetch(world, "https://any.example:8443") == "permit");
  CHECK(Fetch(world, "https://any.example:22") == "deny");
  CHECK(Fetch(world, "https://127.0.0.1/") == "deny");  // an address needs its own entry
  CHECK(Fetch(world, "https://evil.example") == "deny");
}

TEST_CASE("network: international names are listed by their A-labels") {
  World world;
  world.User(R"("network":{"allow":["xn--gd-fkaa.example"]})");
  CHECK(Fetch(world, "https://xn--gd-fkaa.example/") == "permit");
  CHECK(Fetch(world, "https://XN--GD-FKAA.example/") == "permit");
  CHECK(Fetch(world,
              "https://g\xC3\xB6\xC3\xB6"
              "d.example/") == "deny");
}

TEST_CASE("network: addresses are listed in their canonical form") {
  World world;
  world.User(R"("network":{"allow":["192.0.2.1","[2001:db8::1]:443"]})");
  CHECK(Fetch(world, "https://192.0.2.1/") == "permit");
  CHECK(Fetch(world, "https://192.0.2.01/") == "deny");
  CHECK(Fetch(world, "https://[2001:DB8::1]/") == "permit");
  CHECK(Fetch(world, "http://[2001:db8::1]/") == "deny");
}

TEST_CASE("network: the socket of a Monitor is evaluated like a page") {
  World world;
  world.User(R"("network":{"allow":["good.example"]})");
  CHECK(world.Call("Monitor", R"({"command":"x","ws":{"url":"wss://good.example/s"}})") ==
        "permit");
  CHECK(world.Call("Monitor", R"({"command":"x","ws":{"url":"wss://evil.example/s"}})") == "deny");
  CHECK(world.Call("Monitor", R"({"command":"x","ws":{"url":5}})") == "deny");
  CHECK(world.Call("Monitor", R"({"command":"x","ws":{"url":"file:///etc/passwd"}})") == "deny");
  CHECK(world.Call("Monitor", R"({"command":"x"})") == "permit");
}

TEST_CASE("network: the reason names the host, the list and what to run") {
  World world;
  world.User(R"("network":{"allow":["good.example"],"deny":["gist.example"]})");
  CHECK(
      ReasonText(world.Decide("WebFetch", R"({"url":"https://other.example/x","prompt":""})"),
                 "") ==
      R"(ringfence: connection to "https://other.example/x" refused: the host "other.example" is )"
      R"(not listed. Ask the user to run `ringfence allow other.example`. Rule: policy.json:1 )"
      R"(/network.)");
  CHECK(
      ReasonText(world.Decide("WebFetch", R"({"url":"https://gist.example/x","prompt":""})"), "") ==
      R"(ringfence: connection to "https://gist.example/x" refused: denied by "gist.example". )"
      R"(Rule: policy.json:1 /network/deny.)");
}

TEST_CASE("allowed_domains: all hosts that a command's entries match must be permitted") {
  World world;
  world.User(R"("network":{"allow":["good.example","*.forge.example","api.example:8443"],
                           "deny":["gist.forge.example","*.bad.forge.example"]})");
  const auto call = [&world](std::string_view tool, std::string_view hosts) {
    return world.Call(tool, R"({"command":"x","allowed_domains":)" + std::string(hosts) + "}");
  };
  constexpr Row kRows[] = {
      {R"(["good.example"])", "permit"},
      {R"(["GOOD.example","a.forge.example"])", "permit"},
      {R"([])", "permit"},
      {R"(["*.a.forge.example"])", "permit"},
      {R"(["api.example:8443"])", "permit"},
      {R"(["api.example"])", "deny"},  // 80 and 443
      {R"(["evil.example"])", "deny"},
      {R"(["good.example","evil.example"])", "deny"},
      {R"(["*.good.example"])", "deny"},  // only the host itself is permitted
      {R"(["forge.example"])", "deny"},
      {R"(["*.forge.example"])", "deny"},  // some of its subdomains are denied
      {R"(["*.bad.forge.example"])", "deny"},
      {R"(["x.bad.forge.example"])", "deny"},
      {R"(["gist.forge.example"])", "deny"},
      {R"(["*.example"])", "deny"},
      {R"(["*"])", "deny"},
      {R"(["https://good.example/"])", "deny"},
      {R"([""])", "deny"},
      {R"([5])", "deny"},
      {R"([null])", "deny"},
      {R"(null)", "deny"},  // the client's schema requires omitting it
      {R"(5)", "deny"},
      {R"("evil.example")", "deny"},
      {R"({"a":"evil.example"})", "deny"},
      {R"([["evil.example"]])", "deny"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.url);
    CHECK(call("Bash", row.url) == row.want);
    CHECK(call("Monitor", row.url) == row.want);
    CHECK(call("PowerShell", row.url) == row.want);
  }
  const std::string reason =
      ReasonText(world.Decide("Bash", R"({"command":"x","allowed_domains":5})"), "");
  CAPTURE(reason);
  CHECK(reason.find("refused: it must be a list of strings.") != reason.npos);
  World silent;  // a policy without a network section
  CHECK(silent.Call("Bash", R"({"command":"x","allowed_domains":["*"]})") == "permit");
  World asks;
  asks.User(R"("network":{"allow":["good.example"],"unlisted":"ask"})");
  CHECK(asks.Call("Bash", R"({"command":"x","allowed_domains":["evil.example"]})") == "ask");
}
