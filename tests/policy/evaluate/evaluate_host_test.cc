#include "policy/evaluate/evaluate_host.h"

#include <doctest/doctest.h>

#include "tests/support/host_rows.h"

using namespace ringfence;

TEST_CASE("evaluator host: the deciding entry is reported, a denial before any permit") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{
      "allow":["good.example","*.forge.example:443","api.example:8443"],
      "deny":["gist.forge.example","*.evil.example","good.example:25"]})");
  static constexpr HostRow kRows[] = {
      {"good.example", 443, "permit by good.example"},
      {"good.example", 80, "permit by good.example"},
      {"good.example", 1, "deny"},  // no port means 80 and 443
      {"good.example", 25, "deny by good.example:25"},
      {"good.example", 0, "permit by good.example"},
      {"a.forge.example", 443, "permit by *.forge.example:443"},
      {"a.b.forge.example", 443, "permit by *.forge.example:443"},
      {"a.forge.example", 80, "deny"},
      {"a.forge.example", 0, "deny"},  // port 80 is not permitted
      {"forge.example", 443, "deny"},  // "*." means subdomains only
      {"aforge.example", 443, "deny"},
      {"gist.forge.example", 443, "deny by gist.forge.example"},
      {"a.gist.forge.example", 443, "permit by *.forge.example:443"},
      {"a.evil.example", 443, "deny by *.evil.example"},
      {"a.evil.example", 1, "deny by *.evil.example"},  // in a deny list, every port
      {"api.example", 8443, "permit by api.example:8443"},
      {"api.example", 443, "deny"},
      {"other.example", 443, "deny"},
  };
  CheckHosts(policy, kRows);
}

TEST_CASE("evaluator host: spellings of one name are equal") {
  World world;
  const Policy policy = PolicyOfUser(
      world, R"("network":{"allow":["good.example","xn--gd-fkaa.example"],"unlisted":"ask"})");
  static constexpr HostRow kRows[] = {
      {"GOOD.Example", 443, "permit by good.example"},
      {"good.example.", 443, "permit by good.example"},
      {"good%2Eexample", 443, "permit by good.example"},
      {"%67ood.example", 443, "permit by good.example"},
      {"good\xE3\x80\x82"
       "example",
       443, "permit by good.example"},  // ideographic full stop
      {"good\xEF\xBC\x8E"
       "example",
       443, "permit by good.example"},  // full width
      {"XN--GD-FKAA.example", 443, "permit by xn--gd-fkaa.example"},
      {"good.example.evil.example", 443, "ask"},
      {"xgood.example", 443, "ask"},
  };
  CheckHosts(policy, kRows);
}

TEST_CASE("evaluator host: a text that two programs can read differently is denied") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{"allow":["*"],"unlisted":"allow"})");
  for (const std::string_view host : {"",
                                      ".",
                                      "good..example",
                                      ".good.example",
                                      "good.example..",
                                      "good example",
                                      "good.example ",
                                      "good.example:80",
                                      "user@good.example",
                                      "good.example/x",
                                      "good.example\\x",
                                      "good.example%",
                                      "good.example%2",
                                      "%2567ood.example",
                                      "good.example%00",
                                      "good.example%0a",
                                      "0x7f.1",
                                      "127.1",
                                      "2130706433",
                                      "017700000001",
                                      "127.0.0.01",
                                      "256.1.1.1",
                                      "1.2.3.4.5",
                                      "[::1",
                                      "::1]",
                                      "[]",
                                      "[fe80::1%25eth0]",
                                      "[::1]x",
                                      "[1.2.3.4]",
                                      "g\xC3\xB6\xC3\xB6"
                                      "d.example",
                                      "*.good.example",
                                      "*",
                                      "\xEF\xBD\x87ood.example"}) {
    CAPTURE(host);
    CHECK(Said(EvaluateHost(host, 443, policy)) == "deny");
  }
  const std::string label(64, 'a');
  CHECK(Said(EvaluateHost(label + ".example", 443, policy)) == "deny");
  CHECK(Said(EvaluateHost(label.substr(1) + ".example", 443, policy)) == "permit by *");
  CHECK(Said(EvaluateHost(std::string_view("a.example\0b", 11), 443, policy)) == "deny");
}

