// What `ringfence settings` derives from a policy: fixtures/settings, rows, and properties of
// random policies. With UPDATE_FIXTURES=1 what is derived now is written, to be reviewed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/client_sandbox.h"
#include "cli/settings/derived_settings.h"
#include "cli/settings/merge_settings.h"
#include "cli/settings/path_rules.h"
#include "cli/settings/tool_names.h"
#include "cli/settings/unsafe_bypass.h"
#include "policy/client_settings.h"
#include "policy/judge_tool.h"
#include "policy/tools.h"
#include "tests/mutate.h"
#include "tests/random_policy.h"
#include "tests/world.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

constexpr const char* kHook = "/opt/ringfence/bin/ringfence-hook";

fs::path Folder() {
  return fs::path(__FILE__).parent_path().parent_path() / "fixtures" / "settings";
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A policy, a profile, and what is derived from the two.
class Maker {
 public:
  explicit Maker(const World& world, std::string profile = "")
      : world_(world), profile_(std::move(profile)) {
    Result<Policy> policy = MergePolicies(world.sources, profile_, world.places, Caller{});
    if (!policy) throw std::runtime_error(policy.error().text());
    policy_ = std::move(*policy);
  }

  SettingsQuestion Question(bool under_run = false) const {
    return {.policy = policy_,
            .sources = world_.sources,
            .places = world_.places,
            .command = CommandOf({.program = kHook, .home = "/home/dev", .profile = profile_}),
            .guarded = {"~/.config/ringfence", "./.ringfence"},
            .wrapping = {"Bash(/opt/ringfence/bin/ringfence enter *)", "Bash(exit)"},
            .under_run = under_run};
  }
  OrderedJson Claude(bool under_run = false) const {
    return ClientSettingsFor(Question(under_run)).json;
  }
  OrderedJson Sdk(SdkLanguage language = SdkLanguage::kTypeScript) const {
    return SdkOptionsFor(Question(), language).json;
  }
  ToolNames Tools() const { return ToolNamesFor(policy_, world_.sources); }
  PathRulesOfClient Paths() const { return PathRulesFor(policy_, world_.places); }
  std::optional<Error> Unsafe() const {
    return UnsafeBypass({policy_, world_.sources, profile_, world_.places});
  }
  const Policy& policy() const { return policy_; }

 private:
  const World& world_;
  std::string profile_;
  Policy policy_;
};

struct UserWorld : World {
  explicit UserWorld(std::string_view members) { User(members); }
};

bool Has(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

// What the client would make of the settings.
ClientSettings Judged(const OrderedJson& settings) {
  return ParseClientSettings(settings.dump(), "settings.json", "/settings.json");
}

// The SDK's options as the settings that the client gets.
OrderedJson SettingsIn(const OrderedJson& options) {
  OrderedJson settings = options["settings"];
  settings["sandbox"] = options["sandbox"];
  settings["permissions"]["defaultMode"] = options["permissionMode"];
  return settings;
}

Texts ProfilesOf(const PolicySources& sources) {
  Texts names{""};
  for (const PolicySource& source : sources.sources) {
    for (const Profile& profile : source.file->profiles) {
      if (profile.when && profile.when->is_chosen_by_event()) continue;
      names.emplace_back(profile.name);
    }
  }
  return names;
}

OrderedJson Shown(const Derived& derived) {
  CHECK(Judged(derived.json.contains("settings") ? SettingsIn(derived.json) : derived.json)
            .drops.empty());
  return {{"result", derived.json}, {"notes", derived.notes}};
}

void CheckFile(const fs::path& path, const OrderedJson& value) {
  const std::string text = value.dump(2) + "\n";
  if (std::getenv("UPDATE_FIXTURES") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  CHECK(text == ReadFile(path));
}

std::string Merge(const std::string& text, const OrderedJson& settings, bool replaces,
                  Texts* conflicts = nullptr) {
  const Result<Merged> merged = MergeSettings({text, "/s.json", settings, {kHook, {}}, replaces});
  if (!merged) return "error: " + merged.error().text();
  if (conflicts != nullptr) *conflicts = merged->conflicts;
  return merged->text;
}

}  // namespace

TEST_CASE("settings: every fixture derives what stands beside it") {
  size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(Folder())) {
    if (!entry.is_directory()) continue;
    CAPTURE(entry.path().filename().string());
    World world;
    world.AddFile(Layer::kUser, ReadFile(entry.path() / "policy.json"));
    OrderedJson claude;
    OrderedJson sdk;
    for (const std::string& profile : ProfilesOf(world.sources)) {
      const Maker maker(world, profile);
      claude[profile] = Shown(ClientSettingsFor(maker.Question()));
      sdk[profile] = Shown(SdkOptionsFor(maker.Question(), SdkLanguage::kTypeScript));
    }
    CheckFile(entry.path() / "claude.json", claude);
    CheckFile(entry.path() / "sdk.json", sdk);
    ++cases;
  }
  CHECK(cases >= 6);
}

TEST_CASE("settings: the registration is the one that init writes") {
  const UserWorld world(R"("profiles": {"p": {}})");
  Result<SettingsEditor> opened = SettingsEditor::Open("{}", {});
  SettingsEditor& editor = *opened;
  editor.Register({kHook, {"--home", "/home/dev", "--profile", "p"}});
  const OrderedJson hooks = OrderedJson::parse(editor.text())["hooks"];
  const Maker maker(world, "p");
  CHECK(maker.Claude()["hooks"] == hooks);
  CHECK(maker.Sdk()["settings"]["hooks"] == hooks);
}

TEST_CASE("settings: the sandbox of init and of settings is one") {
  const UserWorld world(R"("network": {"allow": ["a.example"]}, "write": {"deny": ["x"]})");
  const Maker maker(world);
  const ClientLimits init =
      SandboxFor(maker.policy(), world.places, SettingsLayer::kLocal, {"~/.config/ringfence"});
  const OrderedJson ours = maker.Claude();
  for (const ClientLimits::Flag& flag : init.flags) {
    CHECK(ours[OrderedJson::json_pointer(flag.pointer)] == flag.value);
  }
  for (const ClientLimits::Texts& list : init.lists) {
    if (list.texts.empty()) continue;
    Texts texts = ours[OrderedJson::json_pointer(list.pointer)];
    for (std::string text : list.texts) {
      CAPTURE(text);
      if (text.starts_with("./")) text = "/home/dev/project/" + text.substr(2);
      CHECK(Has(texts, text));
    }
  }
}

TEST_CASE("settings: a second sandbox is never asked for") {
  const UserWorld plain("");
  const UserWorld wrapped(R"("bash": {"wrap": true})");
  const OrderedJson off{{"enabled", false}};
  CHECK(Maker(plain).Claude(true)["sandbox"] == off);
  CHECK(Maker(wrapped).Claude()["sandbox"] == off);
  CHECK(Maker(wrapped).Sdk()["sandbox"] == off);
  CHECK(Maker(plain).Claude()["sandbox"]["enabled"] == true);
}

TEST_CASE("settings: commands go without a prompt only where the policy does not ask about them") {
  const auto goes = [](const OrderedJson& sandbox) {
    return sandbox.value("autoAllowBashIfSandboxed", false);
  };
  const UserWorld plain("");
  CHECK_FALSE(goes(Maker(plain).Claude()["sandbox"]));
  CHECK(goes(Maker(plain).Sdk()["sandbox"]));
  const UserWorld allowing(R"("permitted": "allow")");
  CHECK(goes(Maker(allowing).Claude()["sandbox"]));
  for (const char* word : {"ask", "deny"}) {
    const UserWorld world(R"("permitted": "allow", "tools": {")" + std::string(word) +
                          R"(": ["Bash"]})");
    CHECK_FALSE(goes(Maker(world).Claude()["sandbox"]));
    CHECK_FALSE(goes(Maker(world).Sdk()["sandbox"]));
  }
}

