#include "agents/claude/setup/settings_editor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "agents/claude/settings/settings.h"

using namespace ringfence;

namespace {

const HookCommand kCommand{"/opt/bin/ringfence-hook", {"--home", "/home/dev"}};

// Edits a file as init does, from the registration to the sandbox's lists.
SettingsEditor Registered(const std::string& text, SettingsRecord record,
                          const HookCommand& command = kCommand) {
  record.path = "settings.json";
  Result<SettingsEditor> editor = SettingsEditor::Open(text, std::move(record));
  REQUIRE(editor.has_value());
  editor->Register(command);
  editor->SetFlag("/disableSkillShellExecution", true);
  editor->SetFlag("/permissions/blockReadsOutsideWorkingDirectories", true);
  editor->SetFlag("/sandbox/enabled", true);
  editor->SetFlag("/sandbox/allowUnsandboxedCommands", false);
  editor->SyncTexts("/sandbox/filesystem/denyRead", {"~/.ssh", "~/.aws", "/etc/shadow"});
  editor->SyncTexts("/sandbox/network/allowedDomains", {"a.example"});
  return std::move(*editor);
}

std::string Undone(const std::string& text, const SettingsRecord& record) {
  const auto undone = Undo(text, record, kCommand.program);
  REQUIRE(undone.has_value());
  return undone->text;
}

// Generates users' settings files, in every layout.
class RandomSettings {
 public:
  explicit RandomSettings(uint32_t seed) : random_(seed) {}

  std::string Make() {
    newline_ = Pick({"\n", "\r\n", ""});
    unit_ = newline_.empty() ? "" : Pick({"  ", "    ", "\t", " ", ""});
    colon_ = Pick({": ", ":", " : "});
    std::string text = Pick({"", "\xEF\xBB\xBF"}) + Object(Members(), 0);
    return text + Pick({"", "\n", "\r\n", "  \n"});
  }

 private:
  struct Member {
    std::string key, value;
  };

  size_t Below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random_);
  }
  std::string Pick(std::initializer_list<const char*> options) {
    return *(options.begin() + Below(options.size()));
  }

  std::string Break(size_t depth) {
    if (newline_.empty()) return Pick({"", " "});
    std::string text = newline_;
    for (size_t i = 0; i < depth; ++i) text += unit_;
    return text;
  }

  std::string Enclosed(const std::vector<std::string>& items, const char* brackets, size_t depth) {
    if (items.empty())
      return std::string(1, brackets[0]) + Pick({"", " ", "\n", "\r\n\t"}) + brackets[1];
    const bool in_lines = Below(3) != 0;
    std::string text(1, brackets[0]);
    for (const std::string& item : items) {
      if (&item != &items.front()) text += ",";
      text += in_lines ? Break(depth + 1) : Pick({"", " "});
      text += item;
    }
    return text + (in_lines ? Break(depth) : Pick({"", " "})) + brackets[1];
  }

  std::string Object(const std::vector<Member>& members, size_t depth) {
    std::vector<std::string> items;
    for (const Member& member : members)
      items.push_back("\"" + member.key + "\"" + colon_ + member.value);
    return Enclosed(items, "{}", depth);
  }

  std::string Texts(size_t depth) {
    std::vector<std::string> items;
    for (size_t i = Below(4); i > 0; --i)
      items.push_back(Pick({"\"~/.ssh\"", "\"x\"", "\"b.example\""}));
    std::ranges::sort(items);
    items.erase(std::unique(items.begin(), items.end()), items.end());
    return Enclosed(items, "[]", depth);
  }

  std::string Hooks() {
    std::vector<Member> events;
    for (const char* event : {"PreToolUse", "Stop", "SessionStart", "ConfigChange"}) {
      if (Below(2) == 0) continue;
      std::vector<std::string> groups;
      for (size_t i = Below(3); i > 0; --i) {
        groups.push_back(
            Object({{"matcher", Pick({"\"*\"", "\"Bash\""})},
                    {"hooks", Pick({"[]", "[{\"type\":\"command\",\"command\":\"x\"}]"})}},
                   3));
      }
      events.push_back({event, Enclosed(groups, "[]", 2)});
    }
    return Object(events, 1);
  }

  std::string Sandbox() {
    std::vector<Member> members;
    if (Below(2) == 0) members.push_back({"enabled", Pick({"true", "false"})});
    if (Below(2) == 0)
      members.push_back(
          {"filesystem", Object(Below(2) == 0 ? std::vector<Member>{}
                                              : std::vector<Member>{{"denyRead", Texts(3)}},
                                2)});
    if (Below(2) == 0) members.push_back({"network", Object({{"allowedDomains", Texts(3)}}, 2)});
    return Object(members, 1);
  }

  std::vector<Member> Members() {
    std::vector<Member> members;
    if (Below(2) == 0) members.push_back({"model", "\"a \\\"b\\\" \\u00e9\""});
    if (Below(2) == 0) members.push_back({"hooks", Hooks()});
    if (Below(2) == 0) members.push_back({"env", Object({{"A", "\"1\""}}, 1)});
    if (Below(2) == 0) members.push_back({"sandbox", Sandbox()});
    if (Below(2) == 0) members.push_back({"permissions", Object({{"allow", Texts(2)}}, 1)});
    if (Below(4) == 0) members.push_back({"disableSkillShellExecution", Pick({"true", "false"})});
    std::ranges::shuffle(members, random_);
    return members;
  }

  std::mt19937 random_;
  std::string newline_, unit_, colon_;
};

