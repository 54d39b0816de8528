#include "policy/rules/pattern.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/text.h"

namespace ringfence {
namespace {

bool IsGraph(unsigned char c) { return c > 0x20 && c < 0x7F; }
bool IsSpace(unsigned char c) { return c == ' ' || (c >= 0x09 && c <= 0x0D); }
bool IsPunct(unsigned char c) { return IsGraph(c) && !IsAlnum(c); }
bool IsSpecial(char c) { return c == '*' || c == '?' || c == '[' || c == '\\'; }

// True if [:name:] contains `c`; nothing if the class does not exist.
std::optional<bool> InClass(std::string_view name, unsigned char c) {
  if (name == "alnum") return IsAlnum(c);
  if (name == "alpha") return IsLetter(c);
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return c < 0x20 || c == 0x7F;
  if (name == "digit") return IsDigit(c);
  if (name == "graph") return IsGraph(c);
  if (name == "lower") return IsLower(c);
  if (name == "print") return IsGraph(c) || c == ' ';
  if (name == "punct") return IsPunct(c);
  if (name == "space") return IsSpace(c);
  if (name == "upper") return IsUpper(c);
  if (name == "xdigit") return HexValue(static_cast<char>(c)) >= 0;
  return {};
}

// Reads one bracket expression. `pattern` begins after the "[".
class Bracket {
 public:
  Bracket(std::string_view pattern, unsigned char c) : pattern_(pattern), c_(c) {}

  struct Outcome {
    bool sound = false;
    bool matches = false;
    size_t length = 0;  // of the expression, including its "]"
  };

  Outcome Read() {
    const bool negated = !pattern_.empty() && (pattern_[0] == '!' || pattern_[0] == '^');
    if (negated) ++at_;
    for (bool first = true;; first = false) {
      if (at_ >= pattern_.size()) return {};
      if (pattern_[at_] == ']' && !first) break;
      if (!ReadItem()) return {};
    }
    return {true, found_ != negated, at_ + 1};
  }

 private:
  bool ReadItem() {
    if (pattern_.substr(at_, 2) == "[:") {
      if (const std::optional<bool> sound = ReadClass()) return *sound;
    }
    unsigned char low = 0;
    if (!ReadByte(&low)) return false;
    const bool range =
        at_ + 1 < pattern_.size() && pattern_[at_] == '-' && pattern_[at_ + 1] != ']';
    unsigned char high = low;
    if (range) {
      ++at_;
      if (!ReadByte(&high)) return false;
    }
    found_ |= low <= c_ && c_ <= high;
    return true;
  }

  // Returns nothing if "[:" is two ordinary characters, because no ":]" follows.
  std::optional<bool> ReadClass() {
    const size_t close = pattern_.find(']', at_ + 2);
    if (close == std::string_view::npos) return false;
    if (pattern_[close - 1] != ':' || close - 1 < at_ + 2) return {};
    const std::optional<bool> in = InClass(pattern_.substr(at_ + 2, close - at_ - 3), c_);
    if (!in) return false;
    found_ |= *in;
    at_ = close + 1;
    return true;
  }

  bool ReadByte(unsigned char* byte) {
    if (at_ < pattern_.size() && pattern_[at_] == '\\') ++at_;
    if (at_ >= pattern_.size()) return false;
    *byte = static_cast<unsigned char>(pattern_[at_++]);
    return true;
  }

  std::string_view pattern_;
  unsigned char c_;
  size_t at_ = 0;
  bool found_ = false;
};

// The result of matching the pattern's next element with the text's next byte.
struct Step {
  bool matches = false;
  size_t length = 0;  // of the element
};

Step MatchOne(std::string_view pattern, unsigned char c, bool fold) {
  if (pattern[0] == '?') return {true, 1};
  if (pattern[0] == '[') {
    const Bracket::Outcome outcome = Bracket(pattern.substr(1), c).Read();
    // If folded, a letter counts as both cases, even if "[!a]" matches only one of them.
    const bool matches =
        outcome.matches || (fold && Bracket(pattern.substr(1), ToUpper(c)).Read().matches);
    return {outcome.sound && matches, outcome.length + 1};
  }
  const size_t at = pattern[0] == '\\' ? 1 : 0;
  if (at == pattern.size()) return {};
  const auto want = static_cast<unsigned char>(pattern[at]);
  return {(fold ? ToLower(want) : want) == c, at + 1};
}

// Neither side contains "/". Only the last "*" needs to be retried: whatever more an earlier one
// could take, the last one can take as well.
bool MatchComponent(std::string_view pattern, std::string_view text, bool fold) {
  std::string_view retry_pattern;
  std::string_view retry_text;
  bool can_retry = false;
  for (;;) {
    if (!pattern.empty() && pattern[0] == '*') {
      pattern.remove_prefix(1);
      retry_pattern = pattern;
      retry_text = text;
      can_retry = true;
      continue;
    }
    if (text.empty() && pattern.empty()) return true;
    if (!text.empty() && !pattern.empty()) {
      const Step step = MatchOne(pattern, static_cast<unsigned char>(text[0]), fold);
      if (step.matches) {
        pattern.remove_prefix(step.length);
        text.remove_prefix(1);
        continue;
      }
    }
    if (!can_retry || retry_text.empty()) return false;
    retry_text.remove_prefix(1);
    pattern = retry_pattern;
    text = retry_text;
  }
}

// Splits at "/" and keeps empty components; `done` is true after the last one.
class Components {
 public:
  explicit Components(std::string_view text) { Split(text); }

