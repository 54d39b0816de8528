#include "policy/evaluate/upstream_route.h"

#include <doctest/doctest.h>

#include "policy/evaluate/evaluate_host.h"
#include "tests/support/host_rows.h"

using namespace ringfence;

namespace {

constexpr std::string_view kWithUpstream = R"("network":{
    "allow":["*.example","proxy.corp.example:3128","10.1.2.3:3128"],
    "private":{"db.corp.example":["10.0.0.0/8"],"*.own.example:443":["192.168.7.0/24"]},
    "upstream":"http://proxy.corp.example:3128"})";

}  // namespace

TEST_CASE("upstream route: names are the proxy's, except those of the user's own networks") {
  World world;
  const Policy policy = PolicyOfUser(world, kWithUpstream);
  struct Row {
    std::string_view host;
    bool is_left;
    uint16_t port = 443;
  };
  static constexpr Row kRows[] = {
      {"a.example", true},
      {"corp.example", true},
      {"proxy.corp.example", true},
      {"db.corp.example", false},
      {"db.corp.example", false, 5432},
      {"a.own.example", false},
      {"a.own.example", true, 80},
      {"own.example", true},
      {"localhost", false},
      {"a.localhost", false},
      {"notlocalhost", true},
      {"localhost.example", true},
      {"host.ringfence", false},
      {"203.0.113.5", false},
      {"10.1.2.3", false},
      {"[2600::1]", false},
  };
  World plain;
  const Policy without = PolicyOfUser(plain, R"("network":{"allow":["*"]})");
  for (const Row& row : kRows) {
    CAPTURE(row.host);
    CHECK(IsLeftToUpstream(row.host, row.port, policy) == row.is_left);
    CHECK_FALSE(IsLeftToUpstream(row.host, row.port, without));
    CHECK_FALSE(IsLeftToUpstream(row.host, row.port, Policy{}));
  }
}

TEST_CASE("upstream route: public addresses are the proxy's") {
  World world;
  const Policy policy = PolicyOfUser(world, kWithUpstream);
  World plain;
  const Policy without = PolicyOfUser(plain, R"("network":{"allow":["*"]})");
  for (const std::string_view text : {"203.0.113.5", "[2600::1]"}) {
    CHECK(IsBeyondUpstream(*ParseAddress(text), policy));
    CHECK_FALSE(IsBeyondUpstream(*ParseAddress(text), without));
    CHECK_FALSE(IsBeyondUpstream(*ParseAddress(text), Policy{}));
  }
  for (const std::string_view text :
       {"10.1.2.3", "127.0.0.1", "169.254.169.254", "[fd00:ec2::254]", "[::1]", "0.0.0.0"}) {
    CAPTURE(text);
    CHECK_FALSE(IsBeyondUpstream(*ParseAddress(text), policy));
  }
}

TEST_CASE("upstream route: nothing may reach the proxy itself, whatever the lists say") {
  World world;
  const Policy policy = PolicyOfUser(world, kWithUpstream);
  const auto decide = [&](std::string_view host, uint16_t port) {
    return EvaluateHost(host, port, policy);
  };
  const HostDecision denied = decide("Proxy.Corp.Example.", 3128);
  CHECK(denied.verdict == Verdict::kDeny);
  REQUIRE(denied.cause);
  CHECK(denied.cause->why == "it is the proxy of network.upstream, which connects to every host");
  REQUIRE(denied.cause->place);
  CHECK(denied.cause->place->pointer == "/network/upstream");
  CHECK(denied.cause->remedy.empty());
  CHECK(decide("proxy.corp.example", 443).verdict == Verdict::kPermit);
  CHECK(decide("10.1.2.3", 3128).verdict == Verdict::kPermit);  // by its name it is another host
  CHECK(EvaluateHosts("*.corp.example:3128", policy).verdict == Verdict::kDeny);
  CHECK(EvaluateHosts("*.corp.example", policy).verdict == Verdict::kPermit);

  const NameDecision by_address =
      DeniedUpstream("x.example", 3128, *ParseAddress("10.1.2.3"), *policy.network->upstream);
  CHECK(by_address.verdict == Verdict::kDeny);
  REQUIRE(by_address.cause);
  CHECK(by_address.cause->what == R"(connection to "x.example:3128")");
  CHECK(by_address.cause->why ==
        "its address 10.1.2.3 is the proxy of network.upstream, which connects to every host");
  CHECK(by_address.cause->place == policy.network->upstream->place);
}
