#include "hook/session_text.h"

#include <doctest/doctest.h>

#include "tests/support/settings_tree.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

// The text for the model under the world's policies.
std::string Text(World& world, SandboxMode mode = SandboxMode::kSandbox) {
  const Policy policy = world.Merged(world.EventOf("Bash", "{}"));
  Context context{world.places, std::move(world.sources)};
  return BoundaryText(policy, context, mode, SandboxOfPrograms(policy, mode, InAgents::kNo));
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("session: the model learns its limits at the start") {
  World world;
  world.User(R"("read":{"allow":[".","/srv/lib"],"deny":["docs/private"]},
                "write":{"allow":["src"],"ask":["src/api"]},
                "tools":{"allow":["@session-tools","Read","mcp__team__*"],"deny":["WebSearch"]},
                "network":{"allow":["good.example"]},"bash":{"unsandboxed":"ask"},
                "denied":{"say":"Ask in the team's room."})");
  const std::string text = Text(world);
  for (const std::string_view part :
       {"/home/dev/project", "/srv/lib", "docs/private", "src/api", "WebSearch", "mcp__team__*",
        "good.example", "dangerouslyDisableSandbox", "Ask in the team's room."}) {
    CAPTURE(part);
    CHECK(Has(text, part));
  }
}

TEST_CASE("session: which MCP tools the model may call") {
  struct McpRow {
    const char* policy;
    std::vector<std::string_view> has;
    std::vector<std::string_view> lacks;
  };
  const McpRow rows[] = {
      {R"("tools":{"allow":["Read"]})", {"MCP tools are refused"}, {"MCP tools you may call"}},
      {R"("tools":{"allow":["*"]})", {R"(MCP tools you may call: "*")"}, {"are refused"}},
      {R"("tools":{"allow":["m*"]})", {R"(MCP tools you may call: "m*")"}, {"are refused"}},
      {R"("tools":{"allow":["R*"]})", {"MCP tools are refused"}, {"MCP tools you may call"}},
      {R"("tools":{"allow":["mc"]})", {"MCP tools are refused"}, {"MCP tools you may call"}},
      {R"("tools":{"ask":["mcp__x__*"]})",
       {R"(The user must approve each call of: "mcp__x__*")"},
       {"are refused", "you may call"}},
  };
  for (const McpRow& row : rows) {
    CAPTURE(row.policy);
    World world;
    world.User(row.policy);
    const std::string text = Text(world);
    CAPTURE(text);
    for (const std::string_view part : row.has) CHECK(Has(text, part));
    for (const std::string_view part : row.lacks) CHECK_FALSE(Has(text, part));
  }
}

TEST_CASE("session: denied hosts are named, also if all others are allowed") {
  World world;
  world.User(R"("network":{"unlisted":"allow","deny":["b.example"]})");
  CHECK(Has(Text(world), R"(Do not reach these hosts: "b.example")"));
}

TEST_CASE("session: the text of an untrusted policy does not reach the model") {
  World world;
  world.Project(R"("read":{"allow":["obey_a"],"deny":["obey_b"],"ask":["obey_c"]},
                   "write":{"allow":["obey_d"]},
                   "tools":{"allow":["Obey_e"],"deny":["Obey_f"],"ask":["mcp__obey__g"]},
                   "network":{"allow":["obey-h.example"],"deny":["obey-i.example"]},
                   "denied":{"say":"obey_j"})",
                false);
  const std::string text = Text(world);
  CHECK_FALSE(Has(text, "bey_"));
  CHECK_FALSE(Has(text, "obey"));
  // The text still says that this policy narrows the lists.
  for (const std::string_view line :
       {"You may read, of these, only: what the project's own policy lists.",
        "You may write, of these, only: what the project's own policy lists.",
        "Of all tools, you may call only what the project's own policy lists.",
        "Hosts you may reach: what the project's own policy lists."}) {
    CAPTURE(line);
    CHECK(Has(text, line));
  }
  World both;
  both.Managed(R"("network":{"allow":["a.example"]},"tools":{"allow":["Read"]})");
  both.User(R"("network":{"allow":["b.example"]},"tools":{"allow":["Read","Write"]})");
  const std::string of_both = Text(both);
  CHECK(Has(of_both, "Hosts you may reach: "));
  CHECK(Has(of_both, "Of these hosts, only: "));
  CHECK_FALSE(Has(of_both, "Of all tools"));
}

