// Addresses that a permitted host resolves to.
#include <doctest/doctest.h>

#include "policy/rules/address.h"
#include "tests/support/host_rows.h"

using namespace ringfence;

namespace {

AddressDecision Evaluate(std::string_view host, std::string_view address, const Policy& policy,
                         uint16_t port = 443) {
  const auto parsed = ParseAddress(address);
  REQUIRE(parsed);
  return EvaluateAddress(host, port, *parsed, policy);
}

// "permit", "permit by db.example" or "deny".
std::string Said(const AddressDecision& decision) {
  std::string said(VerdictName(decision.verdict));
  if (decision.rule != nullptr) said += " by " + std::string(decision.rule->host.written);
  CHECK((decision.verdict == Verdict::kPermit) == !decision.cause);
  return said;
}

struct Row {
  std::string_view host, address, want;
  uint16_t port = 443;
};

void Check(const Policy& policy, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.host);
    CAPTURE(row.address);
    CHECK(Said(Evaluate(row.host, row.address, policy, row.port)) == row.want);
  }
}

constexpr std::string_view kPrivate = R"("network":{
    "allow":["db.corp.example:5432","*.corp.example"],
    "private":{"DB.corp.example":["10.0.0.0/8","fd00::/8"],
               "*.corp.example:443":["192.168.7.0/24","169.254.0.0/16"]}})";

}  // namespace

TEST_CASE("evaluator address: a name may lead to public addresses, and to its private ranges") {
  World world;
  const Policy policy = PolicyOfUser(world, kPrivate);
  static constexpr Row kRows[] = {
      {"any.example", "203.0.113.7", "permit"},
      {"any.example", "[2600::1]", "permit"},
      {"any.example", "10.0.0.1", "deny"},
      {"db.corp.example", "10.0.0.1", "permit by db.corp.example"},
      {"Db.Corp.Example.", "10.255.0.1", "permit by db.corp.example"},
      {"db.corp.example", "10.0.0.1", "permit by db.corp.example", 5432},
      {"db.corp.example", "[fd12::1]", "permit by db.corp.example"},
      {"db.corp.example", "[::ffff:10.0.0.1]", "permit by db.corp.example"},
      {"db.corp.example", "192.168.7.1", "permit by *.corp.example:443"},
      {"db.corp.example", "192.168.7.1", "deny", 5432},
      {"db.corp.example", "192.168.8.1", "deny"},
      {"a.corp.example", "192.168.7.255", "permit by *.corp.example:443"},
      {"a.corp.example", "10.0.0.1", "deny"},
      {"a.corp.example", "169.254.9.9", "permit by *.corp.example:443"},
      {"a.corp.example", "169.254.169.254", "deny"},
      {"corp.example", "192.168.7.1", "deny"},
      {"any.example", "[fe80::1]", "deny"},
  };
  Check(policy, kRows);
  const Policy none;
  static constexpr Row kNone[] = {{"any.example", "10.0.0.1", "deny"},
                                  {"any.example", "203.0.113.7", "permit"}};
  Check(none, kNone);
}

TEST_CASE("evaluator address: no name leads to loopback, metadata or unusable addresses") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{"allow":["a.example"],
      "private":{"a.example":["100.64.0.0/10","fd00::/8"]}})");
  static constexpr Row kRows[] = {
      {"a.example", "100.64.0.1", "permit by a.example"},
      {"a.example", "100.100.100.200", "deny"},  // metadata
      {"a.example", "[fd00:ec2::254]", "deny"},
      {"a.example", "127.0.0.1", "deny"},
      {"a.example", "[::1]", "deny"},
      {"a.example", "[::ffff:127.0.0.1]", "deny"},
      {"localhost", "127.0.0.1", "deny"},
      {"a.example", "0.0.0.0", "deny"},
      {"a.example", "224.0.0.1", "deny"},
      {"", "203.0.113.7", "permit"},  // EvaluateHost() refuses it
      {"", "10.0.0.1", "deny"},
  };
  Check(policy, kRows);
}

TEST_CASE("evaluator address: an address as a host is itself, but never loopback") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{"allow":["a.example"]})");
  static constexpr Row kRows[] = {
      {"10.0.0.1", "10.0.0.1", "permit"},
      {"[::ffff:10.0.0.1]", "10.0.0.1", "permit"},
      {"10.0.0.2", "10.0.0.1", "deny"},
      {"169.254.169.254", "169.254.169.254", "permit"},
      {"fe80::1%eth0", "[fe80::1]", "permit"},
      {"[fd00:ec2::254]", "[fd00:ec2::254]", "permit"},
      {"100.100.100.200", "100.100.100.200", "permit"},
      {"127.0.0.1", "127.0.0.1", "deny"},
      {"[::1]", "[::1]", "deny"},
      {"0.0.0.0", "0.0.0.0", "deny"},
  };
  Check(policy, kRows);
}

