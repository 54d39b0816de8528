#include "hook/alert_rate.h"

#include <algorithm>

#include "base/read_number.h"
#include "base/sha256.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr int64_t kClockStep = 60;      // seconds, like the next two
constexpr int64_t kRememberedFor = 60;  // for a written alert
constexpr int64_t kCountedFor = 86400;  // for the count of alerts held back
constexpr size_t kMostHeld = 64;        // groups for which a count is kept
constexpr size_t kDigest = 16;

// True if `at` is at most `seconds` ago. Allows for a clock that was set back or forward, which
// must not silence alerts, and for two simultaneous hooks, either of which may be the first.
bool IsWithin(int64_t at, int64_t now, int64_t seconds) {
  return at < now + kClockStep && at > now - seconds;
}

}  // namespace

std::string AlertDigest(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) {
    all += std::to_string(part.size()) + ":";
    all += part;
  }
  return Sha256Hex(all).substr(0, kDigest);
}

AlertRate AlertRate::Read(std::string_view text) {
  AlertRate rate;
  while (!text.empty()) rate.ReadLine(TakeUntil(text, '\n'));
  return rate;
}

// Reads "w GROUP ALERT SECONDS" or "h GROUP COUNT SECONDS".
bool AlertRate::ReadLine(std::string_view line) {
  const std::string_view kind = TakeUntil(line, ' ');
  const std::string_view group = TakeUntil(line, ' ');
  const std::string_view what = TakeUntil(line, ' ');
  int64_t at = 0;
  if (!IsLowerHex(group, kDigest) || !ReadNumber(line, at)) return false;
  if (kind == "w" && IsLowerHex(what, kDigest) && written_.size() < kMost) {
    written_.push_back({std::string(group), std::string(what), at});
    return true;
  }
  uint64_t count = 0;
  if (kind != "h" || !ReadNumber(what, count) || held_.size() >= kMostHeld) return false;
  held_.push_back({std::string(group), count, at});
  return true;
}

std::string AlertRate::text() const {
  std::string text;
  for (const Written& w : written_) {
    text += "w " + w.group + " " + w.alert + " " + std::to_string(w.at) + "\n";
  }
  for (const Held& h : held_) {
    text += "h " + h.group + " " + std::to_string(h.count) + " " + std::to_string(h.at) + "\n";
  }
  return text;
}

bool AlertRate::Take(const Question& question, uint64_t* held) {
  Forget(question.unix_seconds);
  if (IsTooOften(question)) {
    Hold(question);
    return false;
  }
  *held = TakeHeld(question.group);
  written_.push_back({question.group, question.alert, question.unix_seconds});
  return true;
}

void AlertRate::Forget(int64_t now) {
  std::erase_if(written_, [now](const Written& w) { return !IsWithin(w.at, now, kRememberedFor); });
  std::erase_if(held_, [now](const Held& h) { return !IsWithin(h.at, now, kCountedFor); });
}

bool AlertRate::IsTooOften(const Question& question) const {
  const auto is_same = [&](const Written& w) {
    return w.group == question.group && w.alert == question.alert;
  };
  if (written_.size() >= kMost || std::ranges::any_of(written_, is_same)) return true;
  const auto of_group = std::ranges::count(written_, question.group, &Written::group);
  return static_cast<size_t>(of_group) >= kMostEach;
}

void AlertRate::Hold(const Question& question) {
  const auto old = std::ranges::find(held_, question.group, &Held::group);
  if (old != held_.end()) {
    ++old->count;
    old->at = question.unix_seconds;
    return;
  }
  if (held_.size() == kMostHeld) held_.erase(std::ranges::min_element(held_, {}, &Held::at));
  held_.push_back({question.group, 1, question.unix_seconds});
}

uint64_t AlertRate::TakeHeld(const std::string& group) {
  const auto found = std::ranges::find(held_, group, &Held::group);
  if (found == held_.end()) return 0;
  const uint64_t count = found->count;
  held_.erase(found);
  return count;
}

}  // namespace ringfence
