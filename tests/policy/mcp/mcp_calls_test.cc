// fixtures/mcp: the arguments of MCP tools that are paths and hosts, decided with files in memory.
// tests/system/hook/test_mcp.py sends the same fixtures to the built hook.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/corpora.h"
#include "tests/support/project_root.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string Fixture(std::string_view name) {
  return ReadWholeFile((ProjectRoot() / "fixtures/mcp" / name).string());
}

std::string Expanded(std::string text) {
  for (const auto& [name, place] :
       {std::pair{"$PROJECT", "/home/dev/project"}, std::pair{"$OUTSIDE", "/home/dev/outside"}}) {
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.replace(at, std::string_view(name).size(), place);
    }
  }
  return text;
}

// Expands long strings, written as {"repeat": TEXT, "times": N}.
Json Expanded(const Json& value) {
  if (value.is_string()) return Expanded(value.get<std::string>());
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& item : value) list.push_back(Expanded(item));
    return list;
  }
  if (!value.is_object()) return value;
  if (value.contains("repeat") && value.contains("times")) {
    std::string text = value.value("first", "");
    for (int i = 0; i < value["times"].get<int>(); ++i) text += value["repeat"].get<std::string>();
    return text + value.value("then", "");
  }
  Json object = Json::object();
  for (const auto& item : value.items()) object[Expanded(item.key())] = Expanded(item.value());
  return object;
}

std::unique_ptr<World> MakeWorld(const Json& policy) {
  auto world = std::make_unique<World>();
  for (const char* file : {"/home/dev/project/src/a.txt", "/home/dev/project/.env",
                           "/home/dev/outside/secret.txt", "/home/dev/project/decided/0001.md",
                           "/home/dev/.ssh/id_rsa", "/usr/lib/libc.so", "/root/.bashrc"}) {
    world->files.Put(file, File());
  }
  world->files.Put("/home/dev/project/link", LinkTo("/home/dev/outside"));
  world->files.Put("/home/dev/project/inner", LinkTo("src"));
  world->files.Put("/home/dev/project/docs", Directory());
  world->files.Put("/home/dev/outside/a folder of words", Directory());
  world->files.Put("/home/dev/project/a b c d", LinkTo("/home/dev/outside/a folder of words"));
  for (const char* name : {"odd\xE2\x80\x8B", "odd\n", " odd"}) {
    world->files.Put("/home/dev/project/" + std::string(name), LinkTo("/home/dev"));
  }
  world->files.Put("/home/dev/project/~/.claude/plans", LinkTo("/home/dev/.ssh"));
  world->files.Put("/home/dev/project/$HOME", LinkTo("~"));
  world->files.Put("/home/dev/project/~x", LinkTo("../outside"));
  for (const char* file : {"/etc/hosts", "/etc/fstab"}) world->files.Put(file, File());
  world->files.Put("/home/dev/project/docs/adr", LinkTo("../decided"));
  world->AddFile(Layer::kUser, policy.dump());
  return world;
}

}  // namespace