TEST_CASE("evaluator address: host.ringfence is loopback") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{"allow":["host.ringfence:5432"]})");
  static constexpr Row kRows[] = {
      {"host.ringfence", "127.0.0.1", "permit", 5432},
      {"Host.Ringfence.", "[::1]", "permit", 5432},
      {"host.ringfence", "10.0.0.1", "deny", 5432},
      {"host.ringfence", "203.0.113.7", "deny", 5432},
  };
  Check(policy, kRows);
}

TEST_CASE("evaluator address: the cause names the address, its kind, the list and the remedy") {
  World world;
  const Policy policy = PolicyOfUser(world, kPrivate);
  const auto cause = [&](std::string_view host, std::string_view address, uint16_t port) {
    return *Evaluate(host, address, policy, port).cause;
  };
  const Cause unlisted = cause("a.corp.example", "10.0.0.1", 8443);
  CHECK(unlisted.what == R"(connection to "a.corp.example:8443")");
  CHECK(unlisted.why == "its address 10.0.0.1 is private, and no entry of network.private has it");
  CHECK(unlisted.place->pointer == "/network/private");
  CHECK(unlisted.remedy == R"(Ask the user to add "a.corp.example": ["10.0.0.1"] to )"
                           "network.private of policy.json.");
  CHECK(cause("a.corp.example", "[fd00::1]", 443).remedy.find(R"(["[fd00::1]"])") !=
        std::string::npos);
  CHECK(cause("a.corp.example", "169.254.169.254", 443).remedy.empty());
  const Cause loopback = cause("a.corp.example", "127.0.0.1", 5432);
  CHECK(loopback.why ==
        "its address 127.0.0.1 is loopback: only host.ringfence leads to this machine");
  // The owner of the name chose the address.
  CHECK(loopback.remedy.empty());
  CHECK(cause("localhost", "127.0.0.1", 5432).remedy ==
        "Ask the user to run `ringfence allow host.ringfence:5432`.");
  CHECK(cause("a.corp.example", "[fd00:ec2::254]", 443).why ==
        "its address [fd00:ec2::254] is a cloud's metadata service: only an entry for the address "
        "itself permits it");
  CHECK(cause("a.corp.example", "0.0.0.0", 443).why == "its address 0.0.0.0 is unusable");
  CHECK(cause("host.ringfence", "10.0.0.1", 443).why == "its address 10.0.0.1 is private");
}

TEST_CASE(
    "evaluator address: one of this machine's own needs an entry, whatever name leads there") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{"allow":
      ["*","203.0.113.7:8080","[2600::1]"],"deny":["203.0.113.9"],"unlisted":"ask"})");
  const auto evaluate = [&](std::string_view host, std::string_view address, uint16_t port) {
    return EvaluateOwnAddress(host, port, *ParseAddress(address), policy);
  };
  CHECK(evaluate("a.example", "203.0.113.7", 8080).verdict == Verdict::kPermit);
  CHECK(evaluate("203.0.113.7", "203.0.113.7", 8080).verdict == Verdict::kPermit);
  CHECK(evaluate("a.example", "[2600::1]", 443).verdict == Verdict::kPermit);
  const NameDecision port = evaluate("a.example", "203.0.113.7", 80);
  CHECK(port.verdict == Verdict::kDeny);
  CHECK(port.cause->what == R"(connection to "a.example:80")");
  CHECK(port.cause->why ==
        "its address 203.0.113.7 is this machine's own, and "
        "the host \"203.0.113.7\" is listed for port 8080 only");
  const NameDecision unlisted = evaluate("A.example", "203.0.113.8", 5432);
  CHECK(unlisted.verdict == Verdict::kDeny);
  CHECK(unlisted.cause->remedy == "Ask the user to run `ringfence allow 203.0.113.8:5432`.");
  CHECK(evaluate("a.example", "203.0.113.9", 443).cause->why ==
        "its address 203.0.113.9 is this machine's own, and denied by \"203.0.113.9\"");
}

TEST_CASE("evaluator address: without a list of the user's own no command is suggested") {
  World world;
  world.Project(R"("network":{"allow":["a.example"]})", false);
  const Policy policies[] = {world.Merged(world.EventOf("Bash", "{}")),
                             PolicyOfUser(world, R"("network":{"deny":["a.example"]})"), Policy()};
  CHECK(Evaluate("localhost", "127.0.0.1", policies[0], 80).cause->remedy.find('`') ==
        std::string::npos);
  CHECK(Evaluate("localhost", "127.0.0.1", policies[1], 80).cause->remedy.find('`') !=
        std::string::npos);
  CHECK(Evaluate("localhost", "127.0.0.1", policies[2], 80).cause->remedy.find('`') ==
        std::string::npos);
  Policy empty;
  empty.network.emplace();
  CHECK(Evaluate("localhost", "127.0.0.1", empty, 80).cause->remedy.find('`') == std::string::npos);
}

