#include "policy/load/load.h"

#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "policy/rules/sets.h"
#include "tests/support/loaded.h"

using namespace ringfence;

namespace {

bool IsEmpty(const auto& lists) { return !lists.allow && !lists.ask && !lists.deny; }

// Every key, as in the design; {WRAP} is the value of bash.wrap.
std::string Example(std::string_view wrap) {
  std::string text = R"({
  "version": 1, // the first
  "tools":   { "allow": ["@session-tools", "Read", "Edit", "Write", "Bash", "mcp__team__*"], "ask": ["WebFetch"], "deny": ["WebSearch"] },
  "read":    { "allow": [".", "@claude-scratch", "@toolchains"], "ask": ["~/src/shared-lib"], "deny": ["**/.env", "@secrets"] },
  "write":   { "allow": [".", "@claude-scratch"], "ask": ["@runs-later"], "deny": ["docs/adr"] },
  "network": { "allow": ["@agent-hosts", "registry.npm.example", "*.forge.example:443"], "deny": ["gist.forge.example"], "unlisted": "deny", "inspect": [] },
  "bash":    { "unsandboxed": "deny", "wrap": {WRAP} },
  "permitted": "client",
  "mcp":     { "mcp__fs__move": { "read": ["/source"], "write": ["/destination"] } },
  "sandbox": { "mode": "sandbox", "layers": "full", "missing": "refuse", "reads": "all", "memory": "8G", "processes": 512, "cpus": 2, "io": "200M", "env": ["PATH", "LANG"] },
  "stage":   { "verify": ["ctest"], "commands": { "sandbox": true, "auto_apply": false, "trusted": ["cargo fmt"] } },
  "audit":   { "file": "~/.local/state/ringfence/audit.jsonl", "rotate": "64M", "required": false },
  "alerts":  { "inbox": "/srv/team/ipc/main/messages", "fields": { "chatJid": "main" } },
  "denied":  { "say": "Use mcp__team__send_message to tell the group what was refused." },
  "client":  { "permission_mode": "default" },
  /* by the command line, or by the event */
  "profiles": { "main": { "permitted": "allow" }, "worker": { "when": { "subagent": true }, "write": { "allow": ["src", "tests"] } } }
})";
  text.replace(text.find("{WRAP}"), 6, wrap);
  return text;
}

}  // namespace

TEST_CASE("load: the example of the design is a policy") {
  const Loaded loaded = Load(Example("false"));
  REQUIRE(loaded.mistakes.empty());
  const Sections& all = loaded.file->sections;
  CHECK(loaded.file->shown == "policy.json");
  CHECK(loaded.file->path == "/etc/x/policy.json");
  CHECK_FALSE(loaded.file->root_is_git);
  CHECK(all.tools.allow->size() == 6);
  CHECK(all.tools.allow->front().set == ToolSet::kSession);
  CHECK(all.tools.allow->back().pattern == "mcp__team__*");
  CHECK(all.tools.ask->front().pattern == "WebFetch");
  CHECK(all.tools.deny->front().pattern == "WebSearch");
  CHECK(RulesText(*all.read.allow) == "root:, @claude-scratch, @toolchains");
  CHECK(RulesText(*all.read.ask) == "home:src/shared-lib");
  CHECK(RulesText(*all.read.deny) == "any:**/.env (pattern), @secrets");
  CHECK(RulesText(*all.write.allow) == "root:, @claude-scratch");
  CHECK(RulesText(*all.write.ask) == "@runs-later");
  CHECK(RulesText(*all.write.deny) == "root:docs/adr");
  CHECK(all.keys.Get<Unsandboxed>("bash.unsandboxed") == Unsandboxed::kDeny);
  CHECK(all.keys.Get<bool>("bash.wrap") == false);
  CHECK(all.keys.Get<Permitted>("permitted") == Permitted::kClient);
  CHECK(all.keys.Get<std::string_view>("denied.say") ==
        "Use mcp__team__send_message to tell the group what was refused.");
  CHECK(all.keys.Get<std::string_view>("client.permission_mode") == "default");
  CHECK(all.keys.Get<std::string_view>("audit.file") == "~/.local/state/ringfence/audit.jsonl");
  CHECK(all.keys.Get<uint64_t>("audit.rotate") == 64u << 20);
  CHECK(all.keys.Get<bool>("audit.required") == false);
  CHECK(all.keys.Get<std::string_view>("alerts.inbox") == "/srv/team/ipc/main/messages");
  REQUIRE(all.alert_fields.size() == 1);
  CHECK(all.alert_fields[0].second == "main");
}

