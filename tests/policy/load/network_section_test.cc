// "network" in a policy: what it becomes, and its mistakes.
#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "base/text.h"
#include "policy/load/load.h"
#include "tests/support/loaded.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

// The mistakes of a policy with these members, as a project's or as the user's.
std::vector<Error> MistakesOf(std::string_view members, bool of_project) {
  std::vector<Error> mistakes;
  LoadPolicy({PolicyWith(members), "/x", "x", true, &ClaudeCode(), of_project}, mistakes);
  return mistakes;
}

std::string PrivateWith(std::string_view host, std::string_view range) {
  return R"("network":{"private":{)" + JsonString(host) + ":[" + JsonString(range) + "]}}";
}

}  // namespace

TEST_CASE("network section: only private and link-local ranges may be listed") {
  for (const std::string_view range :
       {"10.0.0.0/8", "10.1.2.3", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10",
        "169.254.0.0/16", "fc00::/7", "fd00::/8", "[fd00::1]", "fe80::/10", "fd00::/128"}) {
    CAPTURE(range);
    CHECK(MistakesOf(PrivateWith("a.example", range), false).empty());
  }
  for (const std::string_view range : {"",
                                       "10",
                                       "10.0.0.0/33",
                                       "10.0.0.1/8",
                                       "a.example",
                                       "0.0.0.0/0",
                                       "10.0.0.0/7",
                                       "8.8.8.8",
                                       "8.0.0.0/5",
                                       "172.16.0.0/11",
                                       "192.168.0.0/15",
                                       "fc00::/6",
                                       "::/0",
                                       "2600::/32",
                                       "224.0.0.1",
                                       "100.100.100.200",
                                       "fd00:ec2::254",
                                       "127.0.0.1",
                                       "127.0.0.0/8",
                                       "::1"}) {
    CAPTURE(range);
    const std::vector<Error> mistakes = MistakesOf(PrivateWith("a.example", range), false);
    REQUIRE(mistakes.size() == 1);
    CHECK(mistakes[0].where == "x:1:49");
    CHECK_FALSE(mistakes[0].hint.empty());
  }
}

TEST_CASE("network section: an entry of private is about the name of a host") {
  for (const std::string_view host :
       {"a.example", "A.Example", "*.a.example", "a.example:5432", "localhost"}) {
    CAPTURE(host);
    CHECK(MistakesOf(PrivateWith(host, "10.0.0.1"), false).empty());
  }
  for (const std::string_view host :
       {"", "*", "*:80", "10.0.0.1", "[fd00::1]:80", "a b", "https://a.example", "@agent-hosts",
        "host.ringfence:80", "x.ringfence", "a.example:0"}) {
    CAPTURE(host);
    CHECK(MistakesOf(PrivateWith(host, "10.0.0.1"), false).size() == 1);
  }
  for (const std::string_view wrong :
       {R"([])", R"({"a.example":"10.0.0.1"})", R"({"a.example":[5]})", R"({"a.example":{}})"}) {
    CAPTURE(wrong);
    CHECK(MistakesOf(R"("network":{"private":)" + std::string(wrong) + "}", false).size() == 1);
  }
}

TEST_CASE("network section: a project's policy cannot name host.ringfence, except to deny it") {
  struct Row {
    std::string_view members;
    bool is_wrong;
  };
  static constexpr Row kRows[] = {
      {R"("network":{"allow":["host.ringfence:80"]})", true},
      {R"("network":{"allow":["a.example","Host.Ringfence:80"]})", true},
      {R"("network":{"inspect":["host.ringfence:80"]})", true},
      {R"("profiles":{"p":{"network":{"allow":["host.ringfence:80"]}}})", true},
      {R"("network":{"upstream":"http://a.example:1"})", true},
      {R"("profiles":{"p":{"network":{"upstream":"http://a.example:1"}}})", true},
      {R"("network":{"deny":["host.ringfence:80"]})", false},
      {R"("network":{"allow":["a.example"]})", false},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.members);
    CHECK(MistakesOf(row.members, false).empty());
    const std::vector<Error> mistakes = MistakesOf(row.members, true);
    REQUIRE(mistakes.size() == (row.is_wrong ? 1 : 0));
    if (row.is_wrong) CHECK(mistakes[0].where.starts_with("x:1:"));
  }
}

TEST_CASE("network section: the user's proxy counts, unless the managed file has one") {
  World world;
  world.User(R"("network":{"allow":["a.example"],"upstream":"http://Proxy.Example:3128"})");
  Policy policy = world.Merged(world.EventOf("Bash", "{}"));
  REQUIRE(policy.network->upstream);
  CHECK(policy.network->upstream->host == "proxy.example");
  CHECK(policy.network->upstream->port == 3128);
  CHECK(policy.network->upstream->place.pointer == "/network/upstream");
  CHECK(policy.network->upstream->place.file == "policy.json");
  world.Managed(R"("network":{"allow":["a.example"],"upstream":"http://[::1]:1"})");
  policy = world.Merged(world.EventOf("Bash", "{}"));
  REQUIRE(policy.network->upstream);
  CHECK(policy.network->upstream->host == "[::1]");
  CHECK(policy.network->upstream->place.file == "managed.json");
  World profiles;
  profiles.mode = "plan";
  profiles.profile = "chosen";
  profiles.User(R"("network":{"upstream":"http://a.example:1"},
      "profiles":{"chosen":{"network":{"upstream":"http://b.example:2"}},
                  "event":{"when":{"permission_mode":"plan"},
                           "network":{"upstream":"http://c.example:3"}}})");
  CHECK(profiles.Merged(profiles.EventOf("Bash", "{}")).network->upstream->port == 2);
  const KeyRow& row = KeyNamed("network.upstream");
  const RuleOrigin origin{.file = "x", .text = "\"\""};
  const KeyValue sound{.row = &row, .text = "http://a:1", .origin = &origin};
  const KeyValue wrong{.row = &row, .text = "a", .origin = &origin};
  Policy without;
  CHECK_FALSE(row.apply(without, sound, KeyRule::kReplace));
  without.network.emplace();
  CHECK_FALSE(row.apply(without, wrong, KeyRule::kReplace));
  CHECK(row.apply(without, sound, KeyRule::kReplace));
  World none;
  none.User(R"("network":{"allow":["a.example"]})");
  CHECK_FALSE(none.Merged(none.EventOf("Bash", "{}")).network->upstream);
}