TEST_CASE("settings editor: registering and undoing restores the bytes, in every layout") {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const std::string text = RandomSettings(seed).Make();
    CAPTURE(text);
    const SettingsEditor first = Registered(text, {});
    const ClientSettings settings = ParseClientSettings(first.text(), "settings.json", "/s");
    REQUIRE(settings.drops.empty());
    const auto own = std::ranges::count_if(
        settings.hooks, [](const HookEntry& entry) { return Runs(entry, kCommand.program); });
    REQUIRE(own == 7);
    REQUIRE(settings.Flag("/sandbox/enabled") == true);
    const SettingsEditor second = Registered(first.text(), first.record());
    REQUIRE(second.text() == first.text());
    REQUIRE(second.changes().empty());
    REQUIRE(second.record() == first.record());
    REQUIRE(Undone(second.text(), second.record()) == text);
  }
}

TEST_CASE("settings editor: additions by the user in between stay, and nothing else") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const std::string text = RandomSettings(seed).Make();
    CAPTURE(text);
    const SettingsEditor editor = Registered(text, {});
    Result<JsonEdit> foreign = JsonEdit::Open(editor.text(), "settings.json", false);
    foreign->AddMember(foreign->root(), "theirs", 1);
    foreign->AddElement(*foreign->At("/hooks/PreToolUse"), {{"hooks", OrderedJson::array()}});
    Result<JsonEdit> want = JsonEdit::Open(text, "settings.json", false);
    const Result<JsonEdit> got =
        JsonEdit::Open(Undone(foreign->text(), editor.record()), "settings.json", false);
    nlohmann::json expected = want->Value(want->root());
    expected["theirs"] = 1;
    expected["hooks"]["PreToolUse"].push_back({{"hooks", nlohmann::json::array()}});
    REQUIRE(nlohmann::json(got->Value(got->root())) == expected);
  }
}

TEST_CASE("settings editor: an older registration is updated in place, not duplicated") {
  const std::string text = Registered("{\n  \"model\": \"x\"\n}\n", {}).text();
  const HookCommand other{"/usr/local/bin/ringfence-hook", {"--home", "/h", "--profile", "p"}};
  const SettingsEditor editor = Registered(text, {}, other);
  const ClientSettings settings = ParseClientSettings(editor.text(), "settings.json", "/s");
  CHECK(settings.hooks.size() == 7);
  for (const HookEntry& entry : settings.hooks) {
    CHECK(entry.command == other.program);
    CHECK(entry.args == other.arguments);
  }
}

TEST_CASE("settings editor: a registration with a matcher or through a shell is replaced") {
  for (
      const char* old :
      {R"({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
            {"type":"command","command":"/x/ringfence-hook","args":[]}]}]}})",
       R"({"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/x/ringfence-hook --home /h"},
            {"type":"command","command":"/x/ringfence-hook --home /h"}]}]}})"}) {
    CAPTURE(old);
    const SettingsEditor editor = Registered(old, {});
    const ClientSettings settings = ParseClientSettings(editor.text(), "settings.json", "/s");
    CHECK(settings.hooks.size() == 7);
    for (const HookEntry& entry : settings.hooks) {
      CHECK(entry.is_for_everything());
      CHECK(entry.is_exec_form);
      CHECK(entry.blocks_on_failure);
    }
  }
}

TEST_CASE("settings editor: unwanted entries of a list are removed, the user's entries stay") {
  SettingsRecord record;
  record.path = "settings.json";
  Result<SettingsEditor> editor =
      SettingsEditor::Open(R"({"sandbox":{"filesystem":{"denyRead":["mine"]}}})", record);
  editor->SyncTexts("/sandbox/filesystem/denyRead", {"a", "b"});
  editor->SyncTexts("/sandbox/filesystem/denyRead", {"b", "c"});
  CHECK(editor->text() == R"({"sandbox":{"filesystem":{"denyRead":["mine", "b", "c"]}}})");
}

