// A tool call as the client sends it, and the answer that it gets, for code that tries calls
// without the client: a proof, an explanation, a fixture made from the log.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_tree.h"

namespace ringfence {

struct CallEvent {
  std::string event = "PreToolUse";
  std::string session;
  std::string cwd;  // "" if the event has none
  std::string permission_mode = "default";
  std::string agent_id, agent_type;  // "" if not a subagent
  std::string tool;
  OrderedJson input;  // an object
};
// Returns one line of JSON, without its newline.
std::string EventText(const CallEvent& call);

// Returns the node that names the event; nullptr if `object` is not an event of the client.
const JsonTree::Node* EventNameOf(const JsonTree& tree, const JsonTree::Node& object);

// True for the events that ask for a decision on a call.
bool IsCallEvent(std::string_view name);

// Returns the event with the members that the client always sends: event name, session and
// permission mode.
std::string CompletedEvent(const JsonTree& tree, const JsonTree::Node& event);

// Reads the tool and its arguments from an event's text; empty if it is not a call.
CallEvent ReadCallEvent(std::string_view text);

struct HookAnswer {
  std::string decision;  // "" if none
  std::string reason;
};
HookAnswer ReadHookAnswer(std::string_view out);

}  // namespace ringfence
