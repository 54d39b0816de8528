// The sandbox flag, answers to permitted calls, and modes in which the client asks nothing.
#include <doctest/doctest.h>

#include "policy/decide.h"
#include "tests/support/world.h"

using namespace ringfence;

TEST_CASE("flag: counts on every tool, at any depth, in any spelling, with any value but false") {
  World world;
  world.User(R"("tools":{"allow":["*"]})");
  struct Flag {
    std::string_view input, want;
  };
  static constexpr Flag kFlags[] = {
      {R"({"command":"x","dangerouslyDisableSandbox":true})", "deny"},
      {R"({"command":"x","dangerouslyDisableSandbox":"false"})", "deny"},
      {R"({"command":"x","dangerouslyDisableSandbox":0})", "deny"},
      {R"({"command":"x","dangerouslyDisableSandbox":null})", "deny"},
      {R"({"command":"x","dangerouslyDisableSandbox":[]})", "deny"},
      {R"({"command":"x","dangerouslyDisableSandbox":{}})", "deny"},
      {R"({"command":"x","dangerously_disable_sandbox":true})", "deny"},
      {R"({"command":"x","DANGEROUSLY-DISABLE-SANDBOX":1})", "deny"},
      {R"({"command":"x","dangerously disable\tsandbox":1})", "deny"},
      {R"({"command":"x","dangerously\u00a0Disable\u2003Sandbox":1})", "deny"},
      {R"({"command":"x","dangerouslyDisableSandbox\u200b":1})", "deny"},
      {R"({"command":"x","\u0064angerouslyDisableSandbox":true})", "deny"},
      {R"({"options":{"a":[{"dangerouslyDisableSandbox":true}]}})", "deny"},
      {R"({"command":"x","dangerouslyDisableSandbox":false})", "permit"},
      {R"({"command":"x","dangerously_disable_sandbox":false})", "permit"},
      {R"({"command":"dangerouslyDisableSandbox:true"})", "permit"},
      {R"({"command":"x","dangerouslyDisableSandboxes":true})", "permit"},
      {R"({"command":"x","disableSandbox":true})", "permit"},
  };
  for (const Flag& flag : kFlags) {
    CAPTURE(flag.input);
    for (const std::string_view tool :
         {"Bash", "Monitor", "PowerShell", "mcp__x__y", "TaskCreate"}) {
      CAPTURE(tool);
      CHECK(world.Call(tool, flag.input) == flag.want);
    }
  }
}

TEST_CASE("flag: a very long key is recognized") {
  const World world;
  const std::string key = "dangerously" + std::string(5000, '_') + "DisableSandbox";
  CHECK(world.Call("Bash", R"({"command":"x",")" + key + R"(":true})") == "deny");
}

TEST_CASE("flag: a policy may ask instead") {
  World world;
  world.User(R"("bash":{"unsandboxed":"ask"})");
  CHECK(world.Call("Bash", R"({"command":"x","dangerouslyDisableSandbox":true})") == "ask");
  CHECK(world.Call("Bash", R"({"command":"x","dangerouslyDisableSandbox":false})") == "permit");
  CHECK(world.Call("Bash", R"({"x":{"dangerouslyDisableSandbox":true}})") != "permit");
}

