// Properties of all hosts, ports and policies: every way to ask about a host gives the same answer,
// however the host is spelled. RINGFENCE_SEED repeats a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "policy/evaluate/evaluate_connection.h"
#include "policy/evaluate/evaluate_url.h"
#include "tests/support/host_rows.h"
#include "tests/support/mutate.h"
#include "tests/support/random_policy.h"

using namespace ringfence;

namespace {

constexpr int kPolicies = 500;
constexpr int kHosts = 20;

// An equal spelling: other letter case, and one final dot after a name.
std::string Respelled(RandomPolicies& random, std::string host) {
  for (char& c : host) {
    if (IsLower(c) && random.OneIn(2)) c = static_cast<char>(c - 'a' + 'A');
  }
  const bool is_address = host.front() == '[';
  return host + (!is_address && random.OneIn(3) ? "." : "");
}

bool IsSame(const NameDecision& one, const NameDecision& other) {
  if (one.verdict != other.verdict || one.cause.has_value() != other.cause.has_value())
    return false;
  return !one.cause ||
         (one.cause->why == other.cause->why && one.cause->host == other.cause->host &&
          one.cause->place == other.cause->place && one.cause->remedy == other.cause->remedy);
}

// The proxy's decision is that of the hook. It cannot ask, and evaluates an address as well.
void CheckConnection(const std::string& host, uint16_t port, const Policy& policy,
                     const HostDecision& wanted) {
  const HostDecision connection = EvaluateConnection(host, port, policy);
  if (!policy.network) {
    CHECK(connection.verdict == Verdict::kDeny);
  } else if (wanted.verdict == Verdict::kPermit) {
    CHECK((connection.verdict == Verdict::kPermit || ParseAddress(host)));
  } else {
    CHECK(connection.verdict == Verdict::kDeny);
    CHECK(connection.cause->host == wanted.cause->host);
    CHECK(connection.cause->place == wanted.cause->place);
    CHECK(connection.cause->why.starts_with(wanted.cause->why));
    CHECK((wanted.verdict == Verdict::kAsk || IsSame(connection, wanted)));
  }
}

std::string Without(std::string host, char bracket) {
  std::erase(host, bracket);
  return host;
}

}  // namespace

TEST_CASE("property: a host has one verdict, whatever asks about it and however it is spelled") {
  RandomPolicies random(TestSeed() + 11);
  MESSAGE("RINGFENCE_SEED=" << TestSeed());
  int counts[3] = {};
  for (int i = 0; i < kPolicies; ++i) {
    World world;
    nlohmann::json network = random.Network();
    if (random.OneIn(2)) network["allow"].push_back("host.ringfence:8080");
    const std::string users = nlohmann::json{{"network", network}}.dump();
    const std::string members = users.substr(1, users.size() - 2);
    if (random.OneIn(4)) {
      const std::string managed = nlohmann::json{{"network", random.Network()}}.dump();
      world.Managed(managed.substr(1, managed.size() - 2));
    }
    const Policy policy = PolicyOfUser(world, members);
    for (int n = 0; n < kHosts; ++n) {
      const std::string host = random.Host();
      const uint16_t port = random.Port();
      const std::string spelled = Respelled(random, host);
      const std::string authority = spelled + ":" + std::to_string(port);
      CAPTURE(members);
      CAPTURE(authority);
      const HostDecision wanted = EvaluateHost(host, port, policy);
      ++counts[static_cast<size_t>(wanted.verdict)];
      CHECK(IsSame(wanted, EvaluateHost(spelled, port, policy)));
      CHECK(EvaluateHost(spelled, port, policy).rule == wanted.rule);
      CHECK(IsSame(wanted, EvaluateUrl("https://" + authority + "/", policy)));
      CHECK(IsSame(wanted, EvaluateUrl("WS://" + authority + "?x", policy)));
      CHECK(IsSame(wanted, EvaluateAuthority(authority, policy)));
      if (port == 443) CHECK(IsSame(wanted, EvaluateAuthority(spelled, policy)));
      CheckConnection(spelled, port, policy, wanted);
      const std::string bare = Without(Without(spelled, '['), ']');
      if (bare != spelled) CHECK(IsSame(wanted, EvaluateHost(bare, port, policy)));
      if (spelled.back() == '.') continue;  // not an entry of a policy
      const NameDecision as_entry = EvaluateHosts(authority, policy);
      // A reserved name is a mistake in an entry, with another cause.
      CHECK(as_entry.verdict == wanted.verdict);
    }
  }
  for (const int count : counts) CHECK(count > kPolicies * kHosts / 50);
}