TEST_CASE("session: control characters in a policy's own text are escaped") {
  World world;
  world.User(R"("denied":{"say":"a\u001b[2J\nb"},"read":{"deny":["x\ny"]})");
  const std::string text = Text(world);
  CHECK_FALSE(Has(text, "\x1B"));
  CHECK_FALSE(Has(text, "x\ny"));
  CHECK_FALSE(Has(text, "[2J\nb"));
}

TEST_CASE("session: a set that several files name is listed once") {
  World world;
  world.Managed(R"("read":{"deny":["@agent-state","docs/a"]})");
  world.User(R"("read":{"deny":["@agent-state","docs/b"]})");
  const std::string text = Text(world);
  const size_t begin = text.find("Do not read: ");
  REQUIRE(begin != std::string::npos);
  const std::string line = text.substr(begin, text.find('\n', begin) - begin);
  CHECK(Has(line, "@agent-state"));
  CHECK(line.find("@agent-state") == line.rfind("@agent-state"));
  CHECK(Has(line, "docs/a"));
  CHECK(Has(line, "docs/b"));
}

TEST_CASE("session: the text names the mode of a run") {
  World rx, sandbox, rwx;
  const std::string texts[] = {Text(rx, SandboxMode::kRx), Text(sandbox, SandboxMode::kSandbox),
                               Text(rwx, SandboxMode::kRwx)};
  CHECK(texts[0] != texts[1]);
  CHECK(texts[1] != texts[2]);
  CHECK(Has(texts[0], "do not change the project"));
}

TEST_CASE(
    "session: wrapped commands are described as confined, except in a mode without a sandbox") {
  constexpr std::string_view kWrapped = "ringfence's sandbox, which has a /tmp of its own";
  World wrapped, bare;
  for (World* world : {&wrapped, &bare}) world->User(R"("bash":{"wrap":true})");
  CHECK(Has(Text(wrapped), kWrapped));
  CHECK_FALSE(Has(Text(bare, SandboxMode::kRwx), kWrapped));
}

TEST_CASE("session: with Landlock alone, commands share /tmp and need the proxy's variables") {
  World full, landlock;
  full.User(R"("bash":{"wrap":true},"network":{"allow":["good.example"]})");
  landlock.User(R"("bash":{"wrap":true},"network":{"allow":["good.example"]},
                   "sandbox":{"layers":"landlock"})");
  CHECK_FALSE(Has(Text(full), "HTTPS_PROXY"));
  const std::string text = Text(landlock);
  CHECK(Has(text, "Only programs that use HTTPS_PROXY reach anything"));
  CHECK(Has(text, "confined by ringfence's sandbox.\n"));
}

TEST_CASE("session: a set is explained once, at its first mention") {
  World world;
  world.User(R"("read":{"allow":[".","@tmp"]},"write":{"allow":[".","@tmp"]})");
  const std::string text = Text(world);
  const size_t first = text.find("@tmp (");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("@tmp (", first + 1) == std::string::npos);
  CHECK(text.find("You may write: the project, @tmp.") != std::string::npos);
}

TEST_CASE("session: the text says plainly what to do after a refusal") {
  World world;
  const std::string text = Text(world);
  CHECK(text.starts_with("ringfence checks every tool call against a policy.\n"));
  CHECK(Has(text, "When a call is refused, read the reason and follow it."));
  CHECK(text.size() < 1200);
}

TEST_CASE("session: a long list is shortened") {
  World world;
  std::string entries;
  for (int i = 0; i < 500; ++i) entries += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "/x\"";
  world.User("\"read\":{\"deny\":[" + entries + "]}");
  const std::string text = Text(world);
  CHECK(Has(text, " more."));
  CHECK(text.size() < 4000);
}

TEST_CASE("session: hosts that need a question are listed apart from denied hosts") {
  struct Row {
    std::string_view unlisted, want;
  };
  static constexpr Row kRows[] = {
      {"deny", R"(Hosts you may reach: "good.example")"},
      {"ask", R"(Hosts you may reach without asking the user: "good.example")"},
  };
  for (const Row& row : kRows) {
    World world;
    world.User(R"("network":{"allow":["good.example"],"unlisted":")" + std::string(row.unlisted) +
               "\"}");
    CHECK(Has(Text(world), row.want));
  }
  World none;
  none.User(R"("network":{"unlisted":"deny"})");
  CHECK(Has(Text(none), "Hosts you may reach: none."));
  World open;
  open.User(R"("network":{"allow":["good.example"],"unlisted":"allow"})");
  CHECK_FALSE(Has(Text(open), "Hosts you"));
}

TEST_CASE("session: an untrusted list of hosts opens no sandbox") {
  World world;
  world.Project(R"("network":{"allow":["good.example"]})", false);
  const Policy policy = world.Merged(world.EventOf("Bash", "{}"));
  const Context context{world.places, std::move(world.sources)};
  const std::string text =
      BoundaryText(policy, context, SandboxMode::kSandbox, ProgramSandbox::kAgents);
  CHECK(Has(text, "- Bash commands reach the agent's own service only."));
}

