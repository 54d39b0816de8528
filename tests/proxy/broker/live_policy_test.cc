#include "proxy/broker/live_policy.h"

#include <doctest/doctest.h>

#include <string>

#include "policy/evaluate/evaluate_host.h"
#include "policy/load/sources.h"
#include "tests/support/proxy_session.h"

using namespace ringfence;

namespace {

constexpr const char* kListsA = R"("network":{"allow":["a.example"]})";
constexpr const char* kListsB = R"("network":{"allow":["b.example"]})";

LivePolicy PolicyOf(const SessionRequest& request) {
  Result<LivePolicy> policy = LivePolicy::For(request);
  REQUIRE(policy);
  return std::move(*policy);
}

bool Permits(LivePolicy& policy, std::string_view host) {
  const Result<const Policy*> current = policy.Current();
  REQUIRE(current);
  return EvaluateHost(host, 443, **current).verdict == Verdict::kPermit;
}

}  // namespace

TEST_CASE("live policy: a change counts from the next call on") {
  const SessionDisk disk(kListsA);
  LivePolicy policy = PolicyOf(disk.Request());
  CHECK(policy.session() == kSessionId);
  CHECK(policy.agent_type() == "reviewer");
  CHECK(Permits(policy, "a.example"));
  CHECK(policy.places().audit_file->text() == disk.At("home/log.jsonl"));
  const Policy* const before = *policy.Current();
  CHECK(*policy.Current() == before);
  disk.Policy(kListsB);
  CHECK_FALSE(Permits(policy, "a.example"));
  CHECK(Permits(policy, "b.example"));
}

TEST_CASE("live policy: a broken policy permits nothing until it is repaired") {
  const SessionDisk disk("");
  disk.File(kUserPolicyFile, "{");
  LivePolicy policy = PolicyOf(disk.Request());
  CHECK_FALSE(policy.Current());
  disk.Policy(kListsA);
  CHECK(Permits(policy, "a.example"));
  disk.File(kUserPolicyFile, "{\"version\":1,\"unknown\":1}");
  CHECK_FALSE(policy.Current());
  CHECK_FALSE(policy.Current());
  disk.Policy(kListsA);
  CHECK(Permits(policy, "a.example"));
}

TEST_CASE("live policy: grants of the session come and go") {
  const SessionDisk disk(kListsA);
  LivePolicy policy = PolicyOf(disk.Request());
  CHECK_FALSE(Permits(policy, "b.example"));
  const std::string grants =
      "home/.local/state/ringfence/sessions/" + std::string(kSessionId) + ".json";
  REQUIRE(SessionGrantsPath(disk.At("home"), kSessionId) == disk.At(grants));
  disk.File(grants, std::string("{\"version\":1,") + kListsB + "}");
  CHECK(Permits(policy, "b.example"));
  disk.File(grants, "{");
  CHECK_FALSE(policy.Current());
  REQUIRE(::unlink(disk.At(grants).c_str()) == 0);
  CHECK_FALSE(Permits(policy, "b.example"));
  CHECK(Permits(policy, "a.example"));
}

TEST_CASE("live policy: a project's policy counts once it is trusted") {
  const SessionDisk disk(kListsA);
  LivePolicy policy = PolicyOf(disk.Request());
  const std::string text = R"({"version":1,"network":{"allow":["b.example"]}})";
  disk.File(kProjectPolicyFile, text);
  CHECK_FALSE(Permits(policy, "b.example"));
  disk.File(kTrustFile, RenderTrustStore({{disk.At("home/project"), Sha256Hex(text)}}));
  CHECK(Permits(policy, "b.example"));
}

TEST_CASE("live policy: a session whose id is no plain name has no grants") {
  const SessionDisk disk(kListsA);
  SessionRequest request = disk.Request();
  for (std::string& word : request.words) {
    if (word == kSessionId) word = "a%2fb";
  }
  LivePolicy policy = PolicyOf(request);
  CHECK(policy.session() == "a/b");
  CHECK(Permits(policy, "a.example"));
}

TEST_CASE("live policy: without a network, an agent's own sandbox has the agent's hosts") {
  const SessionDisk disk("");
  SessionRequest request = disk.Request();
  LivePolicy of_command = PolicyOf(request);
  REQUIRE(of_command.Current());
  CHECK_FALSE((*of_command.Current())->network);
  request.is_agent = true;
  LivePolicy of_agent = PolicyOf(request);
  CHECK(Permits(of_agent, "api.anthropic.com"));
  // A policy that lists hosts counts as it is.
  disk.Policy(kListsA);
  CHECK_FALSE(Permits(of_agent, "api.anthropic.com"));
  CHECK(Permits(of_agent, "a.example"));
}

TEST_CASE("live policy: a profile that does not exist") {
  const SessionDisk disk(kListsA);
  SessionRequest request = disk.Request();
  request.words.insert(request.words.end(), {"--profile", "none"});
  LivePolicy policy = PolicyOf(request);
  CHECK_FALSE(policy.Current());
}

TEST_CASE("live policy: words that no launcher sends") {
  CHECK_FALSE(LivePolicy::For({.key = "key", .words = {"--unknown", "x"}}));
  CHECK_FALSE(LivePolicy::For({.key = "key", .words = {"--home"}}));
  // Without a project there is no policy.
  LivePolicy policy = PolicyOf({.key = "key"});
  CHECK_FALSE(policy.Current());
  CHECK_FALSE(policy.Current());
}
