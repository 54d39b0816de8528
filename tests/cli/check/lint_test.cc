#include "cli/check/lint.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "agents/claude/agent.h"
#include "policy/load/load.h"
#include "tests/support/fake_files.h"

using namespace ringfence;

namespace {

// The findings about one policy in /home/dev/project.
Findings FindingsOf(const std::string& members, const FakeFiles& files) {
  std::vector<Error> mistakes;
  PolicySources sources;
  sources.built_in = LoadPolicy(BuiltInPolicy(ClaudeCode()), mistakes);
  auto file = LoadPolicy(
      {"{\"version\":1," + members + "}", "/p.json", "p.json", true, &ClaudeCode()}, mistakes);
  if (file == nullptr) throw std::runtime_error(mistakes.front().text());
  sources.sources.push_back({Layer::kUser, true, std::move(file)});
  Registration registration{.agent = &ClaudeCode()};
  registration.root = "/home/dev/project";
  registration.home = "/home/dev";
  registration.user = 1000;
  const Result<Places> places = FindPlaces(registration, files);
  if (!places) throw std::runtime_error(places.error().text());
  return LintPolicy({sources, *places, files});
}

// The findings, as "CODE WHAT".
std::vector<std::string> Lint(const std::string& members, const FakeFiles& files) {
  std::vector<std::string> texts;
  for (const Finding& finding : FindingsOf(members, files)) {
    const bool is_note = finding.code == "own-loopback";
    CHECK(finding.severity == (is_note ? Severity::kNote : Severity::kWarning));
    CHECK(finding.error.where.starts_with("p.json"));
    texts.push_back(finding.code + " " + finding.error.what);
  }
  return texts;
}

std::vector<std::string> Lint(const std::string& members) {
  return Lint(members, FakeFiles{{"/home/dev/project/src/main.cc", File()}});
}

struct Row {
  const char* name;
  const char* members;
  const char* finding;  // prefix of the only finding; "" for none
};

void Check(std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    const std::vector<std::string> texts = Lint(row.members);
    if (std::string_view(row.finding).empty()) {
      CHECK(texts == std::vector<std::string>{});
    } else {
      REQUIRE(texts.size() == 1);
      CAPTURE(texts[0]);
      CHECK(texts[0].starts_with(row.finding));
    }
  }
}

}  // namespace

TEST_CASE("lint: a path rule that a deny covers never permits anything") {
  static constexpr Row kRows[] = {
      {"nothing", R"("read":{"allow":[".","/usr/include"],"deny":["docs"]})", ""},
      {"below", R"("read":{"allow":[".","/etc/x"],"deny":["/etc"]})",
       "dead-rule /read/allow \"/etc/x\" never permits anything: denied by \"/etc\""},
      {"above", R"("read":{"allow":[".","/etc"],"deny":["/etc/x"]})", ""},
      {"the same", R"("write":{"allow":["."],"ask":["docs"],"deny":["docs"]})",
       "dead-rule /write/ask \"docs\""},
      {"a pattern", R"("write":{"allow":[".","/srv/a/*.c"],"deny":["/srv"]})",
       "dead-rule /write/allow \"/srv/a/*.c\""},
      {"a pattern beside", R"("write":{"allow":[".","/srv/a/*.c"],"deny":["/srv/a/*.h"]})", ""},
      {"a floating deny", R"("read":{"allow":[".","/opt/.env"],"deny":["**/.env"]})",
       "dead-rule /read/allow \"/opt/.env\""},
      {"another case", R"("read":{"allow":[".","/Opt/x"],"deny":["/opt"]})",
       "dead-rule /read/allow \"/Opt/x\""},
      {"the same pattern", R"("read":{"allow":[".","**/*.md"],"deny":["**/*.md"]})",
       "dead-rule /read/allow \"**/*.md\" never permits anything"},
      {"secrets", R"("read":{"allow":[".","~/.ssh"]})", "dead-rule /read/allow \"~/.ssh\""},
      {"secrets, wanted", R"("read":{"allow":[".","~/.ssh"],"deny":[]})", ""},
      {"protected", R"("write":{"allow":[".","~/.config/ringfence"]})", "dead-rule /write/allow"},
      {"protected only in part", R"("write":{"allow":[".","~/.config"]})", ""},
      {"another list", R"("read":{"allow":[".","/srv"]},"write":{"deny":["/srv"]})", ""},
  };
  Check(kRows);
}

