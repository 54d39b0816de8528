#include "policy/decision.h"

#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxReason = 1024;
constexpr size_t kMaxSay = 300;
constexpr size_t kMaxRemedy = 500;

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPermit:
      return "permit";
    case Verdict::kAsk:
      return "ask";
    case Verdict::kDeny:
      return "deny";
  }
  return "deny";
}

std::string PlaceLabel(const RulePlace& place) {
  std::string label = Printable(place.file);
  if (place.line != 0 && place.file != "built-in policy") label += ":" + std::to_string(place.line);
  if (!place.pointer.empty() && place.quotable) label += " " + Printable(place.pointer);
  return label;
}

std::string ReasonText(const Decision& decision, std::string_view say) {
  if (!decision.cause) return "ringfence: permitted";
  const Cause& cause = *decision.cause;
  const bool denied = decision.verdict == Verdict::kDeny;
  std::string text = "ringfence: " + cause.what +
                     (denied ? " refused: " : " needs the user's approval: ") + cause.why;
  if (cause.place) text += " (" + PlaceLabel(*cause.place) + ")";
  text += ".";
  if (!denied) return CutText(std::move(text), kMaxReason);
  // The remedy is last, because it may end in a command to copy.
  std::string last = say.empty() ? "" : " " + CutText(Printable(say), kMaxSay);
  if (!cause.remedy.empty()) last += " " + CutText(cause.remedy, kMaxRemedy);
  return CutText(std::move(text), kMaxReason - last.size()) + last;
}

}  // namespace ringfence