TEST_CASE("fixtures: every call of an MCP tool is decided as its row says") {
  std::map<std::string, std::unique_ptr<World>> worlds;
  const Json policies = Json::parse(Fixture("policies.json"));
  for (const auto& policy : policies.items()) {
    worlds[policy.key()] = MakeWorld(policy.value());
  }
  std::istringstream lines(Fixture("calls.jsonl"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const Json row = Json::parse(line);
    CAPTURE(line);
    World& world = *worlds.at(row.value("policy", "usual"));
    world.cwd = Expanded(row.value("cwd", "$PROJECT"));
    const std::string tool = row["tool"];
    CHECK(world.Call(tool, Expanded(row["input"]).dump()) == row["want"].get<std::string>());
  }
  CHECK(count >= 600);
}

TEST_CASE("mcp: an event that names the tool after its input is decided like any other") {
  const auto world = MakeWorld(Json::parse(Fixture("policies.json"))["usual"]);
  const auto decide = [&](const std::string& members) {
    const Event event =
        world->EventOf(R"({"hook_event_name":"PreToolUse","cwd":"/home/dev/project",)" + members);
    return std::string(VerdictName(world->Decide(event, world->files).verdict));
  };
  CHECK(decide(R"("tool_input":{"q":"/etc/passwd"},"tool_name":"mcp__team__do"})") == "deny");
  CHECK(decide(R"("tool_input":{"q":"link/x"},"tool_name":"mcp__team__do"})") == "deny");
  CHECK(decide(R"("tool_input":{"q":"hello"},"tool_name":"mcp__team__do"})") == "permit");
  const World plain;
  const Event shell = plain.EventOf(R"({"hook_event_name":"PreToolUse","cwd":"/home/dev/project",)"
                                    R"("tool_input":{"q":"/etc/passwd"},"tool_name":"Bash"})");
  CHECK(shell.input.empty());
  CHECK(plain.Decide(shell, plain.files).verdict == Verdict::kPermit);
}

TEST_CASE("mcp: half a character is denied in arguments that may be paths") {
  const auto world = MakeWorld(Json::parse(Fixture("policies.json"))["usual"]);
  CHECK(world->Call("mcp__team__do", R"({"path":"src\ud800/x"})") == "deny");
  CHECK(world->Call("mcp__team__do", R"({"q":"/etc/\ud800"})") == "deny");
  CHECK(world->Call("mcp__team__do", R"({"q":"\ud800 /etc"})") == "permit");
}

TEST_CASE("mcp: the home of another user") {
  const auto world = MakeWorld(Json::parse(Fixture("policies.json"))["usual"]);
  CHECK(world->Call("mcp__team__do", R"({"q":"~dev/.ssh/id_rsa"})") == "deny");
  CHECK(world->Call("mcp__team__do", R"({"q":"~other/x"})") == "permit");
  world->files.Put("/home/other", Directory());
  CHECK(world->Call("mcp__team__do", R"({"q":"~other/x"})") == "deny");
  // A home that cannot be checked may exist.
  world->files.Put("/home", UnreadableDirectory());
  CHECK(world->Call("mcp__team__do", R"({"q":"~third/x"})") == "deny");
  world->files.Put("/home", Directory());
  world->NoHome();
  CHECK(world->Call("mcp__team__do", R"({"q":"~other/x"})") == "deny");
}

TEST_CASE("mcp: a home is not mistaken for a name that does not exist") {
  World world;
  world.User(R"("tools":{"allow":["mcp__*"]},"read":{"allow":["src","~/notes"]},)"
             R"("write":{"allow":["src","~/notes"]},"mcp":{"mcp__mapped__*":{"write":["/path"]}})");
  for (const char* tool : {"mcp__team__do", "mcp__mapped__do"}) {
    CAPTURE(tool);
    CHECK(world.Call(tool, R"({"path":"~/notes/x"})") == "permit");
    CHECK(world.Call(tool, R"({"path":"~/other/x"})") == "deny");
  }
  world.files.Put("/home/dev/project/~", LinkTo("../outside"));
  CHECK(world.Call("mcp__team__do", R"({"path":"~/notes/x"})") == "deny");
  CHECK(world.Call("mcp__mapped__do", R"({"path":"~/notes/x"})") == "deny");
}

TEST_CASE("mcp: a URL is also a path if a directory has the name of its scheme") {
  const auto world = MakeWorld(Json::parse(Fixture("policies.json"))["usual"]);
  constexpr std::string_view kUrl = R"({"path":"https://good.example/x"})";
  CHECK(world->Call("mcp__mapped__do", kUrl) == "permit");
  CHECK(world->Call("mcp__team__do", kUrl) == "permit");
  world->files.Put("/home/dev/project/https:", LinkTo("/home/dev/outside"));
  CHECK(world->Call("mcp__mapped__do", kUrl) == "deny");
  CHECK(world->Call("mcp__team__do", kUrl) == "deny");
}

TEST_CASE("mcp: the fix that a reason suggests permits the call") {
  const Json policies = Json::parse(Fixture("policies.json"));
  const auto world = MakeWorld(policies["usual"]);
  const std::string_view input = R"({"q":"/etc/passwd"})";
  const std::string reason = ReasonText(world->Decide("mcp__team__do", input), "");
  CAPTURE(reason);
  CHECK(reason.find("Ask the user to run `ringfence allow /etc/passwd`.") != std::string::npos);
  CHECK(reason.find(R"("mcp": {"mcp__team__do": {}})") != std::string::npos);
  Json with_entry = policies["usual"];
  with_entry["mcp"]["mcp__team__do"] = Json::object();
  CHECK(MakeWorld(with_entry)->Call("mcp__team__do", input) == "permit");
  Json allowed = policies["usual"];
  allowed["read"]["allow"].push_back("/etc/passwd");
  allowed["write"]["allow"].push_back("/etc/passwd");
  CHECK(MakeWorld(allowed)->Call("mcp__team__do", input) == "permit");
  // The argument's name makes the value a host.
  const auto net = MakeWorld(policies["network"]);
  const std::string host =
      ReasonText(net->Decide("mcp__team__do", R"({"site":"evil.example"})"), "");
  CAPTURE(host);
  CHECK(host.find("`ringfence allow evil.example`") != std::string::npos);
  CHECK(host.find(R"(Not a host? The user can add "mcp": {"mcp__team__do": {}})") != host.npos);
  Json free = policies["network"];
  free["mcp"]["mcp__team__do"] = Json::object();
  CHECK(MakeWorld(free)->Call("mcp__team__do", R"({"site":"evil.example"})") == "permit");
  Json listed = policies["network"];
  listed["network"]["allow"].push_back("evil.example");
  CHECK(MakeWorld(listed)->Call("mcp__team__do", R"({"site":"evil.example"})") == "permit");
  // A URL is evaluated even if the entry does not list the argument.
  CHECK(MakeWorld(free)->Call("mcp__team__do", R"({"site":"https://evil.example"})") == "deny");
  const std::string url =
      ReasonText(net->Decide("mcp__team__do", R"({"site":"https://evil.example"})"), "");
  CHECK(url.find("`ringfence allow evil.example`") != url.npos);
  CHECK(url.find("Not a host?") == url.npos);
  // Secrets are not suggested.
  const std::string secret =
      ReasonText(world->Decide("mcp__team__do", R"({"q":"~/.ssh/id_rsa"})"), "");
  CHECK(secret.find("allow") == secret.npos);
}
