#include "cli/audit/recorded.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "agents/claude/agent.h"
#include "base/json_edit.h"
#include "base/text.h"

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

// A call as the log has kept it.
struct LoggedCall {
  std::string tool;
  std::vector<std::string> paths;  // where its arguments led, each once
  std::string decision;
  std::string rule;  // its pointer; ""

  // "read", "write": whose list decided.
  bool IsOf(std::string_view section) const {
    return std::string_view(rule).substr(0, rule.rfind('/')).ends_with("/" + std::string(section));
  }
};

// Whether a path of the log can have been this argument.
bool MayBePath(FieldRole role, const LoggedCall& call) {
  switch (role) {
    case FieldRole::kRead:
    case FieldRole::kSearchFolder:
      return !call.IsOf("write");
    case FieldRole::kWrite:
      return !call.IsOf("read");
    case FieldRole::kReadWrite:
      return true;
    case FieldRole::kSearchPattern:
    case FieldRole::kSearchFilter:
    case FieldRole::kUrl:
    case FieldRole::kHosts:
    case FieldRole::kOtherHost:
    case FieldRole::kAttachment:  // an element of a list
    case FieldRole::kNoPath:
    case FieldRole::kResourceUri:
    case FieldRole::kWorktreeName:  // of one component: where it led is the "path" beside it
    case FieldRole::kMcpServer:
    case FieldRole::kIsolation:
      return false;
  }
  return false;
}

// An argument that names no path and that the log does not keep.
bool IsLost(const ToolField& field) {
  return field.role == FieldRole::kUrl || field.role == FieldRole::kResourceUri ||
         field.role == FieldRole::kMcpServer;
}

bool HasPattern(const KnownTool& tool) {
  return std::ranges::any_of(tool.fields, [](const ToolField& field) {
    return field.role == FieldRole::kSearchPattern || field.role == FieldRole::kSearchFilter;
  });
}

// The arguments of a tool that named paths. False: the call had others that the log has not kept.
bool PutPaths(const LoggedCall& call, OrderedJson& input) {
  const std::string& first = call.paths.front();
  const auto known = ClaudeCode().tools.Find(call.tool);
  if (!known) {
    input["path"] = first;
    for (size_t i = 1; i < call.paths.size(); ++i) input["paths"].push_back(call.paths[i]);
    return true;
  }
  if (HasPattern(*known) && call.decision != "permit" && call.rule.empty()) return false;
  const auto field = std::ranges::find_if(
      known->fields, [&](const ToolField& f) { return MayBePath(f.role, call); });
  const bool makes_worktree = std::ranges::any_of(
      known->fields, [](const ToolField& f) { return f.role == FieldRole::kIsolation; });
  if (field != known->fields.end()) {
    input[std::string(field->pointer.substr(1))] = first;
  } else if (makes_worktree) {
    input["isolation"] = "worktree";
  } else {
    input["path"] = first;  // one that the tool does not have
  }
  for (const ToolField& other : known->fields) {
    if (other.required && IsLost(other)) return false;
    if (other.role == FieldRole::kSearchPattern) input[std::string(other.pointer.substr(1))] = "*";
  }
  return true;
}

// Whether a call without paths was decided by more than its tool's name.
bool HidesArguments(const LoggedCall& call) {
  const auto known = ClaudeCode().tools.Find(call.tool);
  const auto is_seldom = [](const ToolField& field) {
    return field.role == FieldRole::kHosts || field.role == FieldRole::kOtherHost;
  };
  if (!known || std::ranges::all_of(known->fields, is_seldom)) return false;
  const auto needs = [](const ToolField& field) { return field.required; };
  if (std::ranges::any_of(known->fields, needs)) return true;
  if (call.decision == "permit" || call.IsOf("bash")) return false;
  return call.rule.empty() || std::ranges::any_of(known->fields, IsLost);
}

// The arguments by which the call was judged, or nothing where the log has not kept them.
std::optional<OrderedJson> InputOf(const LoggedCall& call) {
  if (call.IsOf("network")) return {};
  OrderedJson input = OrderedJson::object();
  if (call.rule.ends_with("/bash/unsandboxed")) input["dangerouslyDisableSandbox"] = true;
  if (ClaudeCode().tools.RunsCommand(call.tool)) input["command"] = "true";
  const bool is_kept = call.paths.empty() ? !HidesArguments(call) : PutPaths(call, input);
  if (!is_kept) return {};
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
      InputOf({tool, PathsOf(tree), fixture.expected.decision, fixture.expected.rule});
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

bool MayBeOfPattern(const Fixture& fixture, const Path& project) {
  if (fixture.expected.decision == "permit") return false;
  const OrderedJson event = OrderedJson::parse(fixture.event, nullptr, false);
  const auto tool = ClaudeCode().tools.Find(event.value("tool_name", ""));
  if (!tool || !HasPattern(*tool)) return false;
  const OrderedJson input = event.value("tool_input", OrderedJson::object());
  const std::optional<Path> folder = Path::Parse(input.value("path", ""));
  return folder && folder->IsInside(project);
}

FixtureFile ReadLog(std::string_view text, const std::string& path) {
  FixtureFile file;
  for (const NumberedLine& line : LinesOf(text)) {
    const std::string name = path + ":" + std::to_string(line.number);
    const Result<JsonTree> tree = JsonTree::Parse(std::string(line.text), path, false);
    if (!tree || !IsLogLine(*tree)) {
      file.foreign.push_back({path, line.number});
      file.skipped.push_back(name + ": not a line of the audit log");
    } else if (std::optional<Fixture> fixture = FixtureOfLogLine(*tree)) {
      fixture->name = name;
      fixture->place = {path, line.number};
      file.fixtures.push_back(std::move(*fixture));
    } else {
      file.skipped.push_back(name + ": the log does not have the call's arguments");
    }
  }
  return file;
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