TEST_CASE("lint: a rule that another rule covers has no effect") {
  static constexpr Row kRows[] = {
      {"inside", R"("read":{"allow":[".","src"]})",
       "shadowed-rule /read/allow \"src\" changes nothing: \".\""},
      {"twice", R"("read":{"allow":["/srv","/opt","/srv"]})", "shadowed-rule /read/allow \"/srv\""},
      {"a set twice", R"("read":{"allow":[".","@toolchains","@toolchains"]})",
       "shadowed-rule /read/allow \"@toolchains\""},
      {"a deny by a pattern", R"("read":{"deny":["config/.env","**/.env"]})",
       "shadowed-rule /read/deny \"config/.env\""},
      {"a pattern twice", R"("read":{"deny":["**/*.key","**/*.key"]})",
       "shadowed-rule /read/deny \"**/*.key\""},
      {"a wider pattern", R"("read":{"deny":["**/*.key","**/a*.key"]})", ""},  // not analysed
      {"an ask that permits beside a set, which only asks",
       R"("write":{"allow":["src"],"ask":["@runs-later",".git/hooks",".envrc"]})", ""},
      {"an ask in another that permits", R"("write":{"allow":["src"],"ask":["docs","docs/adr"]})",
       "shadowed-rule /write/ask \"docs/adr\""},
      {"an ask beside a floating one, which only asks",
       R"("write":{"allow":["src"],"ask":["**/.envrc",".envrc"]})", ""},
      {"an ask in what is allowed", R"("write":{"allow":["."],"ask":["docs"]})", ""},
      {"a profile's deny",
       R"("write":{"deny":["docs"]},"profiles":{"w":{"write":{"deny":["docs/adr"]}}})",
       "shadowed-rule /profiles/w/write/deny \"docs/adr\" changes nothing: \"docs\""},
      {"a profile's allow",
       R"("write":{"allow":["."]},"profiles":{"w":{"write":{"allow":["src"]}}})", ""},
  };
  Check(kRows);
}

