#include "agents/claude/setup/client_sandbox.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "agents/claude/agent.h"
#include "cli/common/confinement.h"
#include "cli/setup/repository_writes.h"
#include "policy/load/layers.h"
#include "policy/load/load.h"

using namespace ringfence;

namespace {

// A context with one policy per layer, from wide to narrow: first the user's, then the project's.
class Derived {
 public:
  explicit Derived(const std::vector<std::string>& texts) {
    std::vector<Error> mistakes;
    sources_.built_in = LoadPolicy(BuiltInPolicy(ClaudeCode()), mistakes);
    Layer layer = Layer::kManaged;
    for (const std::string& text : texts) {
      auto file = LoadPolicy({text, "/policy.json", "policy.json", true, &ClaudeCode()}, mistakes);
      REQUIRE(file != nullptr);
      sources_.sources.push_back({layer, true, std::move(file)});
      layer = Layer::kUser;
    }
    places_.root = places_.root_real = Path::Clean("/home/dev/p");
    places_.homes = places_.homes_real = {Path::Clean("/home/dev")};
    Result<Policy> policy = MergePolicies(sources_, "", places_, Caller{});
    REQUIRE(policy.has_value());
    policy_ = std::move(*policy);
  }

  ClientLimits Sandbox(SettingsLayer layer) const {
    return SandboxFor(policy_, places_, layer, {"~/.config/ringfence"});
  }
  Places& places() { return places_; }
  ClientLimits Fence(bool up) const { return ClientFenceFor(policy_, up); }