TEST_CASE("settings: tools carry the restriction, and allowedTools what needs no prompt") {
  const UserWorld listed(
      R"("permitted": "allow", "tools": {"allow": ["Read", "Bash", "Task", "mcp__s__*"], "ask": ["Write"]})");
  ToolNames names = Maker(listed).Tools();
  CHECK(names.tools == Texts{"Agent", "Bash", "Read", "Write"});
  CHECK(names.mcp == Texts{"mcp__s__*"});
  CHECK(names.allowed == Texts{"Read"});
  CHECK(names.denied.empty());
  CHECK(Has(names.missing, "WebFetch"));

  const UserWorld silent(R"("tools": {"allow": ["Read", "ExitPlanMode"]})");
  names = Maker(silent).Tools();
  CHECK(names.allowed.empty());
  CHECK(names.denied == Texts{"mcp__*"});

  const UserWorld every(R"("permitted": "allow", "tools": {"allow": ["*"]})");
  names = Maker(every).Tools();
  CHECK(names.every_tool);
  CHECK(names.denied.empty());
  CHECK_FALSE(Has(names.allowed, "ExitPlanMode"));
  CHECK(Has(names.allowed, "Read"));
  CHECK(Maker(every).Sdk()["tools"]["preset"] == "claude_code");
}

