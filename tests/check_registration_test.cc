#include <doctest/doctest.h>

#include <algorithm>

#include "cli/check/registration.h"
#include "cli/settings_editor.h"

using namespace ringfence;

namespace {

constexpr const char* kTrue = "/usr/bin/true";  // a program that is there

SettingsFile FileOf(SettingsLayer layer, std::string text) {
  SettingsFile file{layer, "/home/dev/" + std::string(LayerName(layer)) + ".json", text, {}};
  file.settings = ParseClientSettings(std::move(text), std::string(LayerName(layer)), file.path);
  return file;
}

// As `ringfence init` writes it.
std::string Registered() {
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
  for (const Finding& finding : JudgeRegistration({files, {}, kTrue, wraps})) {
    auto& list = finding.severity == Severity::kError ? codes.errors : codes.others;
    if (std::ranges::find(list, finding.code) == list.end()) list.push_back(finding.code);
  }
  return codes;
}

Codes CodesOf(const std::string& text) { return CodesOf({FileOf(SettingsLayer::kUser, text)}); }

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("check: what init writes is sound") {
  const Codes codes = CodesOf(Registered());
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
      {"\"--home\"", "\"--policy\", \"/nowhere.json\", \"--home\"", {"no-policy"}, {}},
      {"\"onFailure\": \"block\"",
       "\"onFailure\": \"deny\"",
       {"dropped-file", "on-failure", "not-registered"},
       {"ignored-entry"}},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.to));
    const std::string text = Replaced(Registered(), row.from, row.to);
    REQUIRE(text != Registered());
    const Codes codes = CodesOf(text);
    CHECK(codes.errors == row.errors);
    CHECK(codes.others == row.others);
  }
}

TEST_CASE("check: any other layer can take the registration away") {
  const SettingsFile user = FileOf(SettingsLayer::kUser, Registered());
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

TEST_CASE("check: a policy that wraps commands and the client's own sandbox exclude each other") {
  const std::vector<SettingsFile> files{
      FileOf(SettingsLayer::kUser, Registered()),
      FileOf(SettingsLayer::kProject, R"({"sandbox":{"enabled":true}})")};
  CHECK(CodesOf(files, true).errors == Texts{"two-sandboxes"});
  CHECK(CodesOf(files, false).errors == Texts{});
}

TEST_CASE("check: nothing registered is one finding, not one an event") {
  const Findings findings =
      JudgeRegistration({{FileOf(SettingsLayer::kUser, "{}")}, {}, kTrue, false});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].code == "not-registered");
}
