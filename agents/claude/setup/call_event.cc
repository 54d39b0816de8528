#include "agents/claude/setup/call_event.h"

#include <utility>

#include "base/text.h"

namespace ringfence {
namespace {

constexpr const char* kEvent = "hook_event_name";

OrderedJson MemberOf(const OrderedJson& object, const char* key) {
  const bool has = object.is_object() && object.contains(key);
  return has ? object[key] : OrderedJson();
}

std::string StringMember(const OrderedJson& object, const char* key) {
  const OrderedJson value = MemberOf(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

}  // namespace

std::string EventText(const CallEvent& call) {
  OrderedJson event{{kEvent, call.event}};
  if (!call.agent_id.empty()) event["agent_id"] = call.agent_id;
  if (!call.agent_type.empty()) event["agent_type"] = call.agent_type;
  event["session_id"] = call.session;
  if (!call.cwd.empty()) event["cwd"] = call.cwd;
  event["permission_mode"] = call.permission_mode;
  event["tool_name"] = call.tool;
  event["tool_input"] = call.input;
  return JsonText(event);
}

const JsonTree::Node* EventNameOf(const JsonTree& tree, const JsonTree::Node& object) {
  return tree.Find(object, kEvent);
}

bool IsCallEvent(std::string_view name) {
  return name == "PreToolUse" || name == "PermissionRequest";
}

std::string CompletedEvent(const JsonTree& tree, const JsonTree::Node& event) {
  constexpr std::pair<std::string_view, std::string_view> kUsual[] = {
      {kEvent, "PreToolUse"},
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

CallEvent ReadCallEvent(std::string_view text) {
  const OrderedJson event = OrderedJson::parse(text, nullptr, false);
  CallEvent call;
  call.tool = StringMember(event, "tool_name");
  call.input = MemberOf(event, "tool_input");
  if (!call.input.is_object()) call.input = OrderedJson::object();
  return call;
}

HookAnswer ReadHookAnswer(std::string_view out) {
  const OrderedJson output =
      MemberOf(OrderedJson::parse(out, nullptr, false), "hookSpecificOutput");
  if (StringMember(output, "hookEventName") != "PreToolUse") return {};
  return {StringMember(output, "permissionDecision"),
          StringMember(output, "permissionDecisionReason")};
}

}  // namespace ringfence
