#include "hook/answer.h"

#include "base/text.h"

namespace ringfence {
namespace {

std::string Object(std::string_view event_name, std::string_view members) {
  return "{\"hookSpecificOutput\":{\"hookEventName\":" + JsonString(event_name) + "," +
         std::string(members) + "}}\n";
}

std::string PreToolUseAnswer(const Decision& decision, std::string_view say) {
  std::string_view word = "deny";
  switch (decision.verdict) {
    case Verdict::kPermit:
      return decision.say_allow ? Object("PreToolUse", "\"permissionDecision\":\"allow\"") : "";
    case Verdict::kAsk:
      word = "ask";
      break;
    case Verdict::kDeny:
      break;
  }
  return Object("PreToolUse",
                "\"permissionDecision\":\"" + std::string(word) +
                    "\",\"permissionDecisionReason\":" + JsonString(ReasonText(decision, say)));
}

// A question stays the client's: it is about to ask anyway.
std::string PermissionAnswer(const Decision& decision, std::string_view say) {
  switch (decision.verdict) {
    case Verdict::kPermit:
      if (!decision.say_allow) return "";
      return Object("PermissionRequest", "\"decision\":{\"behavior\":\"allow\"}");
    case Verdict::kAsk:
      return "";
    case Verdict::kDeny:
      break;
  }
  return Object("PermissionRequest", "\"decision\":{\"behavior\":\"deny\",\"message\":" +
                                         JsonString(ReasonText(decision, say)) + "}");
}

}  // namespace

std::string DecisionAnswer(const Event& event, const Decision& decision, std::string_view say) {
  return event.kind == EventKind::kPermissionRequest ? PermissionAnswer(decision, say)
                                                     : PreToolUseAnswer(decision, say);
}

std::string ContextAnswer(std::string_view event_name, std::string_view context) {
  return Object(event_name, "\"additionalContext\":" + JsonString(context));
}

std::string RefusalLine(const Error& error, std::string_view say) {
  std::string line = "ringfence: " + Printable(error.text());
  if (!error.hint.empty()) line += ". " + Printable(error.hint);
  if (!say.empty()) line += ". " + Printable(say);
  constexpr size_t kMaxLine = 2048;
  return CutText(std::move(line), kMaxLine) + "\n";
}

}  // namespace ringfence
