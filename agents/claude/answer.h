// What the hook says, byte for byte as the client reads it. Ends without a newline in JSON strings;
// one object a run.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/decision.h"
#include "policy/event.h"

namespace ringfence {

// The whole of stdout for a decided PreToolUse or PermissionRequest; may be empty. `input`: JSON
// that stands for tool_input in a call that is not denied, or "".
std::string DecisionAnswer(const Event& event, const Decision& decision, std::string_view say,
                           std::string_view input = "");

// Text for the model beside an event that decides nothing, and one for the user, or "".
std::string ContextAnswer(std::string_view event_name, std::string_view context,
                          std::string_view user = "");

// One line for stderr, control characters escaped.
std::string RefusalLine(const Error& error, std::string_view say);

}  // namespace ringfence