TEST_CASE("lint: names of tools and hosts") {
  static constexpr Row kRows[] = {
      {"sound",
       R"("tools":{"allow":["@session-tools","Read","mcp__team__*"],"deny":["mcp__team__drop"]})",
       ""},
      {"a set beside MCP tools", R"("tools":{"allow":["@known-tools","mcp__team__*"]})", ""},
      {"covered by a set", R"("tools":{"allow":["@known-tools","Task"]})",
       "shadowed-rule /tools/allow \"Task\" changes nothing: \"@known-tools\""},
      {"a set covered by a set", R"("tools":{"allow":["@session-tools","@known-tools"]})",
       "shadowed-rule /tools/allow \"@session-tools\" changes nothing: \"@known-tools\""},
      {"denied", R"("tools":{"allow":["Read","mcp__a__b"],"deny":["mcp__*"]})",
       "dead-rule /tools/allow \"mcp__a__b\" never permits anything: denied by \"mcp__*\""},
      {"covered", R"("tools":{"allow":["mcp__a__b","mcp__a__*"]})",
       "shadowed-rule /tools/allow \"mcp__a__b\""},
      {"twice in a line", R"("tools":{"ask":["Glob","Glob"]})",
       "shadowed-rule /tools/ask \"Glob\""},
      {"misspelt", R"("tools":{"allow":["Reed"]})",
       "unknown-tool /tools/allow \"Reed\" is not a known tool of the client; did "
       "you "
       "mean \"Read\"?"},
      {"a former name", R"("tools":{"deny":["MultiEdit"]})", ""},
      {"a denial in other letters", R"("tools":{"deny":["bash","task"]})", ""},
      {"permission in other letters", R"("tools":{"allow":["bash"]})",
       "unknown-tool /tools/allow \"bash\""},
      {"denied around a profile",
       R"("tools":{"deny":["WebFetch"]},"profiles":{"w":{"tools":{"allow":["WebFetch"]}}})",
       "dead-rule /profiles/w/tools/allow \"WebFetch\" never permits anything"},
      {"a host denied around a profile",
       R"("network":{"deny":["a.example"]},"profiles":{"w":{"network":{"allow":["a.example"]}}})",
       "dead-rule /profiles/w/network/allow \"a.example\""},
      {"a host denied", R"("network":{"allow":["a.example"],"deny":["*.example"]})",
       "dead-rule /network/allow \"a.example\""},
      {"a host covered", R"("network":{"allow":["a.b.example","*.b.example"]})",
       "shadowed-rule /network/allow \"a.b.example\""},
      {"another port", R"("network":{"allow":["a.example:8443","a.example:443"]})", ""},
      {"a port beside 80 and 443", R"("network":{"allow":["a.example:8443","a.example"]})", ""},
      {"a port that no port means", R"("network":{"allow":["a.example:443","a.example"]})",
       "shadowed-rule /network/allow \"a.example:443\""},
      {"any port denied", R"("network":{"deny":["a.example:8443","a.example"]})",
       "shadowed-rule /network/deny \"a.example:8443\""},
      {"one port denied", R"("network":{"allow":["a.example"],"deny":["a.example:443"]})", ""},
      {"every host", R"("network":{"allow":["*"]})",
       "wide-host /network/allow \"*\" permits every"},
      {"every host on a port", R"("network":{"allow":["*:22"]})",
       "wide-host /network/allow \"*:22\""},
      {"addresses that give credentials", R"("network":{"allow":["169.254.169.254"]})",
       "wide-host /network/allow \"169.254.169.254\" is an address"},
      {"another of them", R"("network":{"allow":["[fd00:ec2::254]:80"]})",
       "wide-host /network/allow \"[fd00:ec2::254]:80\" is an address"},
      {"other addresses", R"("network":{"allow":["10.0.0.1","1.1.1.1"]})", ""},
      {"a top-level domain", R"("network":{"allow":["*.com"]})",
       "wide-host /network/allow \"*.com\" permits every host below \".com\""},
      {"denials in the host's own network",
       R"("network":{"unlisted":"allow","deny":["a.example","b.example"]})",
       "wide-host /network/deny \"unlisted\": \"allow\" gives commands the host's own network"},
      {"the host's own network", R"("network":{"unlisted":"allow","deny":[]})", ""},
      {"nothing denied there", R"("network":{"unlisted":"allow"})", ""},
      {"denials of asked hosts", R"("network":{"unlisted":"ask","deny":["a.example"]})", ""},
      {"a domain of two labels", R"("network":{"allow":["*.b.com"]})", ""},
      {"the loopback", R"("network":{"allow":["127.0.0.1:80"]})",
       "own-loopback /network/allow \"127.0.0.1:80\" is this machine for the agent's own tools"},
      {"the loopback's name", R"("network":{"allow":["localhost"]})",
       "own-loopback /network/allow \"localhost\""},
      {"a name of the loopback", R"("network":{"allow":["a.localhost:80"]})",
       "own-loopback /network/allow \"a.localhost:80\""},
      {"names of the loopback", R"("network":{"allow":["*.localhost"]})",
       "own-loopback /network/allow \"*.localhost\""},
      {"the port of the resolver", R"("network":{"allow":["a.example:53"]})",
       "wide-host /network/allow \"a.example:53\" counts for the agent's own tools only"},
      {"a port of this machine", R"("network":{"allow":["host.ringfence:2375"]})",
       "wide-host /network/allow \"host.ringfence:2375\" is a port of this machine"},
      {"a set of hosts", R"("network":{"allow":["@agent-hosts"]})", ""},
      {"mcp without a tool", R"("mcp":{"mcp__a__b":{"read":["/p"]}})",
       "dead-rule /mcp \"mcp__a__b\" is never asked for"},
      {"mcp with a tool", R"("tools":{"allow":["mcp__a__*"]},"mcp":{"mcp__a__b":{"read":["/p"]}})",
       ""},
      {"mcp with a tool of a profile",
       R"("mcp":{"mcp__a__b":{"read":["/p"]}},"profiles":{"w":{"tools":{"allow":["mcp__a__b"]}}})",
       ""},
  };
  Check(kRows);
}

