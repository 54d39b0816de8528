// The hook's output, byte for byte as the client reads it: at most one JSON object per run.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/decision.h"
#include "policy/event.h"

namespace ringfence {

// Returns all of stdout for a decided PreToolUse or PermissionRequest; may be empty. `input` is
// JSON that replaces tool_input in a call that is not denied, or "".
std::string DecisionAnswer(const Event& event, const Decision& decision, std::string_view say,
                           std::string_view input = "");

// Returns the answer to an event that needs no decision: text for the model, and text for the user
// or "".
std::string ContextAnswer(std::string_view event_name, std::string_view context,
                          std::string_view user = "");

// Returns one line for stderr, with control characters escaped.
std::string RefusalLine(const Error& error, std::string_view say);

}  // namespace ringfence