 private:
  PolicySources sources_;
  Places places_{.agent = &ClaudeCode()};
  Policy policy_;
};

std::vector<std::string> TextsOf(const ClientLimits& limits, const std::string& pointer) {
  const auto found = std::ranges::find(limits.lists, pointer, &ClientLimits::Texts::pointer);
  return found == limits.lists.end() ? std::vector<std::string>{} : found->texts;
}

std::optional<bool> FlagOf(const ClientLimits& limits, const std::string& pointer) {
  const auto found = std::ranges::find(limits.flags, pointer, &ClientLimits::Flag::pointer);
  if (found == limits.flags.end()) return {};
  return found->value;
}

bool Notes(const ClientLimits& limits, std::string_view part) {
  return std::ranges::any_of(
      limits.notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

bool Has(const std::vector<std::string>& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

using Texts = std::vector<std::string>;

TEST_CASE("client sandbox: the built-in policy enables it and keeps secrets from commands") {
  const ClientLimits limits = Derived({}).Sandbox(SettingsLayer::kUser);
  CHECK(FlagOf(limits, "/sandbox/enabled") == true);
  CHECK(FlagOf(limits, "/sandbox/failIfUnavailable") == true);
  CHECK(FlagOf(limits, "/sandbox/allowUnsandboxedCommands") == false);
  CHECK(Has(TextsOf(limits, "/sandbox/filesystem/denyRead"), "~/.ssh"));
  CHECK(Has(TextsOf(limits, "/sandbox/filesystem/denyRead"), "/etc/shadow"));
  CHECK(TextsOf(limits, "/sandbox/filesystem/allowWrite").empty());
  CHECK(TextsOf(limits, "/sandbox/filesystem/denyWrite") == Texts{"~/.config/ringfence"});
  CHECK(TextsOf(limits, "/sandbox/network/allowedDomains").empty());
  CHECK(limits.notes.empty());
}

TEST_CASE("client sandbox: plain entries of the policy are carried over") {
  const Derived derived({R"({"version": 1,
      "read": {"allow": ["."], "deny": ["/srv/keys"], "ask": ["~/mail"]},
      "write": {"allow": [".", "~/out", "/srv/out"], "ask": ["/srv/out/live"], "deny": ["docs/adr"]}})"});
  const ClientLimits local = derived.Sandbox(SettingsLayer::kLocal);
  CHECK(TextsOf(local, "/sandbox/filesystem/allowWrite") == Texts{"~/out", "/srv/out"});
  const Texts deny_write = TextsOf(local, "/sandbox/filesystem/denyWrite");
  CHECK(Has(deny_write, "./docs/adr"));
  CHECK(Has(deny_write, "/srv/out/live"));
  // Paths outside the project may be writable, so the sets apply there.
  CHECK(Has(deny_write, "~/.bashrc"));
  const Texts deny_read = TextsOf(local, "/sandbox/filesystem/denyRead");
  CHECK(Has(deny_read, "/srv/keys"));
  CHECK(Has(deny_read, "~/mail"));
}

TEST_CASE("client sandbox: in a subdirectory of the project its paths are absolute") {
  Derived derived({R"({"version": 1, "write": {"deny": ["docs/adr"]}})"});
  derived.places().start = Path::Clean("/home/dev/p/part");
  const ClientLimits local = derived.Sandbox(SettingsLayer::kLocal);
  CHECK(Has(TextsOf(local, "/sandbox/filesystem/denyWrite"), "/home/dev/p/docs/adr"));
}

TEST_CASE("client sandbox: the repository is opened if the client starts in a subdirectory") {
  Places places{.agent = &ClaudeCode()};
  places.root = places.root_real = Path::Clean("/home/dev/p");
  CHECK(RepositoryWritesFor(places).allow.empty());
  places.start = places.root;
  CHECK(RepositoryWritesFor(places).allow.empty());
  places.start = Path::Clean("/home/dev/p/part");
  const RepositoryWrites writes = RepositoryWritesFor(places);
  CHECK(writes.allow == Texts{"/home/dev/p"});
  CHECK(Has(writes.deny, "/home/dev/p/.vscode"));
  ClientLimits limits;
  limits.lists.push_back({"/sandbox/filesystem/denyWrite", {"/x", "/home/dev/p/.idea"}});
  AddTo(limits, writes);
  CHECK(TextsOf(limits, "/sandbox/filesystem/allowWrite") == writes.allow);
  CHECK(TextsOf(limits, "/sandbox/filesystem/denyWrite") ==
        Texts{"/x", "/home/dev/p/.idea", "/home/dev/p/.vscode", "/home/dev/p/.ringfence"});
  AddTo(limits, RepositoryWrites());
  CHECK(limits.lists.size() == 2);
  // The client reads this path as a pattern.
  places.root = places.root_real = Path::Clean("/home/dev/p[1]");
  CHECK(RepositoryWritesFor(places).allow.empty());
}

TEST_CASE("client sandbox: a path with \"ask\" is not writable for commands") {
  const ClientLimits limits =
      Derived({R"({"version": 1, "write": {"allow": ["."], "ask": ["/srv/out"]}})"})
          .Sandbox(SettingsLayer::kLocal);
  CHECK(TextsOf(limits, "/sandbox/filesystem/allowWrite").empty());
  CHECK(Has(TextsOf(limits, "/sandbox/filesystem/denyWrite"), "/srv/out"));
}

TEST_CASE("client sandbox: entries that cannot be carried over are reported") {
  const Derived derived({R"({"version": 1, "read": {"deny": ["**/.env", "~/k*"]},
      "write": {"allow": ["src"], "deny": ["docs"]}})"});
  const ClientLimits user = derived.Sandbox(SettingsLayer::kUser);
  CHECK(Notes(user, "**/.env"));
  CHECK(Notes(user, "~/k*"));
  CHECK(Notes(user, "docs"));
  CHECK(Notes(user, "narrower than the project"));
  CHECK_FALSE(Has(TextsOf(user, "/sandbox/filesystem/denyWrite"), "./docs"));
  CHECK_FALSE(Notes(derived.Sandbox(SettingsLayer::kProject), "docs"));
}

TEST_CASE("client sandbox: only what every layer allows is opened") {
  const ClientLimits limits =
      Derived({R"({"version": 1, "write": {"allow": [".", "/srv"]},
                   "network": {"allow": ["*.a.example", "b.example"]}})",
               R"({"version": 1, "write": {"allow": [".", "/srv/out", "/opt"]},
                   "network": {"allow": ["x.a.example", "c.example"]}})"})
          .Sandbox(SettingsLayer::kUser);
  CHECK(TextsOf(limits, "/sandbox/filesystem/allowWrite") == Texts{"/srv/out"});
  CHECK(TextsOf(limits, "/sandbox/network/allowedDomains") == Texts{"x.a.example"});
}

TEST_CASE("client sandbox: hosts") {
  const Derived derived({R"({"version": 1, "network": {
      "allow": ["a.example:443", "*.b.example"], "deny": ["x.b.example"], "unlisted": "deny"}})"});
  const ClientLimits user = derived.Sandbox(SettingsLayer::kUser);
  CHECK(TextsOf(user, "/sandbox/network/allowedDomains") == Texts{"a.example", "*.b.example"});
  CHECK(TextsOf(user, "/sandbox/network/deniedDomains") == Texts{"x.b.example"});
  CHECK(FlagOf(user, "/sandbox/network/strictAllowlist") == true);
  CHECK(Notes(user, "ports"));
  // The client accepts that key only from the user and the administrator.
  CHECK_FALSE(FlagOf(derived.Sandbox(SettingsLayer::kLocal), "/sandbox/network/strictAllowlist"));
}

TEST_CASE("client fence: it is up only if requested") {
  const ClientLimits up = Derived({}).Fence(true);
  CHECK(FlagOf(up, "/permissions/blockReadsOutsideWorkingDirectories") == true);
  CHECK(FlagOf(up, "/permissions/blockWritesOutsideWorkingDirectories") == true);
  CHECK(up.dropped.empty());
  CHECK(Notes(up, "bypassPermissions"));  // its cost
  const ClientLimits down = Derived({}).Fence(false);
  CHECK(down.flags.empty());
  CHECK(down.notes.empty());
  CHECK(down.dropped == Texts{"/permissions/blockReadsOutsideWorkingDirectories",
                              "/permissions/blockWritesOutsideWorkingDirectories"});
}

TEST_CASE("client fence: a note says that it refuses what the policy permits beyond the project") {
  for (const char* text : {R"({"version": 1, "read": {"allow": [".", "~/src"]}})",
                           R"({"version": 1, "read": {"allow": [".", "@toolchains"]}})",
                           R"({"version": 1, "read": {"ask": ["/srv"]}})"}) {
    CAPTURE(text);
    const ClientLimits limits = Derived({text}).Fence(true);
    CHECK(FlagOf(limits, "/permissions/blockReadsOutsideWorkingDirectories") == true);
    CHECK(Notes(limits, "read.allow"));
    CHECK_FALSE(Notes(limits, "write.allow"));
  }
}

std::vector<SettingsFile> Files(const std::string& user, const std::string& project,
                                const std::string& local, const std::string& managed) {
  std::vector<SettingsFile> files;
  const std::string* texts[] = {&user, &project, &local, &managed};
  for (const SettingsLayer layer : kSettingsLayers) {
    SettingsFile file;
    file.layer = layer;
    file.settings = ParseClientSettings(*texts[static_cast<size_t>(layer)], "settings.json", "/s");
    files.push_back(std::move(file));
  }
  return files;
}

TEST_CASE("confinement: the layer that decides if the sandbox is on") {
  const std::string on = R"({"sandbox": {"enabled": true}})";
  const std::string off = R"({"sandbox": {"enabled": false}})";
  const std::string strict = R"({"sandbox": {"enabled": true, "allowUnsandboxedCommands": false}})";
  const std::string open = R"({"sandbox": {"enabled": true, "filesystem": {"disabled": true}}})";
  struct Row {
    std::string user, project, local, managed;
    bool want;
  };
  const Row kRows[] = {
      {"{}", "{}", "{}", "{}", false},
      {on, "{}", "{}", "{}", true},
      {on, off, "{}", "{}", false},
      {strict, off, "{}", "{}", false},
      {strict, "{}", off, "{}", false},
      {strict, "{}", off, on, true},
      {"{}", on, "{}", "{}", true},
      {"{}", on, off, "{}", false},
      {"{}", off, on, "{}", true},
      {strict, "{}", "{}", off, false},
      {off, off, off, on, true},
      {open, "{}", "{}", "{}", false},
      {"{}", on, R"({"model": 5, "sandbox": {"enabled": false}})", "{}", true},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.user);
    CAPTURE(row.project);
    CAPTURE(row.local);
    CHECK(CheckConfinement(Files(row.user, row.project, row.local, row.managed), {}).is_confined ==
          row.want);
  }
}

