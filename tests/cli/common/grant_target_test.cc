#include "cli/common/grant_target.h"

#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "agents/claude/setup/client_sandbox.h"
#include "cli/permit/policy_edit.h"
#include "cli/permit/session_grants.h"
#include "policy/files/real_files.h"
#include "run/typed_context.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

GrantTarget PathTarget(const std::string& text, const std::string& home, bool also_write = true) {
  Result<GrantTarget> grant = MakeTarget(TargetKind::kPath, text, "/srv/project", home);
  REQUIRE(grant.has_value());
  grant->also_write = also_write;
  return *grant;
}

std::string Wide(const std::string& text, bool also_write = true) {
  const Registration where{
      .agent = &ClaudeCode(), .project_dir = "/srv/shop/project", .home = "/home/dev"};
  Places places{.agent = &ClaudeCode()};
  places.root = places.root_real = Path::Clean(where.project_dir);
  places.homes = places.homes_real = {Path::Clean(where.home)};
  return WideText(PathTarget(text, where.home, also_write), places, where);
}

// A home and a project on the disk.
class Desk {
 public:
  Desk() {
    tree_.Directory("project");
    where = {.project_dir = tree_.At("project"), .home = tree_.At("home")};
  }
  void User(const std::string& members) const {
    tree_.File("home/.config/ringfence/policy.json", R"({"version": 1, )" + members + "}");
  }
  void Session(const std::string& id, const std::string& members) const {
    tree_.File("home/.local/state/ringfence/sessions/" + id + ".json",
               R"({"version": 1, )" + members + "}");
  }
  Context Read() const {
    Result<Context> policies = FindTypedContext(where, RealFiles());
    REQUIRE(policies.has_value());
    return std::move(*policies);
  }
  // "s-1" or "s-1 by ENTRY" for each session.
  std::vector<std::string> Sessions(const GrantTarget& grant) const {
    Context policies = Read();
    const size_t sources = policies.sources.sources.size();
    std::vector<std::string> found;
    for (const SessionPermit& permit : SessionsThatPermit(grant, policies)) {
      found.push_back(permit.session + (permit.entry.empty() ? "" : " by " + permit.entry));
    }
    CHECK(policies.sources.sources.size() == sources);
    return found;
  }

  Registration where{.agent = &ClaudeCode()};

