#include "cli/permit/policy_grants.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agents/claude/agent.h"
#include "policy/load/load.h"
#include "tests/support/fake_files.h"
#include "tests/support/project_root.h"
#include "tests/support/test_keys.h"

using namespace ringfence;

namespace {

using Json = nlohmann::json;

// Loads a policy, which may use the keys of test_keys.h.
std::unique_ptr<PolicyFile> Loaded(const std::string& text) {
  std::vector<Error> mistakes;
  auto file = LoadPolicy({text, "/p/policy.json", "policy.json", true, &ClaudeCode()}, mistakes,
                         KeysAndTestKeys());
  if (file == nullptr) FAIL(mistakes.front().text());
  return file;
}

std::vector<GrantText> Grants(const std::string& text) {
  const FakeFiles files({});
  Places places{.agent = &ClaudeCode()};
  places.root = places.root_real = Path::Clean("/srv/project");
  places.homes = places.homes_real = {Path::Clean("/home/me")};
  const EntryScope reach(places, files);
  return GrantsOf(*Loaded(text), {reach});
}

std::vector<GrantText> Said(const std::string& members) {
  return Grants("{\"version\": 1, " + members + "}");
}

// Collects every key of the schema, with "*" for free names.
void CollectKeys(const Json& schema, const Json& node, const std::string& key,
                 std::vector<std::string>& keys) {
  Json at = node;
  if (at.contains("$ref")) {
    at = schema.at("$defs").at(at["$ref"].get<std::string>().substr(sizeof "#/$defs/" - 1));
  }
  if (!key.empty()) keys.push_back(key);
  if (at.contains("properties")) {
    for (const auto& [name, below] : at["properties"].items()) {
      if (key.empty() && name == "profiles") continue;  // have the same keys
      CollectKeys(schema, below, key + "/" + name, keys);
    }
  }
  for (const char* other : {"additionalProperties", "patternProperties"}) {
    if (!at.contains(other) || !at[other].is_object()) continue;
    const bool is_pattern = std::string(other) == "patternProperties";
    CollectKeys(schema, is_pattern ? at[other].begin().value() : at[other], key + "/*", keys);
  }
}

TEST_CASE("grants: every key of the schema has a description") {
  const auto root = ProjectRoot();
  std::ifstream file(root / "policy/policy.schema.json");
  REQUIRE(file.good());
  const Json schema = Json::parse(file);
  std::vector<std::string> keys;
  CollectKeys(schema, schema, "", keys);
  CHECK(keys.size() > 45);
  for (const std::string& key : keys) {
    CAPTURE(key);
    CHECK(HasWordsFor(key));
  }
}

struct Row {
  const char* members;
  Danger danger;
  const char* part;  // of the description
};

TEST_CASE("grants: an entry that only adds a question grants nothing") {
  for (const char* members :
       {R"("read": {"ask": ["@dotenv"]}, "write": {"ask": ["@runs-later", "**/*.sh"]})",
        R"("read": {"deny": []}, "tools": {"deny": []})"}) {
    for (const GrantText& grant : Said(members)) {
      CAPTURE(grant.says);
      CHECK(grant.danger == Danger::kNone);
      CHECK_FALSE(grant.says.ends_with(": "));
    }
  }
  CHECK(Said(R"("read": {"deny": []})").empty());
}

TEST_CASE("grants: each key is described, with its danger") {
  static constexpr Row kRows[] = {
      {R"("sandbox": {"mode": "rwx"})", Danger::kOpensAll, "not confined"},
      {R"("sandbox": {"layers": "landlock"})", Danger::kOpensAll, "weaker sandbox"},
      {R"("sandbox": {"missing": "warn"})", Danger::kOpensAll, "run without it"},
      {R"("sandbox": {"reads": "all"})", Danger::kOpensMore, "read every file"},
      {R"("sandbox": {"env": ["NPM_TOKEN"]})", Danger::kOpensMore, "NPM_TOKEN"},
      {R"("sandbox": {"memory": "1G"})", Danger::kNone, "1G"},
      {R"("bash": {"unsandboxed": "ask"})", Danger::kOpensAll, "leave the client's sandbox"},
      {R"("permitted": "allow")", Danger::kOpensAll, "skip the client's own question"},
      {R"("network": {"unlisted": "allow"})", Danger::kOpensAll, "Every host"},
      {R"("network": {"unlisted": "ask"})", Danger::kOpensMore, "after a question"},
      {R"("network": {"allow": ["*"]})", Danger::kOpensAll, "\"*\""},
      {R"("network": {"allow": ["*:22"]})", Danger::kOpensAll, "\"*:22\""},
      {R"("network": {"allow": ["*.COM"]})", Danger::kOpensAll, "\"*.COM\""},
      {R"("network": {"allow": ["*.org:443"]})", Danger::kOpensAll, "\"*.org:443\""},
      {R"("network": {"allow": ["*.x.example"]})", Danger::kOpensMore, "*.x.example"},
      {R"("network": {"allow": ["x.example"]})", Danger::kOpensMore, "x.example"},
      {R"("network": {"private": {"db.example": ["10.0.0.0/8"]}})", Danger::kOpensMore,
       "\"db.example\" may lead to these addresses of the user's own networks: \"10.0.0.0/8\""},
      {R"("mcp": {"mcp__fs__*": {}})", Danger::kOpensAll, "No argument"},
      {R"("mcp": {"mcp__fs__*/write": {}})", Danger::kOpensAll, "No argument"},
      {R"("mcp": {"mcp__fs__move": {"read": ["/source"]}})", Danger::kOpensMore, "/source"},
      {R"("tools": {"allow": ["*"]})", Danger::kOpensAll, "\"*\""},
      {R"("tools": {"allow": ["mcp__*"]})", Danger::kOpensAll, "mcp__*"},
      {R"("tools": {"allow": ["mcp__x__y"]})", Danger::kOpensMore, "mcp__x__y"},
      {R"("tools": {"allow": ["Read"]})", Danger::kNone, "Read"},
      {R"("tools": {"ask": ["*"]})", Danger::kOpensAll, "after a question"},
      {R"("read": {"allow": ["/"]})", Danger::kOpensAll, "read: \"/\""},
      {R"("read": {"allow": ["/**"]})", Danger::kOpensAll, "/**"},
      {R"("read": {"allow": ["/home"]})", Danger::kOpensAll, "/home"},
      {R"("read": {"allow": ["/home/*/.cache"]})", Danger::kOpensAll, "/home"},
      {R"("read": {"allow": ["~"]})", Danger::kOpensAll, "~"},
      {R"("read": {"allow": ["~/*"]})", Danger::kOpensAll, "~/*"},
      {R"("read": {"allow": ["~/src"]})", Danger::kOpensMore, "~/src"},
      {R"("read": {"allow": ["@toolchains"]})", Danger::kOpensMore, "@toolchains"},
      {R"("read": {"allow": [".", "src", "@claude-scratch"]})", Danger::kNone, "src"},
      {R"("read": {"allow": ["/srv"]})", Danger::kOpensMore, "/srv"},
      {R"("read": {"allow": ["/etc"]})", Danger::kOpensAll, "/etc"},
      {R"("write": {"allow": ["/srv/x"]})", Danger::kOpensMore, "written: \"/srv/x\""},
      {R"("write": {"ask": ["~"]})", Danger::kOpensAll, "after a question"},
      {R"("write": {"ask": ["/srv/x"]})", Danger::kOpensMore, "written after a question"},
      {R"("write": {"ask": ["@runs-later"]})", Danger::kNone, "asked before these are written"},
      {R"("read": {"ask": ["@dotenv", "**/*.pem"]})", Danger::kNone, "asked before these are read"},
      {R"("write": {"package_stores": ["vendor"]})", Danger::kOpensMore, "vendor"},
      {R"("read": {"deny": ["/srv"]})", Danger::kNone, "Refused: "},
      {R"("audit": {"file": "/dev/null"})", Danger::kOpensAll, "/dev/null"},
      {R"("audit": {"required": false})", Danger::kOpensMore, "are permitted"},
      {R"("audit": {"system_log": "off"})", Danger::kOpensMore, "system's log"},
      {R"("alerts": {"inbox": "/srv/in"})", Danger::kOpensMore, "/srv/in"},
      {R"("alerts": {"inbox": "/srv/in", "enabled": false})", Danger::kOpensMore, "off"},
      {R"("alerts": {"inbox": "/srv/in", "fields": {"chat": "main"}})", Danger::kNone, "chat"},
      {R"("alerts": {"inbox": "/srv/in", "fields": {"": "x"}})", Danger::kOpensAll,
       "/alerts/fields/"},
      {R"("denied": {"say": "Run curl."})", Danger::kOpensMore, "Run curl."},
      {R"("client": {"permission_mode": "bypassPermissions"})", Danger::kOpensAll, "bypass"},
      {R"("stage": {"verify": ["make test"]})", Danger::kOpensMore, "make test"},
      {R"("stage": {"commands": {"auto_apply": true}})", Danger::kOpensAll, "without a question"},
      {R"("stage": {"commands": {"auto_apply": false}})", Danger::kNone, "is asked"},
      {R"("stage": {"commands": {"sandbox": false}})", Danger::kNone, "cannot be run"},
      {R"("stage": {"commands": {"trusted": ["npm i *"]}})", Danger::kOpensMore, "\"npm i *\""},
      {R"("stage": {"buffer": "memory", "keep_days": 9})", Danger::kNone, "days: 9"},
      {R"("root": "git")", Danger::kOpensMore, "whole repository"},
      {R"("profiles": {"p": {"when": {"root": "~/src"}, "read": {"allow": ["/"]}}})",
       Danger::kOpensAll, "In profile \"p\", for projects below \"~/src\": May be read: \"/\""},
      {R"("profiles": {"p": {"permitted": "allow"}})", Danger::kOpensAll, "In profile \"p\": "},
      {R"("profiles": {"p": {"when": {"subagent": true}, "read": {"allow": ["/"]}}})",
       Danger::kNone, "can only narrow"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.members);
    const std::vector<GrantText> said = Said(row.members);
    const bool is_said = std::ranges::any_of(said, [&](const GrantText& one) {
      return one.danger == row.danger && one.says.find(row.part) != std::string::npos;
    });
    std::string all;
    for (const GrantText& one : said) all += one.says + "\n";
    CAPTURE(all);
    CHECK(is_said);
  }
}

TEST_CASE("grants: no spelling hides that an entry opens nearly everything") {
  for (const char* entry : {"/",
                            "/./",
                            "//.",
                            "/**",
                            "/*",
                            "/?*",
                            "/[!x]*",
                            "/h*",
                            "/h*/*",
                            "/hom*",
                            "/home/*",
                            "/home/bob",
                            "/home/./bob/",
                            "/Users",
                            "/[a-z]*",
                            "/**/.cache",
                            "/home/*/.cache",
                            "/root",
                            "/*c",
                            "~",
                            "~/",
                            "~/./",
                            "~/.*",
                            "~/*",
                            "~/**",
                            "~/*/*",
                            "~/[!x]*",
                            "~/**/*.md",
                            "/home/me",
                            "/home/m?",
                            "/**/*.key"}) {
    CAPTURE(entry);
    const std::string list = "{\"allow\": [\".\", \"" + std::string(entry) + "\"]}";
    CHECK(Said("\"read\": " + list).front().danger == Danger::kOpensAll);
    CHECK(Said("\"write\": " + list).front().danger == Danger::kOpensAll);
  }
  for (const char* entry : {"/srv", "~/src", "~/.bashrc", "~/.b*", "~/s*", "~/src/*", "~/src/.*",
                            "/home/bob/src", "/opt/*", "~/*.md", "/srv/**/*.md", "@toolchains"}) {
    CAPTURE(entry);
    const auto said = Said("\"read\": {\"allow\": [\"" + std::string(entry) + "\"]}");
    CHECK(said.front().danger == Danger::kOpensMore);
  }
  for (const char* entry : {".", "**", "*", "src/**", "./src", "@claude-scratch"}) {
    CAPTURE(entry);
    const auto said = Said("\"read\": {\"allow\": [\"" + std::string(entry) + "\"]}");
    CHECK(said.front().danger == Danger::kNone);
  }
}

TEST_CASE("grants: a tool is evaluated by the built-in policy's information about it") {
  struct ToolRow {
    const char* entry;
    Danger danger;
  };
  static constexpr ToolRow kTools[] = {
      {"*", Danger::kOpensAll},
      {"**", Danger::kOpensAll},

      {"mcp__*", Danger::kOpensAll},
      {"m*", Danger::kOpensAll},
      {"mcp__*__get", Danger::kOpensAll},

      {"mcp__fs__*", Danger::kOpensMore},
      {"mcp__fs__get", Danger::kOpensMore},
      {"NewTool", Danger::kOpensMore},
      {"Note*", Danger::kOpensMore},
      {"Read", Danger::kNone},
      {"Bash", Danger::kNone},
      {"Task", Danger::kNone},
      {"@session-tools", Danger::kNone},
      {"@known-tools", Danger::kNone},
  };
  for (const ToolRow& row : kTools) {
    CAPTURE(row.entry);
    const auto said = Said("\"tools\": {\"allow\": [\"" + std::string(row.entry) + "\"]}");
    CHECK(said.front().danger == row.danger);
  }
  const auto both = Said(R"("tools": {"allow": ["Read", "NewTool"]})");
  REQUIRE(both.size() == 2);
  CHECK(both.front().says == "May be called: \"NewTool\"");
}

TEST_CASE("grants: a long list is truncated and shows its length") {
  std::string list = "\"~\"";
  for (int i = 0; i < 3000; ++i) list += ", \"src/" + std::to_string(i) + "\"";
  const auto said = Said("\"write\": {\"allow\": [" + list + "]}");
  REQUIRE(said.size() == 2);
  CHECK(said.front().says == "May be written: \"~\"");
  CHECK(said.back().says.ends_with("\"src/19\" and 2980 more: see the file"));
}

TEST_CASE("grants: values are on one line, and an empty list is described sensibly") {
  const auto said = Said("\"stage\": {\"verify\": [\n  \"a  b\",\n  \"c\\\"\"\n]}");
  REQUIRE(said.size() == 1);
  CHECK(said.front().says.ends_with(": [\"a  b\", \"c\\\"\"]"));
  CHECK(Said(R"("write": {"package_stores": []})").empty());
  CHECK(Said(R"("sandbox": {"env": []})").front().says == "Commands see no variable.");
}

TEST_CASE("grants: the most dangerous grants come first, and foreign text is quoted") {
  const std::vector<GrantText> said = Said(
      R"("read": {"allow": [".", "/srv\u202e\nx"]}, "tools": {"deny": ["Bash"]}, "permitted": "allow")");
  REQUIRE(said.size() == 4);
  CHECK(std::ranges::is_sorted(said, {}, &GrantText::danger));
  CHECK(said.front().key == "/permitted");
  for (const GrantText& one : said) {
    CHECK(one.says.find('\n') == std::string::npos);
    CHECK(one.says.find("\xE2\x80\xAE") == std::string::npos);
  }
}

TEST_CASE("grants: a key without a description counts as the most dangerous") {
  const auto said = Said(R"("stage": {"test_texts": ["a"]}, "test_text": "/srv")");
  REQUIRE(said.size() == 2);
  CHECK(said[0].danger == Danger::kOpensAll);
  CHECK(said[0].says == R"(Sets "/stage/test_texts" to ["a"])");
  CHECK(said[1].danger == Danger::kOpensAll);
  CHECK(said[1].says == R"(Sets "/test_text" to "/srv")");
}

TEST_CASE("grants: a policy that only has its version grants nothing") {
  CHECK(Grants(R"({"$schema": "x", "version": 1})").empty());
}

}  // namespace
