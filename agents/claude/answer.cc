#include "agents/claude/answer.h"

#include "base/text.h"

namespace ringfence {
namespace {

std::string Object(std::string_view event_name, std::string_view members,
                   std::string_view user = "") {
  std::string object = user.empty() ? "{" : "{\"systemMessage\":" + JsonString(user) + ",";
  object += "\"hookSpecificOutput\":{\"hookEventName\":" + JsonString(event_name) + ",";
  return object + std::string(members) + "}}\n";
}

std::string PreToolUseAnswer(const Decision& decision, std::string_view say,
                             std::string_view input) {
  const bool is_permitted = decision.verdict == Verdict::kPermit;
  const bool is_denied = decision.verdict == Verdict::kDeny;
  std::string members;
  if (!is_permitted || decision.say_allow) {
    const std::string_view word = is_permitted ? "allow" : VerdictName(decision.verdict);
    members = "\"permissionDecision\":\"" + std::string(word) + "\"";
  }
  if (!is_permitted) {
    members += ",\"permissionDecisionReason\":" + JsonString(ReasonText(decision, say));
  }
  if (!is_denied && !input.empty()) {
    members += (members.empty() ? "\"updatedInput\":" : ",\"updatedInput\":") + std::string(input);
  }
  return members.empty() ? "" : Object("PreToolUse", members);
}

// Leaves a question to the client, which is about to ask anyway.
std::string PermissionAnswer(const Decision& decision, std::string_view say) {
  if (decision.verdict == Verdict::kAsk) return "";
  if (decision.verdict == Verdict::kPermit) {
    if (!decision.say_allow) return "";
    return Object("PermissionRequest", "\"decision\":{\"behavior\":\"allow\"}");
  }
  return Object("PermissionRequest", "\"decision\":{\"behavior\":\"deny\",\"message\":" +
                                         JsonString(ReasonText(decision, say)) + "}");
}

}  // namespace

std::string DecisionAnswer(const Event& event, const Decision& decision, std::string_view say,
                           std::string_view input) {
  return event.kind == EventKind::kPermissionRequest ? PermissionAnswer(decision, say)
                                                     : PreToolUseAnswer(decision, say, input);
}

std::string ContextAnswer(std::string_view event_name, std::string_view context,
                          std::string_view user) {
  return Object(event_name, "\"additionalContext\":" + JsonString(context), user);
}

std::string RefusalLine(const Error& error, std::string_view say) {
  std::string line = "ringfence: " + Printable(error.text());
  if (!error.hint.empty()) line += "; " + Printable(error.hint);
  if (!say.empty()) line += ". " + Printable(say);
  constexpr size_t kMaxLine = 2048;
  return CutText(std::move(line), kMaxLine) + "\n";
}

}  // namespace ringfence
