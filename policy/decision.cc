#include "policy/decision.h"

#include <algorithm>

#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxReason = 1024;
constexpr size_t kMaxSay = 300;
constexpr size_t kMaxRemedy = 400;
constexpr size_t kMaxPlace = 150;
// The client's terminal shows about 200 characters of a refusal, 28 of them its own (measured on
// 2.1.330 and 2.1.331, the same for every width).
constexpr size_t kVisible = 170;

// `read of "/a/long/name"` as `read of "…/name"`, to be at least `excess` bytes shorter: the name
// loses its beginning, up to a slash. Where that is not enough, `read` is left.
std::string WithShorterName(const std::string& text, size_t excess) {
  constexpr std::string_view kCut = "\xE2\x80\xA6";  // "…"
  const size_t open = text.find('"');
  const size_t close = text.rfind('"');
  if (std::ranges::count(text, '"') != 2 || close - open <= kCut.size()) return text;
  const std::string_view before = std::string_view(text).substr(0, open);
  const size_t slash = text.find('/', open + 1 + excess + kCut.size());
  const bool is_last = close + 1 == text.size();
  for (const std::string_view preposition : {" of ", " to ", " in "}) {
    if (slash < close || !is_last || !before.ends_with(preposition)) continue;
    return text.substr(0, open - preposition.size());
  }
  return text.substr(0, open + 1) + std::string(kCut) + text.substr(std::min(slash, close));
}

// "ringfence: WHAT refused: WHY. REMEDY". Where a terminal would not show the whole command of the
// remedy, the names before it are shortened: first where a link leads, which the command names,
// then what the agent asked for and so knows.
std::string RefusalText(const Cause& cause) {
  const std::string remedy = cause.remedy.empty() ? "" : " " + CutText(cause.remedy, kMaxRemedy);
  const size_t command = remedy.find('`');
  const size_t shown =
      command == std::string::npos ? 0 : std::min(remedy.find('`', command + 1), remedy.size()) + 1;
  std::string what = cause.what;
  std::string why = cause.why;
  const auto head = [&] { return "ringfence: " + what + " refused: " + why + "."; };
  for (std::string* part : {&why, &what}) {
    const size_t size = head().size() + shown;
    if (shown == 0 || size <= kVisible) break;
    *part = WithShorterName(*part, size - kVisible);
  }
  return head() + remedy;
}

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
  std::string text =
      denied ? RefusalText(cause)
             : "ringfence: " + cause.what + " needs the user's approval: " + cause.why + ".";
  std::string last;
  if (cause.place) last += " Rule: " + CutText(PlaceLabel(*cause.place), kMaxPlace) + ".";
  if (denied && !say.empty()) last += " " + CutText(Printable(say), kMaxSay);
  return CutText(std::move(text), kMaxReason - last.size()) + last;
}

}  // namespace ringfence