TEST_CASE("settings: a profile that brings prompts back for some callers leaves no rule without") {
  const UserWorld world(
      R"("permitted": "allow", "profiles": {"w": {"when": {"subagent": true}, "permitted": "client"}})");
  CHECK(Maker(world).Sdk()["allowedTools"].empty());
}

TEST_CASE("settings: an MCP glob must be in every list") {
  UserWorld world(R"("tools": {"allow": ["Read", "mcp__a__*", "mcp__b__x"]})");
  world.Managed(R"("tools": {"allow": ["Read", "mcp__a__one", "mcp__b__*"]})");
  CHECK(Maker(world).Tools().mcp == Texts{"mcp__b__x", "mcp__a__one"});
}

TEST_CASE("settings: a name that the client skips is said, where nothing else says it") {
  const UserWorld world(R"("tools": {"deny": ["webfetch", "mc*", "mcp_x*", "Cron*", "*Edit"]})");
  const ToolNames names = Maker(world).Tools();
  CHECK(names.denied == Texts{"mcp_x*", "Cron*", "*Edit", "mcp__*"});
  CHECK(names.lost == Texts{"mc*"});
  CHECK(Has(names.missing, "WebFetch"));
}

TEST_CASE("settings: floating denies become the client's rules") {
  UserWorld world(R"("read": {"deny": ["**/.env", "k/*.key", "~/n/*", "/s/*/t", "plain"]},)"
                  R"("write": {"deny": ["**/*.lock"]})");
  const PathRulesOfClient rules = Maker(world).Paths();
  for (const char* rule :
       {"Read(//**/.env)", "Read(//home/dev/project/**/.env)", "Read(//home/dev/project/k/*.key)",
        "Read(~/n/*)", "Read(//s/*/t)", "Edit(//**/*.lock)"}) {
    CAPTURE(rule);
    CHECK(Has(rules.deny, rule));
  }
  CHECK(std::ranges::none_of(
      rules.deny, [](const std::string& rule) { return rule.find("plain") != std::string::npos; }));
  CHECK(rules.notes.empty());
}

TEST_CASE("settings: a project's own name is no pattern, and both of its names count") {
  UserWorld world(R"("read": {"deny": ["**/.env"]})");
  world.MoveRoot("/home/dev/a[1]", "/srv/b*");
  const Texts deny = Maker(world).Paths().deny;
  CHECK(Has(deny, R"(Read(//home/dev/a\[1]/**/.env))"));
  CHECK(Has(deny, R"(Read(//srv/b\*/**/.env))"));
}