TEST_CASE("load: sections of the example that other programs use are read, too") {
  const Loaded loaded = Load(Example("false"));
  REQUIRE(loaded.file);
  const Sections& all = loaded.file->sections;
  REQUIRE(all.network);
  CHECK(all.network->allow->size() == 6);
  CHECK(all.network->allow->front().host == *ClaudeCode().hosts.begin());
  CHECK(all.network->allow->back().subdomains);
  CHECK(all.network->allow->back().port == 443);
  CHECK(all.network->deny->front().host == "gist.forge.example");
  CHECK(all.network->inspect->empty());
  CHECK(all.network->unlisted == Unlisted::kDeny);
  REQUIRE(all.mcp.size() == 1);
  CHECK(all.mcp[0].tool == "mcp__fs__move");
  CHECK(all.mcp[0].read == std::vector<std::string_view>{"/source"});
  CHECK(all.mcp[0].write == std::vector<std::string_view>{"/destination"});
  CHECK(all.keys.Get<SandboxMode>("sandbox.mode") == SandboxMode::kSandbox);
  CHECK(all.keys.Get<SandboxLayers>("sandbox.layers") == SandboxLayers::kFull);
  CHECK(all.keys.Get<SandboxMissing>("sandbox.missing") == SandboxMissing::kRefuse);
  CHECK(all.keys.Get<SandboxReads>("sandbox.reads") == SandboxReads::kAll);
  CHECK(all.keys.Get<uint64_t>("sandbox.memory") == 8ull << 30);
  CHECK(all.keys.Get<uint64_t>("sandbox.processes") == 512);
  CHECK(all.keys.Get<double>("sandbox.cpus") == 2.0);
  CHECK(all.keys.Get<uint64_t>("sandbox.io") == 200u << 20);
  CHECK(all.keys.Find("sandbox.env")->texts == std::vector<std::string_view>{"PATH", "LANG"});
  CHECK(all.keys.Find("stage.verify")->texts == std::vector<std::string_view>{"ctest"});
  CHECK(all.keys.Get<bool>("stage.commands.sandbox") == true);
  CHECK(all.keys.Get<bool>("stage.commands.auto_apply") == false);
  CHECK(all.keys.Find("stage.commands.trusted")->texts ==
        std::vector<std::string_view>{"cargo fmt"});
  REQUIRE(loaded.file->profiles.size() == 2);
  const Profile& worker = loaded.file->profiles[1];
  CHECK(loaded.file->profiles[0].name == "main");
  CHECK_FALSE(loaded.file->profiles[0].when);
  CHECK(loaded.file->profiles[0].sections.keys.Get<Permitted>("permitted") == Permitted::kAllow);
  CHECK(worker.name == "worker");
  CHECK(worker.when->subagent == true);
  CHECK(worker.when->is_chosen_by_event());
  CHECK(RulesText(*worker.sections.write.allow) == "root:src, root:tests");
}

TEST_CASE("load: commands are wrapped if the policy says so") {
  const Loaded loaded = Load(Example("true"));
  REQUIRE(loaded.file);
  CHECK(loaded.file->sections.keys.Get<bool>("bash.wrap") == true);
}

TEST_CASE("load: every rule knows its file, its list and its line") {
  const Loaded loaded = Load(
      "{\"version\": 1,\n \"read\": {\n  \"deny\": [\"a\",\n\n   \"b\"]},\n"
      " \"profiles\": {\"x/y\": {\"write\": {\"allow\":\n [\"c\"]}}},\n \"tools\": {\"ask\": "
      "[\"Read\"]},\n"
      " \"bash\": {\n \"unsandboxed\": \"ask\"}, \"network\": {\"deny\": [\"a.example\"]}}");
  REQUIRE(loaded.file);
  const Sections& all = loaded.file->sections;
  CHECK((*all.read.deny)[0].place() == RulePlace{"policy.json", "/read/deny", 3, true});
  CHECK((*all.read.deny)[1].place() == RulePlace{"policy.json", "/read/deny", 5, true});
  CHECK((*all.tools.ask)[0].place == RulePlace{"policy.json", "/tools/ask", 8, true});
  CHECK(all.keys.Find("bash.unsandboxed")->place() ==
        RulePlace{"policy.json", "/bash/unsandboxed", 10, true});
  CHECK((*all.network->deny)[0].place == RulePlace{"policy.json", "/network/deny", 10, true});
  const Sections& profile = loaded.file->profiles[0].sections;
  CHECK((*profile.write.allow)[0].place() ==
        RulePlace{"policy.json", "/profiles/x~1y/write/allow", 7, true});
}