TEST_CASE("evaluator address: the remedy names the file that lacks the address") {
  const auto remedy = [](const Policy& policy) {
    const std::string text = Evaluate("a.example", "10.0.0.1", policy).cause->remedy;
    const size_t file = text.find("network.private of ");
    return file == std::string::npos ? text : text.substr(file + 19);
  };
  World world;
  CHECK(remedy(PolicyOfUser(world, R"("network":{"allow":["a.example"]})")) == "policy.json.");
  World managed;
  managed.Managed(R"("network":{"allow":["a.example"]})");
  Policy of_root = managed.Merged(managed.EventOf("Bash", "{}"));
  of_root.network->lists.front().place.file = kManagedPolicy;
  CHECK(remedy(of_root) == "the policy.");
  World asks;
  CHECK(remedy(PolicyOfUser(asks, R"("network":{"private":{}})")) == "policy.json.");
  World both;
  both.Project(R"("network":{"private":{}})", true);
  const Policy of_project = PolicyOfUser(both, R"("network":{"allow":["a.example"]})");
  CHECK(remedy(of_project) == std::string(of_project.network->private_lists[0].place.file) + ".");
  World inherits;
  inherits.Project(R"("network":{"allow":["a.example"]})", true);
  CHECK(remedy(PolicyOfUser(inherits, R"("network":{"private":{}})")) == "policy.json.");
  Policy empty;
  CHECK(remedy(empty) == "the policy.");
  empty.network.emplace();
  CHECK(remedy(empty) == "the policy.");
}

TEST_CASE("evaluator address: the last trusted file's entries count") {
  constexpr std::string_view kProjects = R"("network":{"private":{"p.example":["10.1.0.0/16"]}})";
  constexpr std::string_view kUsers = R"("network":{"private":{"u.example":["10.2.0.0/16"]}})";
  for (const bool trusted : {true, false}) {
    CAPTURE(trusted);
    World world;
    world.Project(kProjects, trusted);
    const Policy policy = PolicyOfUser(world, kUsers);
    CHECK(Said(Evaluate("p.example", "10.1.0.1", policy)) ==
          (trusted ? "permit by p.example" : "deny"));
    CHECK(Said(Evaluate("u.example", "10.2.0.1", policy)) ==
          (trusted ? "deny" : "permit by u.example"));
  }
  World only;
  only.Project(kProjects, false);
  const Policy policy = only.Merged(only.EventOf("Bash", "{}"));
  CHECK(policy.network->private_lists.empty());
  World without;
  without.Project(R"("network":{"allow":["u.example"]})", true);
  CHECK(Said(Evaluate("u.example", "10.2.0.1", PolicyOfUser(without, kUsers))) ==
        "permit by u.example");
}

TEST_CASE("evaluator address: the managed file's entries limit all others") {
  constexpr std::string_view kUsers =
      R"("network":{"private":{"*.example":["10.0.0.0/8","192.168.0.0/16"]}})";
  World world;
  world.Managed(R"("network":{"private":{"a.example":["10.1.0.0/16"]}})");
  const Policy policy = PolicyOfUser(world, kUsers);
  static constexpr Row kRows[] = {
      {"a.example", "10.1.0.1", "permit by a.example"},
      {"a.example", "10.2.0.1", "deny"},
      {"b.example", "10.1.0.1", "deny"},
  };
  Check(policy, kRows);
  const Cause cause = *Evaluate("b.example", "10.1.0.1", policy).cause;
  CHECK(cause.place->file == "managed.json");
  World silent;
  silent.Managed(R"("network":{"deny":["x.example"]})");
  CHECK(Said(Evaluate("b.example", "10.1.0.1", PolicyOfUser(silent, kUsers))) ==
        "permit by *.example");
  World none;
  none.Managed(R"("network":{"private":{}})");
  const Policy closed = PolicyOfUser(none, kUsers);
  CHECK(Said(Evaluate("b.example", "10.1.0.1", closed)) == "deny");
  CHECK(Evaluate("b.example", "10.1.0.1", closed).cause->place->file == "managed.json");
}

TEST_CASE("evaluator address: a profile that the event chose only takes entries away") {
  World world;
  world.mode = "plan";
  const Policy policy = PolicyOfUser(world, R"("network":{"private":{"*.example":["10.0.0.0/8"]}},
      "profiles":{"p":{"when":{"permission_mode":"plan"},
                       "network":{"private":{"a.example":["10.1.0.0/16","192.168.0.0/16"]}}}})");
  static constexpr Row kRows[] = {
      {"a.example", "10.1.0.1", "permit by a.example"},
      {"a.example", "192.168.0.1", "deny"},
      {"b.example", "10.1.0.1", "deny"},
  };
  Check(policy, kRows);
  const Cause cause = *Evaluate("b.example", "10.1.0.1", policy).cause;
  CHECK(cause.remedy == "Ask the user to add it to this list of the profile.");
  World gains;
  gains.mode = "plan";
  const Policy nothing = PolicyOfUser(gains, R"("network":{"allow":["a.example"]},
      "profiles":{"p":{"when":{"permission_mode":"plan"},
                       "network":{"private":{"a.example":["10.1.0.0/16"]}}}})");
  CHECK(Said(Evaluate("a.example", "10.1.0.1", nothing)) == "deny");
}
