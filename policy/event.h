// Event: what an agent's client told its hook, as plain values. agents/claude/event_reader.cc makes
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_kind.h"

namespace ringfence {

enum class EventKind : uint8_t {
  kPreToolUse,
  kPermissionRequest,
  kConfigChange,
  kSessionStart,
  kSubagentStart,
  kPostToolUse,
  kPostToolUseFailure,
  kNotServed,  // an event that the client has and ringfence says nothing to
};

// One value of tool_input that may matter to the decision. Everything else was checked and skipped.
struct InputField {
  std::string pointer;  // JSON pointer below tool_input: "/file_path", "/edits/0/path"
  std::string key;      // the nearest object key: "path" for /files/0/path and for /path/0
  JsonKind kind = JsonKind::kNull;
  std::string text;  // of a string
  bool cut = false;  // the string was longer than any path
  bool has_nul = false;
  bool has_lone_surrogate = false;
  uint32_t depth = 1;     // 1: a member of tool_input itself
  bool is_key = false;    // the text is a key of an object, and `key` that of the object
  bool by_value = false;  // kept for what the text is: only an MCP tool has it

  bool operator==(const InputField&) const = default;
};

// tool_input as it came, for an answer that changes nothing of it but the command.
struct RawInput {
  std::string text;       // empty where it was too long to be kept
  size_t command = 0;     // where in `text` the command begins, behind its quote; 0: there is none
  std::string beginning;  // of the command, decoded

  bool operator==(const RawInput&) const = default;
};

struct Event {
  EventKind kind = EventKind::kNotServed;
  std::string name;  // hook_event_name

  std::string session_id;
  std::optional<std::string> cwd;  // absolute, without NUL
  std::string permission_mode;
  std::string agent_id;  // "" outside a subagent
  std::string agent_type;

  std::string tool_name;
  std::vector<InputField> input;
  std::optional<RawInput> raw_input;  // only where it was asked for

  std::string config_file;  // ConfigChange: the settings file that changed
  std::string failure;      // the end of what a failed tool said (PostToolUse, PostToolUseFailure)

  bool in_sandbox = false;  // the kernel refused it, and no person can be asked

  bool is_subagent() const { return !agent_id.empty() || !agent_type.empty(); }
  bool operator==(const Event&) const = default;
};

// Whether `pointer` is at or below `pattern`, in which "*" stands for any one component.
bool PointerCovers(std::string_view pattern, std::string_view pointer);

}  // namespace ringfence