TEST_CASE("load: the rules of an untrusted file are marked") {
  const Loaded loaded = Load(PolicyWith(R"("read":{"deny":["a"]})"), false);
  REQUIRE(loaded.file);
  CHECK_FALSE((*loaded.file->sections.read.deny)[0].is_quotable());
}

TEST_CASE("load: the built-in policy is a valid policy") {
  const Loaded loaded = Load(BuiltInPolicy(ClaudeCode()).text);
  REQUIRE(loaded.file);
  CHECK(RulesText(*loaded.file->sections.read.allow) == "root:, @claude-scratch");
  CHECK(RulesText(*loaded.file->sections.read.deny) == "@secrets");
  CHECK(RulesText(*loaded.file->sections.write.allow) == "root:, @claude-scratch");
  CHECK(RulesText(*loaded.file->sections.write.ask) == "@runs-later");
  CHECK(loaded.file->sections.keys.Get<Unsandboxed>("bash.unsandboxed") == Unsandboxed::kDeny);
  CHECK_FALSE(loaded.file->sections.network);
  // Users cannot look at its lines.
  std::vector<Error> mistakes;
  const auto built_in = LoadPolicy(BuiltInPolicy(ClaudeCode()), mistakes);
  REQUIRE(built_in);
  CHECK(built_in->sections.read.deny->front().place() ==
        RulePlace{kBuiltInPolicy, "/read/deny", 0, true});
}

TEST_CASE("load: the smallest policy has only its version") {
  const Loaded loaded = Load(R"({"version":1})");
  REQUIRE(loaded.file);
  CHECK(IsEmpty(loaded.file->sections.read));
  CHECK(IsEmpty(loaded.file->sections.write));
  CHECK(IsEmpty(loaded.file->sections.tools));
  CHECK(loaded.file->sections.keys.Find("permitted") == nullptr);
  CHECK_FALSE(loaded.file->sections.has_alerts);
  CHECK(Load(R"({"version":1,"root":"git"})").file->root_is_git);
}

TEST_CASE("load: each kind of profile condition is read") {
  const Loaded loaded =
      Load(PolicyWith(R"("profiles":{"p":{"when":{"agent_type":"Expl*","permission_mode":"plan"}},)"
                      R"("q":{"when":{"root":"~/work"}}})"));
  REQUIRE(loaded.file);
  const When& p = *loaded.file->profiles[0].when;
  CHECK(p.agent_type == "Expl*");
  CHECK(p.permission_mode == "plan");
  CHECK(p.is_chosen_by_event());
  const When& q = *loaded.file->profiles[1].when;
  CHECK(q.root->base == RuleBase::kHome);
  CHECK(q.root->tail == "work");
  CHECK_FALSE(q.is_chosen_by_event());
}

TEST_CASE("load: package stores are names of directories") {
  const Loaded loaded = Load(PolicyWith(R"("write":{"package_stores":["node_modules",".pnpm"]})"));
  REQUIRE(loaded.file);
  CHECK(loaded.file->sections.keys.Find("write.package_stores")->texts ==
        std::vector<std::string_view>{"node_modules", ".pnpm"});
}

TEST_CASE("load: each word of a choice is accepted") {
  struct Row {
    std::string_view before;
    std::vector<std::string_view> words;
  };
  const Row kRows[] = {
      {R"("permitted":)", {"client", "allow"}},
      {R"("bash":{"unsandboxed":)", {"deny", "ask"}},
      {R"("network":{"unlisted":)", {"deny", "ask", "allow"}},
      {R"("sandbox":{"mode":)", {"sandbox", "rx", "rwx"}},
      {R"("sandbox":{"layers":)", {"full", "landlock"}},
      {R"("sandbox":{"missing":)", {"refuse", "warn"}},
      {R"("sandbox":{"reads":)", {"all", "listed"}},
      {R"("client":{"permission_mode":)",
       {"default", "manual", "plan", "acceptEdits", "dontAsk", "auto", "bypassPermissions"}},
  };
  for (const Row& row : kRows) {
    const std::string close = row.before.find('{') == std::string_view::npos ? "" : "}";
    for (const std::string_view word : row.words) {
      CAPTURE(word);
      CHECK(Mistakes(PolicyWith(std::string(row.before) + "\"" + std::string(word) + "\"" + close))
                .empty());
    }
    CHECK_FALSE(Mistakes(PolicyWith(std::string(row.before) + "\"other\"" + close)).empty());
    CHECK_FALSE(Mistakes(PolicyWith(std::string(row.before) + "true" + close)).empty());
  }
}