TEST_CASE("settings: what the client has no rule for is said") {
  const UserWorld world(R"("read": {"deny": ["a[0-9]", "b[!x]", "c\\[d"]})");
  const PathRulesOfClient rules = Maker(world).Paths();
  REQUIRE(rules.notes.size() == 1);
  CHECK(rules.notes[0].find(R"("a[0-9]", "b[!x]")") != std::string::npos);
  CHECK(Has(rules.deny, R"(Read(//home/dev/project/c\[d))"));
}

TEST_CASE("settings: Python's names say the same") {
  const UserWorld world(R"("client": {"permission_mode": "bypassPermissions"})");
  const Maker maker(world);
  const OrderedJson script = maker.Sdk();
  const OrderedJson python = maker.Sdk(SdkLanguage::kPython);
  CHECK(python["allowed_tools"] == script["allowedTools"]);
  CHECK(python["tools"] == script["tools"]);
  CHECK(python["sandbox"] == script["sandbox"]);
  CHECK(OrderedJson::parse(python["settings"].get<std::string>()) == script["settings"]);
  CHECK(script["allowDangerouslySkipPermissions"] == true);
  CHECK(std::ranges::none_of(python.items(), [](const auto& item) {
    return std::ranges::any_of(item.key(), [](char c) { return c >= 'A' && c <= 'Z'; });
  }));
}

TEST_CASE("bypass: refused where a person did not choose both") {
  constexpr const char* kAsk = R"("bash": {"unsandboxed": "ask"})";
  constexpr const char* kMode = R"("client": {"permission_mode": "bypassPermissions"})";
  const auto is_unsafe = [](const std::string& members, const std::string& profile = "") {
    const UserWorld world(members);
    return Maker(world, profile).Unsafe().has_value();
  };
  const std::string both = std::string(kAsk) + "," + kMode;
  const auto with = [](const std::string& around, const std::string& inside) {
    return around + R"(, "profiles": {"p": {)" + inside + "}}";
  };
  CHECK(is_unsafe(both));
  CHECK_FALSE(is_unsafe(kAsk));
  CHECK_FALSE(is_unsafe(kMode));
  CHECK_FALSE(is_unsafe(with(kAsk, kMode)));
  CHECK_FALSE(is_unsafe(with(kAsk, kMode), "p"));
  CHECK_FALSE(is_unsafe(with(kMode, kAsk), "p"));
  CHECK(is_unsafe(with(both, R"("permitted": "allow")"), "p"));
  CHECK_FALSE(is_unsafe(with(kAsk, R"("when": {"root": "~/project"},)" + std::string(kMode))));
  CHECK(is_unsafe(with(both, R"("when": {"subagent": true},)" + std::string(kMode))));
}

TEST_CASE("bypass: the error names the place") {
  const UserWorld world(R"("client": {"permission_mode": "bypassPermissions"},)"
                        "\n"
                        R"("bash": {"unsandboxed": "ask"})");
  const auto unsafe = Maker(world).Unsafe();
  REQUIRE(unsafe.has_value());
  CHECK(unsafe->text().find("policy.json:2: /bash/unsandboxed is \"ask\"") == 0);
}

TEST_CASE("merge: everything else stays byte for byte") {
  const OrderedJson settings{{"permissions", {{"deny", {"A", "B"}}}},
                             {"sandbox", {{"enabled", true}}}};
  const std::string text =
      "{\n\t\"model\" : \"x\",\n\t\"permissions\": {\"deny\": [\"B\"], \"allow\":[ \"Bash(ls)\" "
      "]}\n}";
  const std::string merged = Merge(text, settings, false);
  CHECK(
      merged.starts_with("{\n\t\"model\" : \"x\",\n\t\"permissions\": {\"deny\": [\"B\", \"A\"], "
                         "\"allow\":[ \"Bash(ls)\" ]},\n"));
  const OrderedJson json = OrderedJson::parse(merged);
  CHECK(json["sandbox"]["enabled"] == true);
  CHECK(json["hooks"].size() == ServedEvents().size());
  CHECK(Merge(merged, settings, false) == merged);
}

TEST_CASE(
    "merge: what the file says otherwise is a conflict, and stays where nobody asks for more") {
  const OrderedJson settings{{"sandbox", {{"enabled", true}}},
                             {"permissions", {{"defaultMode", "plan"}}}};
  const std::string text =
      R"({"sandbox": {"enabled": false}, "permissions": {"defaultMode": "auto"}})";
  Texts conflicts;
  OrderedJson json = OrderedJson::parse(Merge(text, settings, false, &conflicts));
  CHECK(conflicts ==
        Texts{R"(/s.json:1:25: sandbox.enabled is false, and the policy wants true)",
              R"(/s.json:1:64: permissions.defaultMode is "auto", and the policy wants "plan")"});
  CHECK(json["sandbox"]["enabled"] == false);
  json = OrderedJson::parse(Merge(text, settings, true, &conflicts));
  CHECK(conflicts.size() == 2);
  CHECK(json["sandbox"]["enabled"] == true);
  CHECK(json["permissions"]["defaultMode"] == "plan");
}

TEST_CASE("merge: an older registration is brought up to date, and other hooks stay") {
  const std::string text =
      R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": ")" +
      std::string(kHook) +
      R"(", "args": ["--old"]}]}, {"hooks": [{"type": "command", "command": "x"}]}]}})";
  const OrderedJson json = OrderedJson::parse(Merge(text, OrderedJson::object(), false));
  const OrderedJson& groups = json["hooks"]["PreToolUse"];
  REQUIRE(groups.size() == 2);
  CHECK(groups[0]["hooks"][0]["args"] == OrderedJson::array());
  CHECK(groups[0]["hooks"][0]["onFailure"] == "block");
  CHECK(groups[1]["hooks"][0]["command"] == "x");
}

