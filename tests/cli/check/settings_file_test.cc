
#include "cli/check/settings_file.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "agents/claude/agent.h"
#include "agents/claude/setup/settings_editor.h"
#include "cli/common/registered.h"

using namespace ringfence;

namespace {

constexpr const char* kTrue = "/usr/bin/true";  // a program that exists

SettingsFile FileOf(SettingsLayer layer, std::string text) {
  SettingsFile file{layer, "/home/dev/" + std::string(LayerName(layer)) + ".json", text, {}};
  file.settings = ParseClientSettings(std::move(text), std::string(LayerName(layer)), file.path);
  return file;
}

// A registration as `ringfence init` writes it.
std::string RegisteredFile() {
  auto editor = SettingsEditor::Open("{}", {});
  editor->Register({kTrue, {"--home", "/home/dev"}});
  return editor->text();
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

struct Codes {
  std::vector<std::string> errors, others;
};

Codes CodesOf(const std::vector<SettingsFile>& files, bool wraps = false) {
  Codes codes;
  for (const Finding& finding : CheckRegistration({files, {}, kTrue, wraps})) {
    auto& list = finding.severity == Severity::kError ? codes.errors : codes.others;
    if (std::ranges::find(list, finding.code) == list.end()) list.push_back(finding.code);
  }
  return codes;
}

Codes CodesOf(const std::string& text) { return CodesOf({FileOf(SettingsLayer::kUser, text)}); }

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("check: init's registration is sound") {
  const Codes codes = CodesOf(RegisteredFile());
  CHECK(codes.errors == Texts{});
  CHECK(codes.others == Texts{});
}

TEST_CASE("check: each mistake of a registration is found") {
  struct Row {
    const char* from;
    const char* to;
    Texts errors, others;
  };
  const Row rows[] = {
      {"\"PreToolUse\"", "\"PreToolUsed\"", {"not-registered"}, {"wrong-event"}},
      {"\"SessionStart\"", "\"SessionEnd\"", {}, {"wrong-event", "not-registered"}},
      {"\"args\"", "\"arguments\"", {"shell-form"}, {}},
      {"/usr/bin/true", "usr/bin/true", {"relative-path"}, {}},
      {"/usr/bin/true", "/nowhere/true", {"no-program"}, {}},
      {"\"onFailure\": \"block\"", "\"onFailure\": \"continue\"", {"on-failure"}, {}},
      {"\"timeout\": 10", "\"timeout\": 700", {}, {"timeout"}},
      {"\"timeout\": 10", "\"once\": false", {}, {"timeout"}},
      {"\"timeout\": 10", "\"timeout\": 10, \"async\": true", {"async"}, {}},
      {"\"timeout\": 10", "\"timeout\": 10, \"if\": \"Bash(*)\"", {"conditional"}, {}},
      {"\"hooks\": [", "\"matcher\": \"Bash\", \"hooks\": [", {"matcher"}, {}},
      {"--home", "--hom", {"wrong-options"}, {}},
      {"\"--home\"", "\"--version\", \"--home\"", {"wrong-options"}, {}},
      {"/usr/bin/true", "/usr/../usr/bin/true", {}, {}},
      {"\"--home\"", "\"--policy\", \"/nowhere.json\", \"--home\"", {"no-policy"}, {}},
      {"\"onFailure\": \"block\"",
       "\"onFailure\": \"deny\"",
       {"dropped-file", "on-failure", "not-registered"},
       {"ignored-entry"}},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.to));
    const std::string text = Replaced(RegisteredFile(), row.from, row.to);
    REQUIRE(text != RegisteredFile());
    const Codes codes = CodesOf(text);
    CHECK(codes.errors == row.errors);
    CHECK(codes.others == row.others);
  }
}

TEST_CASE("check: any other layer can disable the registration") {
  const SettingsFile user = FileOf(SettingsLayer::kUser, RegisteredFile());
  const auto with = [&](std::string text) {
    return CodesOf({user, FileOf(SettingsLayer::kLocal, std::move(text))});
  };
  CHECK(with(R"({"disableAllHooks": true})").errors == Texts{"hooks-disabled"});
  CHECK(with(R"({"model": 5})").errors == Texts{"dropped-file"});
  const char* other =
      R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"rewrite.sh"}]}]}})";
  CHECK(with(other).errors == Texts{});
  CHECK(with(other).others == Texts{"other-hook"});
  CHECK(with(R"({"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}})").others ==
        Texts{});
}

