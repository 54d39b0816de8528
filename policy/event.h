// Event: what an agent's client sent to its hook, as plain values. agents/claude/event_reader.cc
// creates it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
  kPromptExpansion,
  kNotServed,  // an event of the client that ringfence does not answer
};

// One value of tool_input that may matter to the decision. All other values are checked and
// skipped.
struct InputField {
  std::string pointer;  // JSON pointer below tool_input: "/file_path", "/edits/0/path"
  std::string key;      // the nearest object key: "path" for /files/0/path and for /path/0
  JsonKind kind = JsonKind::kNull;
  std::string text;  // the content of a string
  bool cut = false;  // the string was longer than any path
  bool has_nul = false;
  bool has_lone_surrogate = false;
  uint32_t depth = 1;     // 1: a member of tool_input itself
  bool is_key = false;    // `text` is an object's key, and `key` is the key of that object
  bool by_value = false;  // kept because of its text, not its name; only for MCP tools

  bool operator==(const InputField&) const = default;
};

// The unmodified tool_input, for an answer that changes only the command.
struct RawInput {
  std::string text;       // empty if it was too long to keep
  size_t command = 0;     // offset of the command in `text`, after its opening quote; 0 if none
  std::string beginning;  // of the command, decoded
  bool is_odd = false;    // the command is not a string

  bool operator==(const RawInput&) const = default;
};

// A command that the user typed, or a scheduled prompt: "/ringfence:explain Read x".
struct SlashCommand {
  std::string name;       // "ringfence:explain"
  std::string arguments;  // the text after the name
  bool is_cut = false;    // the arguments were too long to keep

  bool operator==(const SlashCommand&) const = default;
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
  std::optional<RawInput> raw_input;  // only if requested

  std::string config_file;  // ConfigChange: the settings file that changed
  std::string failure;      // the end of a failed tool's output (PostToolUse, PostToolUseFailure)
  std::optional<int64_t> milliseconds;  // for which that tool ran, if the client says so

  SlashCommand command;  // UserPromptExpansion

  bool in_sandbox = false;  // refused by the kernel sandbox, which cannot ask the user

  // True if the event asks for a decision on a tool call.
  bool is_call() const {
    return kind == EventKind::kPreToolUse || kind == EventKind::kPermissionRequest;
  }
  bool is_subagent() const { return !agent_id.empty() || !agent_type.empty(); }
  bool operator==(const Event&) const = default;
};

}  // namespace ringfence
