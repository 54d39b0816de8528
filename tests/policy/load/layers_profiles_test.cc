// Profiles: chosen by registration, by the directory or by an event's claims about itself.
#include <doctest/doctest.h>

#include "policy/load/layers.h"
#include "tests/support/world.h"

using namespace ringfence;

TEST_CASE("layers: a profile is merged key by key over the policy around it") {
  World world;
  world.User(R"("read":{"allow":["src"],"deny":["a"],"ask":["src/q"]},"write":{"allow":["src"]},
                "permitted":"allow",
                "profiles":{"wide":{"read":{"allow":["."],"deny":["b"]}},
                            "other":{"write":{"deny":["src"]}}})");
  CHECK(world.Read("README.md") == "deny");
  world.profile = "wide";
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.Read("a/x") == "deny");
  CHECK(world.Read("b/x") == "deny");
  CHECK(world.Read("src/q") == "ask");
  CHECK(world.Write("src/x") == "permit");
  CHECK(world.Write("x") == "deny");
  CHECK(world.Decide("Read", PathInput("README.md")).say_allow);
  world.profile = "other";
  CHECK(world.Read("README.md") == "deny");
  CHECK(world.Write("src/x") == "deny");
}

TEST_CASE("layers: a registered profile that no file has is an error") {
  World world;
  world.User(R"("profiles":{"main":{}})");
  world.profile = "mian";
  const Event event = world.EventOf("Bash", "{}");
  const Result<Policy> policy = MergePolicies(world.sources, "mian", world.places, CallerOf(event));
  REQUIRE_FALSE(policy.has_value());
  CHECK(policy.error().kind == Error::Kind::kUsage);
  CHECK(policy.error().where == "--profile");
  CHECK(policy.error().what.find("\"mian\"") != std::string::npos);
  CHECK_FALSE(policy.error().hint.empty());
}

TEST_CASE("layers: a profile that only an untrusted file has is ignored") {
  World world;
  world.Project(R"("profiles":{"p":{"read":{"allow":["/"]}}})", false);
  const Event event = world.EventOf("Bash", "{}");
  const Result<Policy> policy = MergePolicies(world.sources, "p", world.places, CallerOf(event));
  REQUIRE_FALSE(policy.has_value());
  CHECK(policy.error().what.starts_with("only a policy that is not trusted has a profile \"p\""));
  CHECK(policy.error().hint.ends_with("ringfence trust"));
}

TEST_CASE("layers: a profile without a condition is chosen by registration only") {
  World world;
  world.User(R"("profiles":{"tight":{"read":{"deny":["."]}}})");
  CHECK(world.Read("README.md") == "permit");
  world.profile = "tight";
  CHECK(world.Read("README.md") == "deny");
}

