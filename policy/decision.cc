#include "policy/decision.h"

#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxReason = 1024;
constexpr size_t kMaxSay = 300;
constexpr size_t kMaxRemedy = 400;
constexpr size_t kMaxPlace = 150;

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

// A terminal shows the beginning of it, so what to do comes before where the rule is.
std::string ReasonText(const Decision& decision, std::string_view say) {
  if (!decision.cause) return "ringfence: permitted";
  const Cause& cause = *decision.cause;
  const bool denied = decision.verdict == Verdict::kDeny;
  std::string text = "ringfence: " + cause.what +
                     (denied ? " refused: " : " needs the user's approval: ") + cause.why + ".";
  std::string last;
  if (denied && !cause.remedy.empty()) last += " " + CutText(cause.remedy, kMaxRemedy);
  if (cause.place) last += " Rule: " + CutText(PlaceLabel(*cause.place), kMaxPlace) + ".";
  if (denied && !say.empty()) last += " " + CutText(Printable(say), kMaxSay);
  return CutText(std::move(text), kMaxReason - last.size()) + last;
}

}  // namespace ringfence