TEST_CASE("evaluator host: an address is one host, whatever its spelling") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{
      "allow":["192.0.2.1:80","[2001:db8::1]","*.example"],"deny":["[::1]","127.0.0.1"]})");
  static constexpr HostRow kRows[] = {
      {"192.0.2.1", 80, "permit by 192.0.2.1:80"},
      {"192.0.2.1.", 80, "permit by 192.0.2.1:80"},
      {"192.0.2.1", 81, "deny"},
      {"192.0.2.2", 80, "deny"},
      {"[::ffff:192.0.2.1]", 80, "permit by 192.0.2.1:80"},
      {"::FFFF:c000:201", 80, "permit by 192.0.2.1:80"},
      {"\xEF\xBC\x91\xEF\xBC\x99\xEF\xBC\x92.0.2.1", 80, "permit by 192.0.2.1:80"},  // full width
      {"[2001:DB8:0::1]", 80, "permit by [2001:db8::1]"},
      {"2001:0db8:0000:0000:0000:0000:0000:0001", 80, "permit by [2001:db8::1]"},
      {"2001:db8::1%eth0", 80, "permit by [2001:db8::1]"},
      {"[2001:db8::2]", 1, "deny"},
      {"127.0.0.1", 1, "deny by 127.0.0.1"},
      {"::ffff:7f00:1", 1, "deny by 127.0.0.1"},
      {"[0:0:0:0:0:0:0:1]", 1, "deny by [::1]"},
      {"::0.0.0.1", 1, "deny by [::1]"},
  };
  CheckHosts(policy, kRows);
}

TEST_CASE("evaluator host: no port means 80 and 443, which several entries may permit") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{
      "allow":["both.example:443","both.example:80","one.example:80","x.example:22"],
      "deny":["one.example:443"]})");
  static constexpr HostRow kRows[] = {
      {"both.example", 0, "permit by both.example:443"},
      {"one.example", 0, "deny by one.example:443"},
      {"one.example", 80, "permit by one.example:80"},
      {"x.example", 0, "deny"},
  };
  CheckHosts(policy, kRows);
  Trace trace;
  CHECK(EvaluateHost("both.example", 0, policy, &trace).verdict == Verdict::kPermit);
  CHECK(trace.rules.size() == 2);
  World star;
  const Policy open = PolicyOfUser(star, R"("network":{"allow":["*","*:22"]})");
  trace = {};
  CHECK(EvaluateHost("any.example", 0, open, &trace).verdict == Verdict::kPermit);
  CHECK(trace.rules.size() == 1);  // once, although it permits both ports
  static constexpr HostRow kOpen[] = {
      {"any.example", 22, "permit by *:22"},
      {"any.example", 8080, "deny"},
  };
  CheckHosts(open, kOpen);
}

TEST_CASE("evaluator host: the reason for an unlisted port names the listed ones") {
  World world;
  const Policy policy =
      PolicyOfUser(world, R"("network":{"allow":["web.example","*.forge.example:8443",
      "many.example","many.example:443","many.example:22","many.example:9418"]})");
  const auto cause = [&](std::string_view host, uint16_t port) {
    const HostDecision decision = EvaluateHost(host, port, policy);
    REQUIRE(decision.cause);
    return *decision.cause;
  };
  CHECK(cause("web.example", 22).why ==
        R"(the host "web.example" is listed for ports 80 and 443 only)");
  CHECK(cause("web.example", 22).remedy == "Ask the user to run `ringfence allow web.example:22`.");
  CHECK(cause("web.example", 22).host == "web.example");
  CHECK(cause("a.forge.example", 443).why ==
        R"(the host "a.forge.example" is listed for port 8443 only)");
  CHECK(cause("a.forge.example", 443).remedy ==
        "Ask the user to run `ringfence allow a.forge.example`.");
  CHECK(cause("many.example", 1).why ==
        R"(the host "many.example" is listed for ports 22, 80, 443 and 9418 only)");
  CHECK(cause("other.example", 22).remedy ==
        "Ask the user to run `ringfence allow other.example:22`.");
  CHECK(cause("[2001:db8::1]", 22).remedy ==
        "Ask the user to run `ringfence allow '[2001:db8::1]:22'`.");
  CHECK(EvaluateHosts("*.forge.example:22", policy).cause->remedy ==
        "Ask the user to run `ringfence allow '*.forge.example:22'`.");
  CHECK(EvaluateHosts("*", policy).cause->remedy == "Ask the user to run `ringfence allow '*'`.");
}