 private:
  TemporaryTree tree_;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("grant: a path in the home is written with ~, by either name of the home") {
  const TemporaryTree tree;
  tree.Directory("data/dev/lib");
  tree.Link("dev", tree.At("data/dev"));
  const std::string home = tree.At("dev");
  CHECK(NamesOfHome(home) == Texts{home, tree.At("data/dev")});
  CHECK(NamesOfHome(tree.At("data/dev")) == Texts{tree.At("data/dev")});
  for (const std::string& text : {std::string("~/lib"), home + "/lib", tree.At("data/dev/lib")}) {
    CAPTURE(text);
    CHECK(EntryFor(PathTarget(text, home), "", home) == "~/lib");
  }
  CHECK(EntryFor(PathTarget("~", home), "", home) == "~");
  CHECK(EntryFor(PathTarget(tree.At("data"), home), "", home) == tree.At("data"));
}

TEST_CASE("grant: an entry in the home is found by either name of the home") {
  const TemporaryTree tree;
  tree.Directory("data/dev/lib");
  tree.Link("dev", tree.At("data/dev"));
  const PolicySources none;
  for (const std::string& text : {std::string("~/lib"), tree.At("data/dev/lib")}) {
    const Result<PolicyEdit> removal =
        RemoveTarget(PathTarget(text, tree.At("dev")), none,
                     {.shown = "p", .root = "", .home = tree.At("dev"), .is_session = true},
                     R"({"version": 1, "read": {"allow": ["~/lib"]}})");
    REQUIRE(removal.has_value());
    CHECK(removal->entries == Texts{"~/lib"});
  }
}

TEST_CASE("wide: directories that the whole machine shares, for writing") {
  for (const char* text : {"/usr", "/var", "/etc", "/opt", "/bin", "/usr/bin", "/usr/*", "/us*",
                           "/var/lib", "/var/tmp", "/usr/**", "/new"}) {
    CAPTURE(text);
    const std::string wide = Wide(text);
    CHECK(wide.ends_with(", which all of this machine shares, for reading and writing"));
    CHECK(Wide(text, false) == "");
  }
  for (const char* text :
       {"/usr/local/thing", "/var/lib/mine", "/opt/thing", "/etc/hosts.d", "/srv/data",
        "/srv/shop/project", "~/.cache", "~/x", "@claude-scratch"}) {
    CAPTURE(text);
    CHECK(Wide(text) == "");
  }
  CHECK(Wide("@tmp") == "every place of @tmp for reading and writing");
  CHECK(Wide("@tmp", false) == "");
  CHECK(Wide("/srv") ==
        "every file of \"/srv\", which contains this project and its neighbours, for reading and "
        "writing");
}

TEST_CASE("wide: the home of another user, also for reading") {
  for (const char* text : {"/root", "/home/other", "/home/other/*", "/Users/other"}) {
    CAPTURE(text);
    CHECK(Wide(text).find(", another user's home, for reading and writing") != std::string::npos);
    CHECK(Wide(text, false).find(", another user's home, for reading") != std::string::npos);
  }
  CHECK(Wide("/home/other/shared") == "");
  CHECK(Wide("/root/shared", false) == "");
  CHECK(Wide("~").find("the home directory") != std::string::npos);
}

TEST_CASE("sessions: those that may access what others may not") {
  const Desk desk;
  desk.User(R"("read": {"allow": [".", "/srv/read"]}, "write": {"allow": ["."]})");
  desk.Session("s-1", R"("read": {"allow": ["/srv/a"]}, "write": {"allow": ["/srv/a"]})");
  desk.Session("s-2", R"("tools": {"allow": ["mcp__team__*"]}, "read": {"allow": ["@tmp"]})");
  desk.Session("s-3", R"("write": {"allow": ["/srv/read"]})");
  desk.Session("bad", R"("reed": {})");
  const std::string& home = desk.where.home;
  CHECK(desk.Sessions(PathTarget("/srv/a", home)) == Texts{"s-1"});
  CHECK(desk.Sessions(PathTarget("/srv/a", home, false)) == Texts{"s-1"});
  CHECK(desk.Sessions(PathTarget("/srv/a/b", home)) == Texts{"s-1 by /srv/a"});
  CHECK(desk.Sessions(PathTarget("/srv/b", home)) == Texts{});
  CHECK(desk.Sessions(PathTarget("/srv/read", home)) == Texts{"s-3"});
  CHECK(desk.Sessions(PathTarget("/srv/read", home, false)) == Texts{});  // all sessions may read
  CHECK(desk.Sessions(PathTarget("@tmp", home)) == Texts{"s-2"});
  GrantTarget tool;
  tool.kind = TargetKind::kTool;
  tool.text = tool.named = "mcp__team__send";
  CHECK(desk.Sessions(tool) == Texts{"s-2 by mcp__team__*"});
}

TEST_CASE("sandbox lists: entries that init would add and remove") {
  const Desk desk;
  desk.User(R"("write": {"allow": ["."]}, "network": {"allow": ["a.example"]})");
  const std::vector<SandboxEntry> before = SandboxEntriesFor(desk.Read());
  desk.User(R"("write": {"allow": [".", "~/.npm", "~/x/*", "@claude-scratch"]},
               "network": {"allow": ["a.example", "b.example"]})");
  const std::vector<SandboxEntry> after = SandboxEntriesFor(desk.Read());
  const auto settings = [](const std::string& sandbox) {
    const std::string hooks =
        R"("hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "/x/ringfence-hook"}]}]})";
    SettingsFile file{SettingsLayer::kUser, "/s.json", "{" + hooks + sandbox + "}", {}};
    file.settings = ParseClientSettings(*file.text, "s.json", file.path);
    return std::vector<SettingsFile>{file};
  };
  const std::vector<SandboxEntry> beyond = EntriesBeyond(after, before, settings(""));
  CHECK(beyond == std::vector<SandboxEntry>{{SettingsLayer::kUser, kAllowWrite, "~/.npm"},
                                            {SettingsLayer::kUser, kAllowedDomains, "b.example"}});
  CHECK(EntriesBeyond(before, after, settings("")).empty());
  CHECK(EntriesBeyond(after, before, {}).empty());  // no file registers the hook
  const auto holds = [&](const std::string& sandbox) {
    return HoldsAny(settings(R"(, "sandbox": )" + sandbox), beyond);
  };
  CHECK(holds(R"({"filesystem": {"allowWrite": ["~/y", "~/.npm"]}})"));
  CHECK(holds(R"({"network": {"allowedDomains": ["b.example"]}})"));
  CHECK(!holds(R"({"network": {"allowedDomains": ["a.example"]}})"));
  CHECK(!holds(R"({"filesystem": {"denyWrite": ["~/.npm"]}})"));
  desk.User(R"("bash": {"wrap": true}, "write": {"allow": [".", "~/.npm"]})");
  CHECK(SandboxEntriesFor(desk.Read()).empty());
}