TEST_CASE("lint: an entry of network.private is for hosts that a list of the file permits") {
  static constexpr Row kRows[] = {
      {"listed",
       R"("network":{"allow":["db.a.example:5432"],"private":{"db.a.example":["10.0.0.1"]}})", ""},
      {"a part is listed",
       R"("network":{"allow":["db.a.example"],"private":{"*.a.example":["10.0.0.1"]}})", ""},
      {"not listed", R"("network":{"allow":["a.example"],"private":{"db.a.example":["10.0.0.1"]}})",
       "dead-rule /network/private \"db.a.example\" never permits anything"},
      {"another port",
       R"("network":{"allow":["a.example"],"private":{"a.example:22":["10.0.0.1"]}})",
       "dead-rule /network/private \"a.example:22\""},
      {"the list of another file", R"("network":{"private":{"db.a.example":["10.0.0.1"]}})", ""},
      {"unlisted hosts are permitted",
       R"("network":{"allow":["b.example"],"unlisted":"ask","private":{"a.example":["10.0.0.1"]}})",
       ""},
      {"listed around a profile",
       R"("network":{"allow":["a.example"]},
          "profiles":{"w":{"network":{"private":{"a.example":["10.0.0.1"]}}}})",
       ""},
      {"not listed around a profile",
       R"("network":{"allow":["b.example"]},
          "profiles":{"w":{"network":{"private":{"a.example":["10.0.0.1"]}}}})",
       "dead-rule /profiles/w/network/private \"a.example\""},
      {"listed in a profile",
       R"("network":{"allow":["b.example"],"private":{"a.example":["10.0.0.1"]}},
          "profiles":{"x":{"read":{"allow":["."]}},"w":{"network":{"allow":["a.example"]}}})",
       ""},
  };
  Check(kRows);
}