TEST_CASE("evaluator host: an address needs an entry of its own") {
  World world;
  const Policy policy =
      PolicyOfUser(world, R"("network":{"allow":["*","192.0.2.1"],"unlisted":"allow"})");
  static constexpr HostRow kRows[] = {
      {"any.example", 443, "permit by *"},
      {"any.example", 1, "permit"},
      {"192.0.2.1", 443, "permit by 192.0.2.1"},
      {"192.0.2.1", 1, "deny"},
      {"192.0.2.2", 443, "deny"},
      {"[::1]", 443, "deny"},
  };
  CheckHosts(policy, kRows);
  CHECK(EvaluateHost("192.0.2.2", 443, policy).cause->why ==
        R"(the host "192.0.2.2" has no entry)");
  World asks;
  const Policy asking = PolicyOfUser(asks, R"("network":{"allow":["*"],"unlisted":"ask"})");
  static constexpr HostRow kAsked[] = {{"192.0.2.2", 443, "deny"}, {"a.example", 22, "ask"}};
  CheckHosts(asking, kAsked);
}

TEST_CASE("evaluator host: the ports that entries name") {
  World world;
  world.Managed(R"("network":{"allow":["*:9418"],"unlisted":"allow"})");
  const Policy policy = PolicyOfUser(world, R"("network":{
      "allow":["a.example","b.example:22","c.example:22","host.ringfence:5432","d.example:80"],
      "deny":["x.example:1"],"inspect":["y.example:2"]})");
  CHECK(PortsOfEntries(*policy.network) == std::vector<uint16_t>{22, 80, 5432, 9418});
  CHECK(PortsOfEntries({}).empty());
}

TEST_CASE("evaluator host: this machine and its neighbours are hosts like any other") {
  World world;
  const Policy listed =
      PolicyOfUser(world, R"("network":{"allow":["localhost:3000","[fe80::1]"]})");
  static constexpr HostRow kListed[] = {
      {"localhost", 3000, "permit by localhost:3000"},
      {"127.0.0.1", 3000, "deny"},  // a name is not its address
      {"localhost", 3001, "deny"},
      {"sub.localhost", 3000, "deny"},
      {"fe80::1%eth0", 80, "permit by [fe80::1]"},
      {"169.254.169.254", 80, "deny"},
  };
  CheckHosts(listed, kListed);
  World open;
  const Policy unlisted =
      PolicyOfUser(open, R"("network":{"deny":["169.254.169.254"],"unlisted":"allow"})");
  static constexpr HostRow kOpen[] = {
      {"localhost", 1, "permit"},
      {"169.254.169.254", 80, "deny by 169.254.169.254"},
      {"::ffff:169.254.169.254", 80, "deny by 169.254.169.254"},
  };
  CheckHosts(unlisted, kOpen);
}