TEST_CASE("confinement: a sandbox without its programs confines nothing") {
  const auto files = Files(R"({"sandbox": {"enabled": true}})", "{}", "{}", "{}");
  CHECK_FALSE(CheckConfinement(files, {{"bwrap"}, ""}).is_confined);
  CHECK_FALSE(CheckConfinement(files, {{}, "no namespaces"}).is_confined);
  CHECK(CheckConfinement(files, {{"bwrap"}, ""}).sentence.find("NOT confined") !=
        std::string::npos);
}

TEST_CASE("confinement: commands that run outside the sandbox are named") {
  const auto files =
      Files(R"({"sandbox": {"enabled": true, "excludedCommands": ["git *"]}})", "{}", "{}", "{}");
  const Confinement confinement = CheckConfinement(files, {});
  REQUIRE(confinement.holes.size() == 1);
  CHECK(confinement.holes[0].find("git *") != std::string::npos);
}

TEST_CASE("confinement: a sandbox that excludes every command confines nothing") {
  const auto files =
      Files("{}", R"({"sandbox": {"enabled": true, "excludedCommands": ["*"]}})", "{}", "{}");
  const Confinement confinement = CheckConfinement(files, {});
  CHECK_FALSE(confinement.is_confined);
  CHECK(confinement.sentence.find("every command") != std::string::npos);
}

TEST_CASE("hooks: the file that disables them") {
  const std::string off = R"({"disableAllHooks": true})";
  const std::string managed = R"({"allowManagedHooksOnly": true})";
  const auto count = [](const std::vector<SettingsFile>& files, SettingsLayer layer) {
    return FindHookSwitches(files, layer).size();
  };
  CHECK(count(Files("{}", "{}", "{}", "{}"), SettingsLayer::kUser) == 0);
  CHECK(count(Files(off, "{}", "{}", "{}"), SettingsLayer::kUser) == 1);
  CHECK(count(Files(off, "{}", off, "{}"), SettingsLayer::kManaged) == 0);
  CHECK(count(Files("{}", "{}", "{}", off), SettingsLayer::kManaged) == 1);
  CHECK(count(Files("{}", "{}", off, "{}"), SettingsLayer::kUser) == 1);
  CHECK(count(Files("{}", "{}", "{}", managed), SettingsLayer::kUser) == 1);
  CHECK(count(Files("{}", "{}", "{}", managed), SettingsLayer::kManaged) == 0);
  CHECK(count(Files(managed, "{}", "{}", "{}"), SettingsLayer::kUser) == 0);
  CHECK(count(Files(R"({"disableAllHooks": true, "model": 5})", "{}", "{}", "{}"),
              SettingsLayer::kUser) == 0);
}

}  // namespace