TEST_CASE("lint: profiles that are never chosen, or may not do what they say") {
  static constexpr Row kRows[] = {
      {"narrower first",
       R"("profiles":{"a":{"when":{"subagent":true,"agent_type":"x"}},"b":{"when":{"subagent":true}}})",
       ""},
      {"wider first",
       R"("profiles":{"a":{"when":{"subagent":true}},"b":{"when":{"subagent":true,"agent_type":"x"}}})",
       "dead-profile is never chosen by its \"when\": \"a\""},
      {"the same root", R"("profiles":{"a":{"when":{"root":"/srv"}},"b":{"when":{"root":"/srv"}}})",
       "dead-profile"},
      {"a wider root",
       R"("profiles":{"a":{"when":{"root":"/srv"}},"b":{"when":{"root":"/srv/x"}}})",
       "dead-profile is never chosen by its \"when\": \"a\""},
      {"a root with the same beginning",
       R"("profiles":{"a":{"when":{"root":"/srv"}},"b":{"when":{"root":"/srvx"}}})", ""},
      {"chosen in different ways",
       R"("profiles":{"a":{"when":{"root":"/srv"}},"b":{"when":{"root":"/srv","subagent":true}}})",
       ""},
      {"a wider name first",
       R"("profiles":{"a":{"when":{"agent_type":"x*"}},"b":{"when":{"agent_type":"xy"}}})",
       "dead-profile is never chosen by its \"when\": \"a\""},
      {"a narrower name first",
       R"("profiles":{"a":{"when":{"agent_type":"xy"}},"b":{"when":{"agent_type":"x*"}}})", ""},
      {"nobody", R"("profiles":{"a":{"when":{"agent_type":"x","subagent":false}}})",
       "dead-profile is never chosen: an agent with"},
      {"alerts of an agent's own",
       R"("profiles":{"a":{"when":{"subagent":true},"alerts":{"enabled":false}}})",
       "ignored-key alerts"},
      {"a mode of an agent's own",
       R"("profiles":{"a":{"when":{"subagent":true},"client":{"permission_mode":"plan"}}})",
       "ignored-key client.permission_mode"},
      {"a wider sandbox", R"("profiles":{"a":{"when":{"subagent":true},"sandbox":{"mode":"rwx"}}})",
       "ignored-key sandbox.mode"},
      {"a narrower sandbox",
       R"("profiles":{"a":{"when":{"subagent":true},"sandbox":{"mode":"rx"}}})", ""},
      {"by name", R"("profiles":{"a":{},"b":{}})", ""},
      {"allow for whom the agent names",
       R"("profiles":{"a":{"when":{"subagent":true},"permitted":"allow"}})",
       "ignored-key permitted"},
      {"allow by the place", R"("profiles":{"a":{"when":{"root":"/srv"},"permitted":"allow"}})",
       ""},
      {"wider than around",
       R"("profiles":{"a":{"when":{"subagent":true},"write":{"allow":["/srv"]}}})",
       "dead-rule /profiles/a/write/allow \"/srv\""},
      {"wider by name", R"("profiles":{"a":{"write":{"allow":["/srv"]}}})", ""},
  };
  Check(kRows);
}

TEST_CASE("lint: asking nothing and a sandbox that may be left exclude each other") {
  struct Bypass {
    const char* members;
    bool is_unsafe;
  };
  const Bypass rows[] = {
      {R"("client":{"permission_mode":"bypassPermissions"})", false},
      {R"("client":{"permission_mode":"bypassPermissions"},"bash":{"unsandboxed":"ask"})", true},
      {R"("client":{"permission_mode":"plan"},"bash":{"unsandboxed":"ask"})", false},
      {R"("bash":{"unsandboxed":"ask"},"profiles":{"main":{"client":{"permission_mode":"bypassPermissions"}}})",
       false},
  };
  for (const Bypass& row : rows) {
    CAPTURE(std::string(row.members));
    const Findings findings =
        FindingsOf(row.members, FakeFiles{{"/home/dev/project", Directory()}});
    const bool found = std::ranges::any_of(findings, [](const Finding& finding) {
      return finding.code == "unsafe-bypass" && finding.severity == Severity::kError;
    });
    CHECK(found == row.is_unsafe);
  }
}

TEST_CASE("lint: an allow entry behind a link that the agent could repoint permits nothing") {
  const FakeFiles files{{"/home/dev/project/data", LinkTo("/srv/data")},
                        {"/srv/data", Directory()}};
  const std::vector<std::string> texts = Lint(R"("read":{"allow":[".","data"]})", files);
  REQUIRE_FALSE(texts.empty());
  CHECK(texts[0].find("/read/allow \"data\"") != std::string::npos);
}

TEST_CASE("lint: an inbox that the agent may write to") {
  constexpr Row kRows[] = {
      {"beside the project", R"("alerts":{"inbox":"~/inbox"})", ""},
      {"in the project", R"("alerts":{"inbox":"/home/dev/project/in"})", "open-inbox"},
      {"denied there",
       R"("alerts":{"inbox":"/home/dev/project/in"},"write":{"allow":["."],"deny":["in"]})", ""},
      {"named by a profile", R"("profiles":{"a":{"alerts":{"inbox":"/home/dev/project/in"}}})",
       "open-inbox"},
      {"opened by a profile",
       R"("alerts":{"inbox":"~/inbox"},"profiles":{"a":{"write":{"allow":["~/inbox"]}}})",
       "open-inbox"},
  };
  Check(kRows);
}