TEST_CASE(
    "check: managed settings can exclude other hooks, and no user setting disables managed ones") {
  const SettingsFile user = FileOf(SettingsLayer::kUser, RegisteredFile());
  const SettingsFile managed = FileOf(SettingsLayer::kManaged, RegisteredFile());
  const SettingsFile alone = FileOf(SettingsLayer::kManaged, R"({"allowManagedHooksOnly": true})");
  const SettingsFile off = FileOf(SettingsLayer::kUser, "{\n\"disableAllHooks\": true}");
  CHECK(CodesOf({user, alone}).errors == Texts{"hooks-disabled"});
  CHECK(CodesOf({managed, alone}).errors == Texts{});
  CHECK(CodesOf({off, managed}).errors == Texts{});
  CHECK(CodesOf({off, managed}).others == Texts{});
  const SettingsFile both =
      FileOf(SettingsLayer::kLocal, R"({"disableAllHooks": true,)" + RegisteredFile().substr(1));
  CHECK(CodesOf({user, both, managed}).errors == Texts{});
  CHECK(CodesOf({user, both, managed}).others == Texts{"hooks-disabled"});
  const Findings found = CheckRegistration(
      {{user, FileOf(SettingsLayer::kLocal, "{\n\"disableAllHooks\": true}")}, {}, kTrue, false});
  REQUIRE(found.size() == 1);
  CHECK(found[0].error.where == "local:2:20");
}

TEST_CASE("check: a mistake in managed settings costs the key, not the hooks") {
  const SettingsFile managed =
      FileOf(SettingsLayer::kManaged, R"({"model": 5,)" + RegisteredFile().substr(1));
  const Findings found = CheckRegistration({{managed}, {}, kTrue, false});
  REQUIRE(found.size() == 1);
  CHECK(found[0].code == "dropped-file");
  CHECK(found[0].error.what.find("skips the key") != std::string::npos);
}

TEST_CASE("check: the effect of one settings file on the hook is found without the others") {
  struct Row {
    const char* text;
    Texts errors, others;
  };
  const Row rows[] = {
      {R"({"disableAllHooks": true})", {"hooks-disabled"}, {}},
      {R"({"env": {"LD_PRELOAD": "/tmp/x.so"}})", {}, {"environment"}},
      {R"({"env": {"EDITOR": "vi"}})", {}, {}},
      {R"({"permissions": {"defaultMode": "bypassPermissions"}})", {}, {"bypass"}},
      {R"({"sandbox": {"excludedCommands": ["git", "*"]}})", {"everything-excluded"}, {}},
      {R"({"sandbox": {"excludedCommands": ["git *"]}})", {}, {}},
      {R"({"hooks":{"PermissionRequest":[{"hooks":[{"type":"command","command":"yes"}]}]}})",
       {},
       {"other-hook"}},
      {R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/bin/sh",
           "args":["-c","exec true --home /home/dev"]}]}]}})",
       {"shell-form"},
       {}},
      {R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"env true"}]}]}})",
       {"shell-form"},
       {}},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    const SettingsFile file = FileOf(SettingsLayer::kLocal, row.text);
    REQUIRE(file.settings.drops.empty());
    Codes codes;
    for (const Finding& finding : CheckSettingsFile({file, kTrue, {}, {}})) {
      (finding.severity == Severity::kError ? codes.errors : codes.others).push_back(finding.code);
    }
    CHECK(codes.errors == row.errors);
    CHECK(codes.others == row.others);
  }
}

TEST_CASE("check: each registration applies its own policy, profile, project and home") {
  const auto with = [](const std::string& to) {
    return FileOf(SettingsLayer::kUser,
                  Replaced(RegisteredFile(), "\"--home\"", to + "\"--home\""));
  };
  Registration given{.agent = &ClaudeCode()};
  given.root = "/srv/x";
  const auto of = [&](const std::vector<SettingsFile>& files) {
    std::string all;
    for (const auto& registered : RegistrationsInForce(given, files, kTrue)) {
      const Registration& options = registered.options;
      all += options.home + "|" + options.root + "|" + options.policy + "|" + options.profile + ";";
    }
    return all;
  };
  CHECK(of({}) == "|/srv/x||;");
  const SettingsFile plain = with("");
  CHECK(of({plain}) == "/home/dev|/srv/x||;");
  CHECK(of({plain, plain}) == "/home/dev|/srv/x||;");
  CHECK(of({plain, with(R"("--profile", "a", "--root", "/r", "--policy", "/p.json", )")}) ==
        "/home/dev|/srv/x||;/home/dev|/r|/p.json|a;");
  CHECK(of({with(R"("--version", )")}) == "|/srv/x||;");
  given.profile = "b";
  CHECK(of({plain}) == "|/srv/x||b;");
}

TEST_CASE("check: a policy that wraps commands and the client's own sandbox exclude each other") {
  const std::vector<SettingsFile> files{
      FileOf(SettingsLayer::kUser, RegisteredFile()),
      FileOf(SettingsLayer::kProject, R"({"sandbox":{"enabled":true}})")};
  CHECK(CodesOf(files, true).errors == Texts{"two-sandboxes"});
  CHECK(CodesOf(files, false).errors == Texts{});
}

TEST_CASE("check: no registration is one finding, not one per event") {
  const Findings findings =
      CheckRegistration({{FileOf(SettingsLayer::kUser, "{}")}, {}, kTrue, false});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].code == "not-registered");
}