  bool done() const { return done_; }
  bool is_last() const { return is_last_; }
  std::string_view first() const { return first_; }
  void Advance() {
    done_ = is_last_;
    Split(rest_);
  }

 private:
  void Split(std::string_view text) {
    const size_t slash = text.find('/');
    is_last_ = slash == std::string_view::npos;
    first_ = text.substr(0, slash);
    rest_ = is_last_ ? std::string_view() : text.substr(slash + 1);
  }

  std::string_view first_;
  std::string_view rest_;
  bool is_last_ = false;
  bool done_ = false;
};

// Returns the only byte that a matching component can begin with; 0 if there are several.
unsigned char FirstByte(std::string_view component, bool fold) {
  if (component.empty() || IsSpecial(component[0])) return 0;
  const auto first = static_cast<unsigned char>(component[0]);
  return fold ? ToLower(first) : first;
}

// Skips components that cannot match what follows a "**"; most differ in their first byte.
void SkipOthers(Components& have, unsigned char first_byte) {
  if (first_byte == 0) return;
  while (!have.done() && !have.first().starts_with(static_cast<char>(first_byte))) have.Advance();
}

}  // namespace

bool HasPattern(std::string_view text) { return std::ranges::any_of(text, IsSpecial); }

Status CheckPattern(std::string_view pattern) {
  const auto wrong = [pattern](std::string_view what) {
    return ConfigError("", Quote(pattern) + " " + std::string(what),
                       "put a backslash before a character that is meant literally");
  };
  while (!pattern.empty()) {
    size_t length = 1;
    if (pattern[0] == '\\') {
      length = 2;
      if (pattern.size() < 2) return wrong("ends in a backslash");
      if (pattern[1] == '/') return wrong("has a backslash before a slash");
    } else if (pattern[0] == '[') {
      const std::string_view rest = pattern.substr(1, pattern.find('/') - 1);
      const Bracket::Outcome outcome = Bracket(rest, 'a').Read();
      if (!outcome.sound) return wrong("has a bracket that is not closed or an unknown class");
      length = outcome.length + 1;
    }
    pattern.remove_prefix(length);
  }
  return Unit{};
}

bool MatchPattern(std::string_view pattern, std::string_view text, MatchOptions options) {
  Components want(pattern);
  Components have(text);
  Components retry_want = want;
  Components retry_have = have;
  bool can_retry = false;
  unsigned char first_byte = 0;  // of the component after the last "**"
  for (;;) {
    if (!want.done() && want.first() == "**") {
      if (want.is_last()) return !have.done();
      want.Advance();
      first_byte = FirstByte(want.first(), options.fold);
      SkipOthers(have, first_byte);
      retry_want = want;
      retry_have = have;
      can_retry = true;
      continue;
    }
    if (want.done() && (have.done() || options.covers)) return true;
    if (!want.done() && !have.done() && MatchComponent(want.first(), have.first(), options.fold)) {
      want.Advance();
      have.Advance();
      continue;
    }
    if (!can_retry || retry_have.done()) return false;
    retry_have.Advance();
    SkipOthers(retry_have, first_byte);
    want = retry_want;
    have = retry_have;
  }
}

bool MatchName(std::string_view pattern, std::string_view name) {
  const std::string_view first = pattern.substr(0, 1);
  if (!HasPattern(first) && first != name.substr(0, 1)) return false;  // most names differ there
  return MatchComponent(pattern, name, false);
}

std::string EscapePattern(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

}  // namespace ringfence