TEST_CASE("settings editor: removed texts are named, or counted if there are many") {
  Result<SettingsEditor> editor = SettingsEditor::Open("{}", {});
  REQUIRE(editor.has_value());
  editor->SyncTexts("/list", {"a", "b", "c", "d", "e", "f", "g"});
  editor->SyncTexts("/list", {"d", "e", "f", "g"});
  editor->SyncTexts("/list", {});
  CHECK(editor->changes() == std::vector<std::string>{"add 7 to list", "remove \"a\" from list",
                                                      "remove \"b\" from list",
                                                      "remove \"c\" from list",
                                                      "remove 4 from list"});
}

TEST_CASE("settings editor: an event that is not an array is reported with its place") {
  for (const char* text :
       {R"({"hooks":{"PreToolUse":null}})", R"({"hooks":{"PostToolUse":{"a":1}}})"}) {
    CAPTURE(text);
    SettingsRecord record;
    record.path = "settings.json";
    const Result<SettingsEditor> editor = SettingsEditor::Open(text, record);
    REQUIRE_FALSE(editor.has_value());
    CHECK(editor.error().where.starts_with("settings.json:1:"));
  }
}

TEST_CASE("settings editor: a value that was changed since stays as it is") {
  const std::string before = R"({"sandbox": {"enabled": false}})";
  const SettingsEditor editor = Registered(before, {});
  Result<JsonEdit> changed = JsonEdit::Open(editor.text(), "settings.json", false);
  changed->ReplaceRaw(*changed->At("/sandbox/allowUnsandboxedCommands"), "true");
  CHECK(Undone(changed->text(), editor.record()) ==
        R"({"sandbox": {"enabled": false, "allowUnsandboxedCommands": true}})");
}

TEST_CASE("settings editor: without a record, the entries and containers left empty are removed") {
  const std::string before = "{\n  \"model\": \"x\"\n}\n";
  Result<SettingsEditor> editor = SettingsEditor::Open(before, {});
  editor->Register(kCommand);
  CHECK(Undone(editor->text(), {}) == before);
}

TEST_CASE("settings record: it survives being written and read") {
  const SettingsEditor editor = Registered("{ }", {});
  SettingsRecord record = editor.record();
  record.blank = " \n";
  record.is_new = true;
  record.serves = "/home/dev/.claude/settings.json";
  record.folders = {"/home/dev/.claude"};
  const auto again = ParseSettingsRecords(RenderSettingsRecords({record}), "registrations.json");
  REQUIRE(again.has_value());
  REQUIRE(again->size() == 1);
  CHECK(again->front() == record);
}

TEST_CASE("settings record: invalid text is an error, not an exception") {
  for (const char* text : {"", "{}", "[]", R"({"files": [{}]})", R"({"files": [{"path": 5}]})"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseSettingsRecords(text, "registrations.json").has_value());
  }
}

TEST_CASE("editor: an unwanted list is removed with the objects made for it") {
  const auto synced = [](const std::string& text, const std::vector<std::string>& first) {
    auto editor = SettingsEditor::Open(text, {});
    REQUIRE(editor.has_value());
    editor->SyncTexts("/sandbox/network/allowedDomains", first);
    auto again = SettingsEditor::Open(editor->text(), editor->record());
    REQUIRE(again.has_value());
    again->SyncTexts("/sandbox/network/allowedDomains", {});
    return again->text();
  };
  for (const std::string text :
       {"{}", R"({"sandbox": {"network": {}}})", R"({"sandbox": {"network": {"x": 1}}})",
        R"({"sandbox": {"network": {"allowedDomains": ["mine"]}}})"}) {
    CAPTURE(text);
    CHECK(nlohmann::json::parse(synced(text, {"a", "b"})) == nlohmann::json::parse(text));
    CHECK(synced(text, {}) == text);
  }
}

TEST_CASE("editor: a value that the user put in place of a list stays") {
  auto editor = SettingsEditor::Open("{}", {});
  REQUIRE(editor.has_value());
  editor->SyncTexts("/sandbox/network/allowedDomains", {"a"});
  const std::string text = R"({"sandbox": {"network": {"allowedDomains": "a"}}})";
  auto again = SettingsEditor::Open(text, editor->record());
  REQUIRE(again.has_value());
  again->SyncTexts("/sandbox/network/allowedDomains", {});
  CHECK(again->text() == text);
}

}  // namespace
