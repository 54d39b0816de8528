#include "agents/claude/setup/derived_settings.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "agents/claude/setup/settings_editor.h"

using namespace ringfence;

namespace {

using Texts = std::vector<std::string>;

constexpr const char* kHook = "/opt/ringfence/bin/ringfence-hook";

std::string Merge(const std::string& text, const OrderedJson& settings, bool replaces,
                  Texts* conflicts = nullptr) {
  const Result<Merged> merged = MergeSettings({text, "/s.json", settings, {kHook, {}}, replaces});
  if (!merged) return "error: " + merged.error().text();
  if (conflicts != nullptr) *conflicts = merged->conflicts;
  return merged->text;
}

}  // namespace

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
    "merge: a different value in the file is a conflict, and stays unless overwriting is "
    "requested") {
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

TEST_CASE("merge: an older registration is updated, and other hooks stay") {
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
