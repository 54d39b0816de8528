// Settings that `ringfence settings` derives from a policy: fixtures/settings. With
// UPDATE_FIXTURES=1, writes the current results there for review.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agents/claude/setup/client_sandbox.h"
#include "tests/support/project_root.h"
#include "tests/support/settings_maker.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

fs::path Folder() { return ProjectRoot() / "fixtures" / "settings"; }

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct UserWorld : World {
  explicit UserWorld(std::string_view members) { User(members); }
};

bool Has(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

OrderedJson Shown(const Derived& derived) {
  CHECK(MaybeDecision(derived.json.contains("settings") ? SettingsIn(derived.json) : derived.json)
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

}  // namespace

TEST_CASE("settings: every fixture gives the expected result beside it") {
  size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(Folder())) {
    if (!entry.is_directory()) continue;
    CAPTURE(entry.path().filename().string());
    World world;
    world.AddFile(Layer::kUser, ReadFile(entry.path() / "policy.json"));
    OrderedJson claude;
    OrderedJson sdk;
    for (const std::string& profile : ProfilesOf(world.sources)) {
      const SettingsMaker maker(world, profile);
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
  editor.Register({kHookProgram, {"--home", "/home/dev", "--profile", "p"}});
  const OrderedJson hooks = OrderedJson::parse(editor.text())["hooks"];
  const SettingsMaker maker(world, "p");
  CHECK(maker.Claude()["hooks"] == hooks);
  CHECK(maker.Sdk()["settings"]["hooks"] == hooks);
}

TEST_CASE("settings: init and settings derive the same sandbox") {
  const UserWorld world(R"("network": {"allow": ["a.example"]}, "write": {"deny": ["x"]})");
  const SettingsMaker maker(world);
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

TEST_CASE("settings: a second sandbox is never requested") {
  const UserWorld plain("");
  const UserWorld wrapped(R"("bash": {"wrap": true})");
  const OrderedJson off{{"enabled", false}};
  CHECK(SettingsMaker(plain).Claude(true)["sandbox"] == off);
  CHECK(SettingsMaker(wrapped).Claude()["sandbox"] == off);
  CHECK(SettingsMaker(wrapped).Sdk()["sandbox"] == off);
  CHECK(SettingsMaker(plain).Claude()["sandbox"]["enabled"] == true);
}

TEST_CASE("settings: commands run without a prompt only if the policy does not ask about them") {
  const auto goes = [](const OrderedJson& sandbox) {
    return sandbox.value("autoAllowBashIfSandboxed", false);
  };
  const UserWorld plain("");
  CHECK_FALSE(goes(SettingsMaker(plain).Claude()["sandbox"]));
  CHECK(goes(SettingsMaker(plain).Sdk()["sandbox"]));
  const UserWorld allowing(R"("permitted": "allow")");
  CHECK(goes(SettingsMaker(allowing).Claude()["sandbox"]));
  for (const char* word : {"ask", "deny"}) {
    const UserWorld world(R"("permitted": "allow", "tools": {")" + std::string(word) +
                          R"(": ["Bash"]})");
    CHECK_FALSE(goes(SettingsMaker(world).Claude()["sandbox"]));
    CHECK_FALSE(goes(SettingsMaker(world).Sdk()["sandbox"]));
  }
}

TEST_CASE("settings: tools carry the restriction, and allowedTools the tools that need no prompt") {
  const UserWorld listed(
      R"("permitted": "allow", "tools": {"allow": ["Read", "Bash", "Task", "mcp__s__*"], "ask": ["Write"]})");
  ToolNames names = SettingsMaker(listed).Tools();
  CHECK(names.tools == Texts{"Agent", "Bash", "Read", "Write"});
  CHECK(names.mcp == Texts{"mcp__s__*"});
  CHECK(names.allowed == Texts{"Read"});
  CHECK(names.denied.empty());
  CHECK(Has(names.missing, "WebFetch"));

  const UserWorld silent(R"("tools": {"allow": ["Read", "ExitPlanMode"]})");
  names = SettingsMaker(silent).Tools();
  CHECK(names.allowed.empty());
  CHECK(names.denied == Texts{"mcp__*"});

  const UserWorld every(R"("permitted": "allow", "tools": {"allow": ["*"]})");
  names = SettingsMaker(every).Tools();
  CHECK(names.every_tool);
  CHECK(names.denied.empty());
  CHECK_FALSE(Has(names.allowed, "ExitPlanMode"));
  CHECK(Has(names.allowed, "Read"));
  CHECK(SettingsMaker(every).Sdk()["tools"]["preset"] == "claude_code");
}

TEST_CASE("settings: a profile that prompts some callers rules out rules without a prompt") {
  const UserWorld world(
      R"("permitted": "allow", "profiles": {"w": {"when": {"subagent": true}, "permitted": "client"}})");
  CHECK(SettingsMaker(world).Sdk()["allowedTools"].empty());
}

TEST_CASE("settings: an MCP glob must be in every list") {
  UserWorld world(R"("tools": {"allow": ["Read", "mcp__a__*", "mcp__b__x"]})");
  world.Managed(R"("tools": {"allow": ["Read", "mcp__a__one", "mcp__b__*"]})");
  CHECK(SettingsMaker(world).Tools().mcp == Texts{"mcp__b__x", "mcp__a__one"});
}

TEST_CASE("settings: a name that the client skips is reported, unless another rule covers it") {
  const UserWorld world(R"("tools": {"deny": ["webfetch", "mc*", "mcp_x*", "Cron*", "*Edit"]})");
  const ToolNames names = SettingsMaker(world).Tools();
  CHECK(names.denied == Texts{"mcp_x*", "Cron*", "*Edit", "mcp__*"});
  CHECK(names.lost == Texts{"mc*"});
  CHECK(Has(names.missing, "WebFetch"));
}

TEST_CASE("settings: the client's own fence is set on request") {
  const UserWorld world(R"("read": {"deny": ["k"]})");
  const SettingsMaker maker(world);
  SettingsQuestion question = maker.Question();
  const char* const kReads = "blockReadsOutsideWorkingDirectories";
  CHECK_FALSE(ClientSettingsFor(question).json["permissions"].contains(kReads));
  question.client_fence = true;
  CHECK(ClientSettingsFor(question).json["permissions"][kReads] == true);
  CHECK(SdkOptionsFor(question, SdkLanguage::kTypeScript).json["settings"]["permissions"][kReads] ==
        true);
}

TEST_CASE("settings: denied reads and \"**/\" denies become the client's rules") {
  UserWorld world(R"("read": {"deny": ["**/.env", "k/*.key", "~/n/*", "/s/*/t", "plain"]},)"
                  R"("write": {"deny": ["**/*.lock", "fixed"]})");
  const PathRulesOfClient rules = SettingsMaker(world).Paths();
  for (const char* rule :
       {"Read(//**/.env)", "Read(//home/dev/project/**/.env)", "Read(//home/dev/project/k/*.key)",
        "Read(~/n/*)", "Read(//s/*/t)", "Read(//home/dev/project/plain)", "Edit(//**/*.lock)"}) {
    CAPTURE(rule);
    CHECK(Has(rules.deny, rule));
  }
  CHECK(std::ranges::none_of(
      rules.deny, [](const std::string& rule) { return rule.find("fixed") != std::string::npos; }));
  CHECK(rules.notes.empty());
}

TEST_CASE(
    "settings: rules for every project contain only denies that do not depend on the project") {
  const UserWorld world(R"x("read": {"deny": ["@secrets", "**/.env", "plain", "k/*.key",
                            "~/a (1)", "/srv/b\\*", "/", "~"]})x");
  const Texts rules = SettingsMaker(world).Mentions();
  for (const char* rule :
       {"Read(~/.ssh)", "Read(~/.npmrc)", "Read(//etc/shadow)", "Read(//etc/ssh/ssh_host_*_key)",
        "Read(//**/.env)", "Read(~/a (1))", R"x(Read(//srv/b\*))x", "Read(//**)", "Read(~/**)"}) {
    CAPTURE(rule);
    CHECK(Has(rules, rule));
  }
  CHECK(std::ranges::none_of(rules, [](const std::string& rule) {
    return rule.find("plain") != std::string::npos || rule.find(".key)") != std::string::npos ||
           rule.find(".claude/projects") != std::string::npos;
  }));
}

TEST_CASE("settings: rules for every project use the client's other configuration directory") {
  UserWorld world(R"("read": {"deny": ["@secrets"]})");
  world.places.settings_folders = {Path::Clean("/home/dev/cc")};
  CHECK(Has(SettingsMaker(world).Mentions(), "Read(//home/dev/cc/.credentials.json)"));
  CHECK(SettingsMaker(UserWorld(R"("read": {"deny": []})")).Mentions().empty());
}

TEST_CASE(
    "settings: pattern characters in a project's name are escaped, and both of its names count") {
  UserWorld world(R"("read": {"deny": ["**/.env"]})");
  world.MoveRoot("/home/dev/a[1]", "/srv/b*");
  const Texts deny = SettingsMaker(world).Paths().deny;
  CHECK(Has(deny, R"(Read(//home/dev/a\[1]/**/.env))"));
  CHECK(Has(deny, R"(Read(//srv/b\*/**/.env))"));
}

TEST_CASE("settings: denies without an equivalent client rule are reported") {
  const UserWorld world(R"("read": {"deny": ["a[0-9]", "b[!x]", "c\\[d"]})");
  const PathRulesOfClient rules = SettingsMaker(world).Paths();
  REQUIRE(rules.notes.size() == 1);
  CHECK(rules.notes[0].find(R"("a[0-9]", "b[!x]")") != std::string::npos);
  CHECK(Has(rules.deny, R"(Read(//home/dev/project/c\[d))"));
}

TEST_CASE("settings: the Python names have the same meaning") {
  const UserWorld world(R"("client": {"permission_mode": "bypassPermissions"})");
  const SettingsMaker maker(world);
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

TEST_CASE("bypass: refused unless the user chose both") {
  constexpr const char* kAsk = R"("bash": {"unsandboxed": "ask"})";
  constexpr const char* kMode = R"("client": {"permission_mode": "bypassPermissions"})";
  const auto is_unsafe = [](const std::string& members, const std::string& profile = "") {
    const UserWorld world(members);
    return SettingsMaker(world, profile).Unsafe().has_value();
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
  const auto unsafe = SettingsMaker(world).Unsafe();
  REQUIRE(unsafe.has_value());
  CHECK(unsafe->text().find("policy.json:2: /bash/unsandboxed is \"ask\"") == 0);
}