TEST_CASE("flag: any value other than true is denied, not asked about") {
  World world;
  world.User(R"("bash":{"unsandboxed":"ask"})");
  struct Row {
    std::string_view name, input, want;
  };
  static constexpr Row kRows[] = {
      {"set", R"({"command":"x","dangerouslyDisableSandbox":true})", "ask"},
      {"not set", R"({"command":"x","dangerouslyDisableSandbox":false})", "permit"},
      {"text", R"({"command":"x","dangerouslyDisableSandbox":"true"})", "deny"},
      {"number", R"({"command":"x","dangerouslyDisableSandbox":1})", "deny"},
      {"null", R"({"command":"x","dangerouslyDisableSandbox":null})", "deny"},
      {"deeper", R"({"command":"x","o":{"dangerouslyDisableSandbox":true}})", "deny"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(world.Call("Bash", row.input) == row.want);
  }
}

TEST_CASE("permitted: \"allow\" is said only for tools that start no code") {
  World world;
  world.User(R"("permitted":"allow","tools":{"allow":["*"]})");
  CHECK(world.Decide("Read", PathInput("README.md")).say_allow);
  CHECK(world.Decide("Write", PathInput("README.md")).say_allow);
  CHECK(world.Decide("TaskCreate", R"({"subject":"x"})").say_allow);
  for (const std::string_view tool : {"Bash", "PowerShell", "Monitor", "Workflow", "Skill", "Agent",
                                      "Task", "mcp__team__x", "SomethingNew"}) {
    CAPTURE(tool);
    const Decision decision = world.Decide(tool, R"({"command":"x"})");
    CHECK(decision.verdict == Verdict::kPermit);
    CHECK_FALSE(decision.say_allow);
  }
}

TEST_CASE("permitted: \"allow\" is never said for a call that is asked about or denied") {
  World world;
  world.User(R"("permitted":"allow","read":{"ask":["src"]})");
  CHECK_FALSE(world.Decide("Read", PathInput("src/x")).say_allow);
  CHECK_FALSE(world.Decide("Read", PathInput("/etc/passwd")).say_allow);
  World silent;
  CHECK_FALSE(silent.Decide("Read", PathInput("README.md")).say_allow);
}

TEST_CASE("bypass mode: a question about a write is a denial, since the client does not ask") {
  World world;
  world.User(R"("read":{"ask":["src"]},"tools":{"ask":["WebFetch"]})");
  for (const std::string_view mode : {"default", "manual", "acceptEdits", "plan", "dontAsk"}) {
    CAPTURE(mode);
    world.mode = std::string(mode);
    CHECK(world.Write(".git/hooks/x") == "ask");
    CHECK(world.Read("src/x") == "ask");
  }
  world.mode = "bypassPermissions";
  CHECK(world.Write(".git/hooks/x") == "deny");
  CHECK(world.Write(".envrc") == "deny");
  CHECK(world.Write("README.md") == "permit");
  CHECK(world.Read("src/x") == "ask");
  CHECK(world.Call("WebFetch", R"({"url":"https://a.example"})") == "ask");
  CHECK(world.WhyNotWrite(".envrc").find("ask the user to make this edit") != std::string::npos);
}

TEST_CASE("auto mode: every question is a denial that says how to enable the question") {
  World world;
  world.User(R"("read":{"ask":["src"]},"tools":{"ask":["WebFetch","Bash"]})");
  world.mode = "auto";
  CHECK(world.Write(".git/hooks/x") == "deny");
  CHECK(world.Read("src/x") == "deny");
  CHECK(world.Call("WebFetch", R"({"url":"https://a.example"})") == "deny");
  CHECK(world.Call("Bash", R"({"command":"x"})") == "deny");
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.WhyNotWrite(".envrc").find("Shift+Tab") != std::string::npos);
}

TEST_CASE("other shells: a rule about Bash covers them") {
  World world;
  world.User(R"("tools":{"deny":["Bash"]})");
  for (const std::string_view tool : {"Bash", "Monitor", "PowerShell"}) {
    CAPTURE(tool);
    CHECK(world.Call(tool, R"({"command":"x"})") == "deny");
  }
  CHECK(world.Call("REPL", R"({"code":"1"})") ==
        "permit");  // each of its calls is decided separately
  World pattern;
  pattern.User(R"("tools":{"deny":["ba*"]})");
  CHECK(pattern.Call("Monitor", R"({"command":"x"})") == "deny");
  World asks;
  asks.User(R"("tools":{"ask":["Bash"]})");
  CHECK(asks.Call("Monitor", R"({"command":"x"})") == "ask");
  CHECK(asks.Call("PowerShell", R"({"command":"x"})") == "ask");
  World other;
  other.User(R"("tools":{"deny":["Monitor"]})");
  CHECK(other.Call("Bash", R"({"command":"x"})") == "permit");
  CHECK(other.Call("Monitor", R"({"command":"x"})") == "deny");
}

TEST_CASE("tools by another name: a rule for either name counts") {
  World world;
  world.User(R"("tools":{"deny":["Eval","KillBash"]})");
  CHECK(world.Call("REPL", R"({"code":"1"})") == "deny");
  CHECK(world.Call("Eval", R"({"code":"1"})") == "deny");
  CHECK(world.Call("TaskStop", R"({"task_id":"1"})") == "deny");
  CHECK(world.Call("KillShell", R"({"shell_id":"1"})") == "deny");
}

TEST_CASE("structured output: it is data under any key") {
  World world;
  CHECK(world.Call("StructuredOutput",
                   R"({"file":"/etc/passwd","path":"~/.ssh/id","url":"x","a":{"files":["/x"]}})") ==
        "permit");
  CHECK(world.Call("SomethingNew", R"({"file":"/etc/passwd"})") == "deny");
}

TEST_CASE("another computer: a call that runs there is not covered") {
  World world;
  CHECK(world.Call("Bash", R"({"command":"x","_host":"my-laptop"})") == "deny");
  CHECK(world.Call("Read", R"({"file_path":"README.md","_host":"this-machine"})") == "deny");
  CHECK(world.Call("Read", R"({"file_path":"README.md","_host":"container"})") == "permit");
  CHECK(world.Call("Read", R"({"file_path":"README.md","_host":5})") == "deny");
}
