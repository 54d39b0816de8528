#include "policy/decision.h"

#include <algorithm>

#include "base/text.h"

namespace ringfence {
namespace {

constexpr std::string_view kOurName = "ringfence: ";

constexpr size_t kMaxReason = 1024;
constexpr size_t kMaxSay = 300;
constexpr size_t kMaxRemedy = 400;
constexpr size_t kMaxPlace = 150;
// The client's terminal shows about 200 characters of a refusal, 28 of which are the client's own
// (measured with 2.1.330 and 2.1.331, at every width).
constexpr size_t kVisible = 170;

// Shortens `read of "/a/long/name"` to `read of "…/name"`, by at least `excess` bytes: cuts the
// beginning of the name up to a slash. If that is not enough, leaves only `read`.
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

// If the terminal would cut the command in the remedy, shortens the names before it: first the
// target of a link, which the command repeats, then the path that the agent asked for and therefore
// knows.
Cause ShortenedCause(Cause cause) {
  const size_t command = cause.remedy.find('`');
  if (command == std::string::npos) return cause;
  const size_t shown = std::min(cause.remedy.find('`', command + 1), cause.remedy.size()) + 1;
  constexpr size_t kOthers = std::string_view("ringfence:  refused: . ").size();
  for (std::string* part : {&cause.why, &cause.what}) {
    const size_t size = kOthers + cause.what.size() + cause.why.size() + shown;
    // A name in the reason that is not a path, such as a host, is not repeated elsewhere.
    const bool is_kept = part == &cause.why && part->find('/') == std::string::npos;
    if (size > kVisible && !is_kept) *part = WithShorterName(*part, size - kVisible);
  }
  return cause;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  constexpr std::string_view kNames[] = {"permit", "ask", "deny"};  // in the order of Verdict
  return kNames[static_cast<size_t>(verdict)];
}

std::string PlaceLabel(const RulePlace& place) {
  std::string label = Printable(place.file);
  if (place.line != 0) label += ":" + std::to_string(place.line);
  if (!place.pointer.empty() && place.quotable) label += " " + Printable(place.pointer);
  return label;
}

std::string ReasonText(const Decision& decision, std::string_view say) {
  if (!decision.cause || decision.verdict != Verdict::kDeny) return WholeReasonText(decision, say);
  Decision shorter = decision;
  shorter.cause = ShortenedCause(*decision.cause);
  return WholeReasonText(shorter, say);
}

std::string WholeReasonText(const Decision& decision, std::string_view say) {
  if (!decision.cause) return std::string(kOurName) + "permitted";
  const Cause& cause = *decision.cause;
  const bool denied = decision.verdict == Verdict::kDeny;
  std::string text = std::string(kOurName) + cause.what +
                     (denied ? " refused: " : " needs the user's approval: ") + cause.why + ".";
  std::string last;
  if (denied && !cause.remedy.empty()) last += " " + CutText(cause.remedy, kMaxRemedy);
  if (cause.place) last += " Rule: " + CutText(PlaceLabel(*cause.place), kMaxPlace) + ".";
  if (denied && !say.empty()) last += " " + CutText(Printable(say), kMaxSay);
  return CutText(std::move(text), kMaxReason - last.size()) + last;
}

std::string RefusalSentence(const Cause& cause) {
  return WholeReasonText({.verdict = Verdict::kDeny, .cause = cause}, "").substr(kOurName.size());
}

}  // namespace ringfence