TEST_CASE("evaluator host: every list must permit, and the last one that permits is reported") {
  World world;
  world.Managed(R"("network":{"allow":["*.corp.example"]})");
  const Policy policy =
      PolicyOfUser(world, R"("network":{"allow":["a.corp.example","b.example"]})");
  REQUIRE(policy.network->lists.size() == 2);
  CHECK(EvaluateHost("a.corp.example", 443, policy).verdict == Verdict::kPermit);
  const HostRule& last = policy.network->lists.back().allow.front();
  CHECK(EvaluateHost("a.corp.example", 443, policy).rule == &last);
  static constexpr HostRow kRows[] = {{"b.corp.example", 443, "deny"}, {"b.example", 443, "deny"}};
  CheckHosts(policy, kRows);
}

TEST_CASE("evaluator host: the cause names host, port and list, and the trace each entry") {
  World world;
  const Policy policy =
      PolicyOfUser(world, R"("network":{"allow":["good.example"],"deny":["evil.example"]})");
  const HostDecision unlisted = EvaluateHost("Other.example", 443, policy);
  CHECK(unlisted.cause->what == R"(connection to "Other.example:443")");
  CHECK(unlisted.cause->why == R"(the host "other.example" is not listed)");
  CHECK(unlisted.cause->place == policy.network->lists.front().place);
  CHECK(unlisted.cause->remedy.find("ringfence allow other.example") != std::string::npos);
  CHECK(EvaluateHost("fe80::1%eth0", 0, policy).cause->what == R"(connection to "[fe80::1]")");
  CHECK(EvaluateHost("", 80, policy).cause->what == R"(connection to ":80")");
  Trace trace;
  const HostDecision denied = EvaluateHost("evil.example", 1, policy, &trace);
  CHECK(denied.cause->why == R"(denied by "evil.example")");
  CHECK(denied.cause->place == denied.rule->place);
  CHECK_FALSE(EvaluateHost("good.example", 80, policy, &trace).cause);
  REQUIRE(trace.rules.size() == 2);
  CHECK(trace.rules[0].written == "evil.example");
  CHECK(trace.rules[1].written == "good.example");
}

TEST_CASE("evaluator host: a policy without hosts evaluates none") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("tools":{"deny":["mcp__x__y"]})");
  CHECK(Said(EvaluateHost("any.example", 1, policy)) == "permit");
  CHECK(Said(EvaluateHost("", 0, policy)) == "permit");
}

TEST_CASE("evaluator host: no command is suggested for an address that may give credentials") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{"allow":["a.example"]})");
  for (const char* host : {"169.254.169.254", "[fd00:ec2::254]", "fe80::1"}) {
    CAPTURE(host);
    const HostDecision decision = EvaluateHost(host, 80, policy);
    CHECK(decision.verdict == Verdict::kDeny);
    CHECK(decision.cause->why.ends_with(
        " has no entry; clouds give credentials there to whoever asks"));
    CHECK(decision.cause->remedy.empty());
  }
  CHECK_FALSE(EvaluateHost("10.0.0.1", 80, policy).cause->remedy.empty());
}

TEST_CASE("evaluator hosts: every host of an entry must be permitted, and none denied") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{
      "allow":["*.good.example","good.example:443"],"deny":["bad.good.example:25"]})");
  struct {
    std::string_view text, want;
  } static constexpr kRows[] = {
      {"a.good.example", "permit by *.good.example"},
      {"*.a.good.example", "permit by *.good.example"},
      {"*.good.example", "permit by *.good.example"},  // 80 and 443
      {"*.good.example:25", "deny by bad.good.example:25"},
      {"*.good.example:443", "permit by *.good.example"},
      {"bad.good.example", "permit by *.good.example"},
      {"good.example", "deny"},
      {"good.example:443", "permit by good.example:443"},
      {"*", "deny"},
      {"*:25", "deny by bad.good.example:25"},
      {"host.ringfence", "deny"},
      {"", "deny"},
      {"https://good.example", "deny"},
  };
  for (const auto& row : kRows) {
    CAPTURE(row.text);
    CHECK(Said(EvaluateHosts(row.text, policy)) == row.want);
  }
  CHECK(EvaluateHosts("X.example", policy).cause->what == R"(connection to "X.example")");
}