TEST_CASE("merge: a file that the client drops is not touched") {
  for (const char* text : {R"({"model": 5})", "{", "[]", R"({"a": 1, "a": 2})",
                           R"({"hooks": {"PreToolUse": 5}})", R"({"sandbox": true})"}) {
    CAPTURE(text);
    CHECK(Merge(text, OrderedJson::object(), true).starts_with("error: /s.json"));
  }
  CHECK(Merge("", OrderedJson::object(), false).starts_with("{"));
}

namespace {

class Property {
 public:
  explicit Property(uint32_t offset) : random_(TestSeed() + offset) {
    MESSAGE("RINGFENCE_SEED=" << TestSeed());
  }

  void Run(int policies) {
    for (int i = 0; i < policies; ++i) {
      World world;
      AddTo(world, Layer::kUser, true);
      if (random_.OneIn(4)) AddTo(world, Layer::kManaged, true);
      if (random_.OneIn(3)) AddTo(world, Layer::kProject, random_.OneIn(2));
      for (const std::string& profile : ProfilesOf(world.sources)) {
        const Result<Policy> policy = MergePolicies(world.sources, profile, world.places, Caller{});
        if (policy) Check(world, profile);
      }
    }
  }

 private:
  void AddTo(World& world, Layer layer, bool trusted) {
    text_ = random_.Policy().dump();
    world.Add(layer, text_.substr(1, text_.size() - 2), trusted);
  }

  void Check(const World& world, const std::string& profile) {
    CAPTURE(text_);
    const Maker maker(world, profile);
    const OrderedJson claude = maker.Claude();
    const OrderedJson sdk = maker.Sdk();
    CHECK(Judged(claude).drops.empty());
    CHECK(Judged(claude).ignored.empty());
    CHECK(Judged(SettingsIn(sdk)).drops.empty());
    CheckSandbox(claude["sandbox"], maker.policy());
    CheckSandbox(sdk["sandbox"], maker.policy());
    CheckTools(sdk, maker.policy());
    for (const std::string name : sdk["allowedTools"]) {
      CHECK(JudgeTool(name, maker.policy()).verdict == Verdict::kPermit);
      CheckAllowed(world, profile, name);
    }
  }

  static void CheckSandbox(const OrderedJson& sandbox, const Policy& policy) {
    CHECK(sandbox["enabled"] == !policy.wrap_bash);
    if (policy.wrap_bash) return;
    CHECK(sandbox["allowUnsandboxedCommands"] == false);
    CHECK(sandbox["failIfUnavailable"] == true);
  }

  static void CheckTools(const OrderedJson& sdk, const Policy& policy) {
    if (!sdk["tools"].is_array()) return;
    for (const std::string name : sdk["tools"]) {
      CAPTURE(name);
      CHECK(JudgeTool(name, policy).verdict != Verdict::kDeny);
    }
  }

  // A rule without a prompt counts for every caller, so the hook must say "allow" to each of them
  // where it does not refuse the tool.
  static void CheckAllowed(const World& world, const std::string& profile,
                           const std::string& name) {
    const KnownTool* tool = FindTool(name);
    REQUIRE(tool != nullptr);
    CHECK_FALSE(tool->runs_code);
    for (const char* agent : {"", "Explore", "Plan", "worker"}) {
      for (const char* mode : {"default", "plan", "bypassPermissions"}) {
        const Caller caller{agent, *agent != '\0', mode};
        const Result<Policy> policy = MergePolicies(world.sources, profile, world.places, caller);
        REQUIRE(policy.has_value());
        CAPTURE(name);
        CAPTURE(agent);
        CAPTURE(mode);
        CHECK(policy->permitted == Permitted::kAllow);
      }
    }
  }

  RandomPolicies random_;
  std::string text_;
};

}  // namespace

TEST_CASE("property: no setting is dropped, and nothing is allowed that the policy denies") {
  Property(77).Run(300);
}
