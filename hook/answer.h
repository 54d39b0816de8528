// What the hook says, byte for byte as the client reads it. Ends without a newline in JSON strings;
// one object a run.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/decision.h"
#include "policy/event.h"

namespace ringfence {

// The whole of stdout for a decided PreToolUse or PermissionRequest; may be empty.
std::string DecisionAnswer(const Event& event, const Decision& decision, std::string_view say);

// Text for the model beside an event that decides nothing.
std::string ContextAnswer(std::string_view event_name, std::string_view context);

// One line for stderr, control characters escaped.
std::string RefusalLine(const Error& error, std::string_view say);

}  // namespace ringfence
