#include "cli/audit/recorded.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "cli/json_edit.h"
#include "cli/tool_input.h"
#include "policy/tools.h"

namespace ringfence {
namespace {

using Node = JsonTree::Node;

std::string TextOf(const JsonTree& tree, const Node& object, std::string_view key) {
  const Node* node = tree.Find(object, key);
  return node != nullptr && node->kind == JsonTree::Kind::kString ? std::string(node->content())
                                                                  : "";
}

// What the log calls a verdict that no decision has.
bool IsDecision(std::string_view verdict) {
  return verdict == "permit" || verdict == "ask" || verdict == "deny";
}

// The arguments by which the call was judged, or nothing where the log has not kept them.
std::optional<OrderedJson> InputOf(const std::string& tool, const std::vector<std::string>& paths,
                                   bool leaves_sandbox) {
  OrderedJson input = OrderedJson::object();
  if (leaves_sandbox) input["dangerouslyDisableSandbox"] = true;
  const KnownTool* known = FindTool(tool);
  const bool has_path = !paths.empty();
  if (RunsCommand(tool)) {
    input["command"] = "true";
  } else if (has_path) {
    input[MainArgument(tool)] = paths.front();
    for (size_t i = 1; i < paths.size() && IsMcpTool(tool); ++i) input["paths"].push_back(paths[i]);
  } else if (known != nullptr) {
    const auto is_needed = [](const ToolField& field) { return field.required; };
    if (std::ranges::any_of(known->fields, is_needed)) return {};
  }
  return input;
}

std::vector<std::string> PathsOf(const JsonTree& tree) {
  std::vector<std::string> paths;
  const Node* node = tree.Find(tree.root(), "paths");
  if (node == nullptr || node->kind != JsonTree::Kind::kArray) return paths;
  for (JsonTree::Index i = node->first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    std::string path(tree.node(i).content());
    // Both readings of a path usually end at the same place.
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace

bool IsLogLine(const JsonTree& tree) {
  const auto has = [&](std::string_view key) { return tree.Find(tree.root(), key) != nullptr; };
  return has("time") && has("verdict") && has("us");
}

std::optional<Fixture> FixtureOfLogLine(const JsonTree& tree) {
  const Node& line = tree.root();
  Fixture fixture;
  fixture.expected.decision = TextOf(tree, line, "verdict");
  const std::string tool = TextOf(tree, line, "tool");
  const std::string name = TextOf(tree, line, "event");
  const bool is_call = name == "PreToolUse" || name == "PermissionRequest";
  if (!is_call || tool.empty() || !IsDecision(fixture.expected.decision)) return {};
  if (const Node* rule = tree.Find(line, "rule")) {
    fixture.expected.rule = TextOf(tree, *rule, "pointer");
  }
  const std::optional<OrderedJson> input =
      InputOf(tool, PathsOf(tree), fixture.expected.rule.ends_with("/bash/unsandboxed"));
  if (!input) return {};
  fixture.time = TextOf(tree, line, "time");
  OrderedJson event{{"hook_event_name", name}};
  for (const char* key : {"agent_id", "agent_type"}) {
    if (const std::string text = TextOf(tree, line, key); !text.empty()) event[key] = text;
  }
  // Which of the profiles the caller chose the log does not say.
  const bool is_subagent = event.contains("agent_id") || event.contains("agent_type");
  const std::string profile = TextOf(tree, line, "profile");
  if (!is_subagent && !profile.empty()) fixture.profile = profile;
  event["session_id"] = TextOf(tree, line, "session");
  event["permission_mode"] = "default";
  event["tool_name"] = tool;
  event["tool_input"] = *input;
  fixture.event = event.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  return fixture;
}

std::string FixtureLine(const Fixture& fixture) {
  OrderedJson json{{"name", fixture.name}};
  if (!fixture.time.empty()) json["time"] = fixture.time;
  if (fixture.profile) json["profile"] = *fixture.profile;
  json["event"] = OrderedJson::parse(fixture.event, nullptr, false);
  OrderedJson& expect = json["expect"];
  expect["decision"] = fixture.expected.decision;
  if (!fixture.expected.rule.empty()) expect["rule"] = fixture.expected.rule;
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::string CompletedEvent(const JsonTree& tree, const Node& event) {
  constexpr std::pair<std::string_view, std::string_view> kUsual[] = {
      {"hook_event_name", "PreToolUse"},
      {"session_id", "audit"},
      {"permission_mode", "default"},
  };
  std::string text = "{";
  for (const auto& [key, value] : kUsual) {
    if (tree.Find(event, key) != nullptr) continue;
    text += JsonString(key) + ":" + JsonString(value) + ",";
  }
  const std::string_view own =
      std::string_view(tree.text()).substr(event.begin + 1, event.end - event.begin - 1);
  if (event.size == 0) text.pop_back();
  return text + std::string(own);
}

}  // namespace ringfence