TEST_CASE("session: notes about the policies' files are passed on") {
  World world;
  world.sources.notes.emplace_back("a file was left out");
  CHECK(Has(Text(world), "- a file was left out.\n"));
}

TEST_CASE("session: in which sandbox programs run") {
  Policy policy;
  CHECK(SandboxOfPrograms(policy, SandboxMode::kSandbox, InAgents::kNo) == ProgramSandbox::kNone);
  CHECK(SandboxOfPrograms(policy, SandboxMode::kSandbox, InAgents::kWithLauncher) ==
        ProgramSandbox::kAgents);
  CHECK(SandboxOfPrograms(policy, SandboxMode::kSandbox, InAgents::kWithoutLauncher) ==
        ProgramSandbox::kAgentsByPort);
  policy.wrap_bash = true;
  CHECK(SandboxOfPrograms(policy, SandboxMode::kSandbox, InAgents::kNo) ==
        ProgramSandbox::kCommands);
  CHECK(SandboxOfPrograms(policy, SandboxMode::kRwx, InAgents::kNo) == ProgramSandbox::kNone);
}

TEST_CASE("session: what commands reach") {
  struct Row {
    const char* policy;
    ProgramSandbox sandbox;
    std::string_view want;  // "" for no line
  };
  using enum ProgramSandbox;
  static constexpr Row kRows[] = {
      {R"("network":{"allow":["good.example"]})", kNone, ""},
      {R"("network":{"allow":["good.example"]})", kCommands,
       "reach these hosts, too, and no others"},
      {R"("network":{"allow":["good.example"]})", kAgents, "reach these hosts, too, and no others"},
      {R"("network":{"unlisted":"allow"})", kCommands, "use the network of this machine"},
      {R"("read":{"allow":["."]})", kCommands, "have no network"},
      {R"("read":{"allow":["."]})", kAgents, "reach the agent's own service only"},
      {R"("network":{"deny":["bad.example"]})", kAgents, "reach"},
      {R"("read":{"allow":["."]})", kAgentsByPort,
       "reach the agent's own service only. Only programs that use HTTPS_PROXY"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.policy);
    World world;
    world.User(row.policy);
    const Policy policy = world.Merged(world.EventOf("Bash", "{}"));
    const Context context{world.places, std::move(world.sources)};
    const std::string text = BoundaryText(policy, context, SandboxMode::kSandbox, row.sandbox);
    CHECK(Has(text, "- Bash commands " + std::string(row.want)) == !row.want.empty());
    CHECK(Has(text, "- Bash commands are confined by ringfence's sandbox") ==
          (row.sandbox != kNone));
    CHECK(Has(text, "If you need a host") == (row.want == "have no network"));
  }
}

TEST_CASE("session: repeated entries of several files are listed once") {
  World world;
  world.User(R"("read":{"allow":["~","/srv"],"deny":["docs/private","docs/private"]})");
  world.Project(R"("read":{"deny":["docs/private"]})", true);
  const std::string text = Text(world);
  CHECK(Has(text, R"(You may read: "~", "/srv".)"));
  const size_t first = text.find("docs/private");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("docs/private", first + 1) == std::string::npos);
}

TEST_CASE("session: the text says if commands are confined") {
  if (!NoManagedSettings()) return;
  const SettingsTree disk;
  disk.File("home/.claude/settings.json", R"({"sandbox":{"enabled":true}})");
  World world;
  world.places = disk.FoundPlaces();
  const std::string text = Text(world);
  CHECK(Has(text, "are confined by the client's sandbox"));
  CHECK(Has(text, "where `git add -A` fails"));
  CHECK_FALSE(Has(text, "They write only in"));
  const auto text_in_part = [&] {
    World part;
    part.places = disk.FoundPlaces();
    part.places.start = Path::Clean(disk.At("project/src"));
    return Text(part);
  };
  const auto opens = [&](const std::string& folder) {
    disk.File("project/src/.claude/settings.local.json",
              R"({"sandbox":{"filesystem":{"allowWrite":[")" + folder + "\"]}}}");
  };
  CHECK(Has(text_in_part(), "They write only in \"" + disk.At("project/src") + "\""));
  opens("..");  // the client's reading of it is unknown
  CHECK(Has(text_in_part(), "They write only in"));
  opens(disk.At("project/src/a"));
  CHECK(Has(text_in_part(), "They write only in"));
  opens(disk.At("project"));
  CHECK_FALSE(Has(text_in_part(), "They write only in"));
  World wrapped;
  wrapped.places = disk.FoundPlaces();
  wrapped.User(R"("bash":{"wrap":true})");
  CHECK_FALSE(Has(Text(wrapped), "git add"));
  World open;
  CHECK(Has(Text(open), "No sandbox confines Bash commands here"));
}