TEST_CASE("layers: a profile for a directory of the project may widen") {
  World world;
  world.User(R"("profiles":{"work":{"when":{"root":"~/jobs/*"},"read":{"allow":["/"]}},
                            "dev":{"when":{"root":"~/project"},"read":{"allow":[".","/srv"]}},
                            "late":{"when":{"root":"~"},"read":{"allow":["src"]}}})");
  CHECK(world.Read("/srv/x") == "permit");
  CHECK(world.Read("README.md") == "permit");
  world.MoveRoot("/home/dev/jobs/a", "/home/dev/jobs/a");
  CHECK(world.Read("/etc/passwd") == "permit");
  world.MoveRoot("/home/dev/else", "/home/dev/else");
  CHECK(world.Read("/home/dev/else/README.md") == "deny");
  CHECK(world.Read("/home/dev/else/src/x") == "permit");
  world.MoveRoot("/srv/a", "/srv/a");
  CHECK(world.Read("/srv/a/x") == "permit");
  CHECK(world.Read("/etc/passwd") == "deny");
}

TEST_CASE("layers: with a registered profile no other is chosen by the directory") {
  World world;
  world.User(R"("profiles":{"dev":{"when":{"root":"~"},"read":{"allow":["/"]}},"tight":{}})");
  CHECK(world.Read("/srv/x") == "permit");
  world.profile = "tight";
  CHECK(world.Read("/srv/x") == "deny");
}

TEST_CASE("layers: an event's claims about itself only tighten") {
  World world;
  world.User(R"("read":{"allow":[".","/srv/u"]},"write":{"allow":["src"]},"permitted":"client",
                "profiles":{
                  "worker":{"when":{"subagent":true},"read":{"allow":["src","/srv/w"]},
                            "write":{"allow":["/"]},"permitted":"allow",
                            "bash":{"unsandboxed":"ask"},"tools":{"allow":["*"]}},
                  "plan":{"when":{"permission_mode":"plan"},"write":{"deny":["."]}}})");
  CHECK(world.Read("README.md") == "permit");
  world.agent_type = "Explore";
  CHECK(world.Read("README.md") == "deny");
  CHECK(world.Read("src/x") == "permit");
  CHECK(world.Read("/srv/w/x") == "deny");
  CHECK(world.Read("/srv/u/x") == "deny");
  CHECK(world.Write("src/x") == "permit");
  CHECK(world.Write("x") == "deny");
  CHECK(world.Call("mcp__a__b", "{}") == "deny");
  CHECK(world.Call("Bash", R"({"dangerouslyDisableSandbox":true})") == "deny");
  CHECK_FALSE(world.Decide("Read", PathInput("src/x")).say_allow);
  world.agent_type.clear();
  world.mode = "plan";
  CHECK(world.Write("src/x") == "deny");
  CHECK(world.Read("README.md") == "permit");
}

TEST_CASE("layers: an event's profile tightens a registered one, too") {
  World world;
  world.User(R"("profiles":{"wide":{"read":{"allow":["/"]},"permitted":"allow"},
                            "worker":{"when":{"agent_type":"Exp*"},"read":{"allow":["src"]},
                                      "permitted":"client"}})");
  world.profile = "wide";
  CHECK(world.Read("/srv/x") == "permit");
  world.agent_type = "Explore";
  CHECK(world.Read("/srv/x") == "deny");
  CHECK(world.Read("src/x") == "permit");
  CHECK_FALSE(world.Decide("Read", PathInput("src/x")).say_allow);
  world.agent_type = "general";
  CHECK(world.Read("/srv/x") == "permit");
}

TEST_CASE("layers: if several profiles match an event, the first in the file counts") {
  World world;
  world.User(R"("profiles":{"one":{"when":{"agent_type":"a*"},"read":{"deny":["x"]}},
                            "two":{"when":{"agent_type":"ab"},"read":{"deny":["y"]}}})");
  world.agent_type = "ab";
  CHECK(world.Read("x") == "deny");
  CHECK(world.Read("y") == "permit");
  world.agent_type = "b";
  CHECK(world.Read("x") == "permit");
}

TEST_CASE("layers: every condition of a profile must hold") {
  World world;
  world.User(R"("profiles":{"p":{"when":{"agent_type":"a","permission_mode":"plan","root":"~"},
                                 "read":{"deny":["x"]}}})");
  world.agent_type = "a";
  CHECK(world.Read("x") == "permit");
  world.mode = "plan";
  CHECK(world.Read("x") == "deny");
  world.MoveRoot("/srv/a", "/srv/a");
  world.cwd = "/srv/a";
  CHECK(world.Read("x") == "permit");
}

TEST_CASE("layers: being a subagent gives no rights") {
  World only_main;
  only_main.User(R"("profiles":{"main":{"when":{"subagent":false},"write":{"deny":["src"]}}})");
  CHECK(only_main.Write("src/x") == "deny");
  only_main.agent_type = "Explore";
  CHECK(only_main.Write("src/x") == "deny");

  World first_counts;
  first_counts.User(R"("profiles":{"worker":{"when":{"subagent":true},"read":{"deny":["x"]}},
                                   "plan":{"when":{"permission_mode":"plan"},"write":{"deny":["."]}}})");
  first_counts.mode = "plan";
  CHECK(first_counts.Write("src/x") == "deny");
  first_counts.agent_type = "Explore";
  CHECK(first_counts.Write("src/x") == "deny");
}

TEST_CASE("layers: any layer can enable wrapping, and none can disable it again") {
  const auto wraps = [](World& world) {
    return world.Merged(world.EventOf("Bash", "{}")).wrap_bash;
  };
  World world;
  CHECK_FALSE(wraps(world));
  world.User(R"("bash":{"wrap":true},
                "profiles":{"p":{"bash":{"wrap":false}},
                            "helper":{"when":{"subagent":true},"bash":{"wrap":false}}})");
  CHECK(wraps(world));
  world.profile = "p";
  CHECK(wraps(world));
  world.agent_type = "Explore";
  CHECK(wraps(world));
  World managed;
  managed.Managed(R"("bash":{"wrap":true},"profiles":{"p":{"bash":{"wrap":false}}})");
  managed.User(R"("bash":{"wrap":false},"profiles":{"p":{}})");
  managed.profile = "p";
  CHECK(wraps(managed));
  World helper;
  helper.User(R"("profiles":{"helper":{"when":{"subagent":true},"bash":{"wrap":true}}})");
  CHECK_FALSE(wraps(helper));
  helper.agent_type = "Explore";
  CHECK(wraps(helper));
}

TEST_CASE("layers: a managed profile replaces the file's limits, key by key") {
  World world;
  world.Managed(R"("sandbox":{"mode":"rx","processes":10},"bash":{"wrap":false},
                   "network":{"allow":["a.example"],"inspect":["a.example"]},
                   "profiles":{"p":{"sandbox":{"mode":"rwx"},"bash":{"wrap":false},
                                    "network":{"allow":["b.example"]}}})");
  world.User(R"("sandbox":{"mode":"rwx"},"network":{"allow":["a.example","b.example"]})");
  const auto url = [](const std::string& host) {
    return R"({"url":"https://)" + host + R"(/","prompt":"x"})";
  };
  Policy policy = world.Merged(world.EventOf("Bash", "{}"));
  CHECK(policy.sandbox.mode == SandboxMode::kRx);
  CHECK(world.Call("WebFetch", url("a.example")) == "permit");
  CHECK(world.Call("WebFetch", url("b.example")) == "deny");
  world.profile = "p";
  policy = world.Merged(world.EventOf("Bash", "{}"));
  CHECK(policy.sandbox.mode == SandboxMode::kRwx);
  CHECK(policy.sandbox.processes == 10);
  CHECK(world.Call("WebFetch", url("b.example")) == "permit");
  CHECK(world.Call("WebFetch", url("a.example")) == "deny");
}

namespace {

AlertRules AlertsOf(const World& world) {
  return world.Merged(world.EventOf("Bash", R"({"command":"x"})")).alerts;
}

}  // namespace

TEST_CASE("layers: a registered profile moves alerts key by key, and turns them off") {
  World world;
  world.User(R"("alerts":{"inbox":"/srv/main","fields":{"chat":"main","to":"x"}},
                "profiles":{"a":{"alerts":{"inbox":"/srv/a","fields":{"chat":"a"}}},
                            "named":{"alerts":{"fields":{"more":"m"}}},
                            "quiet":{"alerts":{"enabled":false}}})");
  CHECK(AlertsOf(world).inbox == "/srv/main");
  world.profile = "a";
  CHECK(AlertsOf(world) == AlertRules{"/srv/a", {{"chat", "a"}, {"to", "x"}}});
  world.profile = "named";
  CHECK(AlertsOf(world) == AlertRules{"/srv/main", {{"chat", "main"}, {"to", "x"}, {"more", "m"}}});
  world.profile = "quiet";
  CHECK(AlertsOf(world) == AlertRules{});
}

TEST_CASE("layers: a profile that an event selects neither moves alerts nor turns them off") {
  World world;
  world.agent_type = "worker";
  world.User(R"("alerts":{"inbox":"/srv/main"},
                "profiles":{"w":{"when":{"subagent":true},
                                 "alerts":{"enabled":false,"inbox":"/srv/w"}}})");
  CHECK(AlertsOf(world).inbox == "/srv/main");
}

TEST_CASE("layers: the managed file's inbox is mandatory, unless that file turns alerts off") {
  World world;
  world.Managed(R"("alerts":{"inbox":"/srv/ops","fields":{"to":"ops"}},
                   "profiles":{"off":{"alerts":{"enabled":false}}})");
  world.User(R"("alerts":{"inbox":"/srv/u","enabled":false,"fields":{"to":"u","by":"u"}},
                "profiles":{"off":{}, "none":{"alerts":{"enabled":false}}})");
  const AlertRules demanded{"/srv/ops", {{"to", "ops"}, {"by", "u"}}};
  CHECK(AlertsOf(world) == demanded);
  world.profile = "none";
  CHECK(AlertsOf(world) == demanded);
  world.profile = "off";
  CHECK(AlertsOf(world) == AlertRules{});
}
