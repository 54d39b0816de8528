#include "sandbox/sbpl_text.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

constexpr std::string_view kDataVolume = "/System/Volumes/Data";
constexpr std::string_view kEndOrBelow = "(/|$)";
// One unit that is not printable ASCII: a byte or a character, depending on the engine.
constexpr std::string_view kBeyondAscii = "[^ -~]";

bool IsLinkOfSystem(std::string_view name) {
  return name == "tmp" || name == "var" || name == "etc";
}

// Returns an expression that matches `c` literally.
std::string EscapedForRegex(char c) {
  constexpr std::string_view kMeaning = R"(.^$+{}()|\[]*?)";
  std::string text(1, c);
  return kMeaning.find(c) == std::string_view::npos ? text : "\\" + text;
}

// Matches both cases of a letter. KELVIN SIGN folds to "k" and LONG S to "s" (Unicode
// CaseFolding.txt), so a directory named with one of these is the same directory.
std::string BothCases(char letter) {
  std::string both = std::string("[") + ToUpper(letter) + ToLower(letter) + "]";
  if (ToLower(letter) != 'k' && ToLower(letter) != 's') return both;
  return "(" + both + "|" + std::string(kBeyondAscii) + "+)";
}

class ComponentRegex {
 public:
  ComponentRegex(std::string_view rest, Spelling spelling) : rest_(rest), spelling_(spelling) {}

  std::string OfLiteral() {
    while (!rest_.empty()) TakeCharacter();
    return std::move(regex_);
  }

  std::string OfPattern() {
    if (rest_.find_first_not_of('*') == std::string_view::npos) return "[^/]+";
    while (!rest_.empty()) TakeElement();
    return std::move(regex_);
  }

 private:
  void TakeElement() {
    const char c = rest_[0];
    if (c == '*') {
      rest_.remove_prefix(std::min(rest_.find_first_not_of('*'), rest_.size()));
      regex_ += "[^/]*";
    } else if (c == '?') {
      rest_.remove_prefix(1);
      regex_ += "[^/]";
    } else if (c == '[') {
      TakeBracket();
    } else {
      if (c == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      TakeCharacter();
    }
  }

  void TakeCharacter() {
    const char c = rest_[0];
    rest_.remove_prefix(1);
    if (spelling_ == Spelling::kExact) {
      regex_ += EscapedForRegex(c);
      return;
    }
    if (!IsAscii(c)) {
      while (!rest_.empty() && !IsAscii(rest_[0])) rest_.remove_prefix(1);
      regex_ += std::string(kBeyondAscii) + "+";
      return;
    }
    regex_ += IsLetter(c) ? BothCases(c) : EscapedForRegex(c);
    // The letter and the character after it can form one composed character.
    if (IsLetter(c) && !rest_.empty() && !IsAscii(rest_[0])) regex_ += "?";
  }

  void TakeBracket() {
    size_t length = 2;
    while (length < rest_.size() && !CheckPattern(rest_.substr(0, length))) ++length;
    const std::string_view bracket = rest_.substr(0, length);
    rest_.remove_prefix(length);
    std::array<bool, 256> in{};
    for (int c = 1; c < 256; ++c) {
      const bool fold = spelling_ == Spelling::kForgiven;
      const char byte = static_cast<char>(c);
      const std::string text(1, fold ? ToLower(byte) : byte);
      in.at(static_cast<size_t>(c)) = c != '/' && MatchPattern(bracket, text, {.fold = fold});
    }
    AppendClass(in);
  }

  // Seatbelt's brackets have no escapes, so special characters become alternatives beside them.
  // Characters that are not printable ASCII count as a group: included for a deny if any is a
  // member, for an allow if all are.
  void AppendClass(const std::array<bool, 256>& in) {
    std::string ranges;
    std::string beside;
    for (size_t c = ' '; c <= '~';) {
      const size_t first = c;
      while (c <= '~' && in.at(c) && !IsMeaning(c)) ++c;
      if (c > first) {
        ranges += Range(static_cast<char>(first), static_cast<char>(c - 1));
        continue;
      }
      if (in.at(c)) beside += "|" + (c == '-' ? "-" : EscapedForRegex(static_cast<char>(c)));
      ++c;
    }
    if (HasOthers(in)) beside += "|" + std::string(kBeyondAscii);
    if (ranges.empty() && beside.empty()) {
      regex_ += "//";  // an empty class: no path has two slashes
    } else if (beside.empty()) {
      regex_ += "[" + ranges + "]";
    } else {
      regex_ += "(" + (ranges.empty() ? beside.substr(1) : "[" + ranges + "]" + beside) + ")";
    }
  }

  static bool IsMeaning(size_t c) {
    return std::string_view("]^-\\[").find(static_cast<char>(c)) != std::string_view::npos;
  }

  static std::string Range(char first, char last) {
    if (first == last) return {first};
    if (last == first + 1) return {first, last};
    return {first, '-', last};
  }

  bool HasOthers(const std::array<bool, 256>& in) const {
    size_t members = 0;
    size_t all = 0;
    for (size_t c = 1; c < in.size(); ++c) {
      if (c >= ' ' && c <= '~') continue;
      ++all;
      if (in.at(c)) ++members;
    }
    return spelling_ == Spelling::kForgiven ? members > 0 : members == all;
  }

  std::string_view rest_;
  Spelling spelling_;
  std::string regex_;
};

std::string LiteralRegex(std::string_view path, Spelling spelling) {
  std::string regex;
  for (;;) {
    const std::string_view component = TakeComponent(path);
    if (component.empty()) return regex;
    regex += "/" + ComponentRegex(component, spelling).OfLiteral();
  }
}

std::string PatternRegex(std::string_view pattern, Spelling spelling) {
  std::string regex;
  for (;;) {
    const std::string_view component = TakeComponent(pattern);
    if (component.empty()) return regex + std::string(kEndOrBelow);
    if (component != "**") {
      regex += "/" + ComponentRegex(component, spelling).OfPattern();
    } else if (pattern.find_first_not_of('/') == std::string_view::npos) {
      return regex + "/[^/]";  // the contents, not the directory itself
    } else {
      regex += "(/[^/]+)*";
    }
  }
}

}  // namespace

std::string SbplString(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += "\\x";
      out += kDigits[byte / 16];
      out += kDigits[byte % 16];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

Path MacosPath(const Path& path) {
  Path named = path;
  if (const auto below = path.Below(Path::Clean(kDataVolume)); below && !below->empty()) {
    named = Path::Clean("/" + std::string(*below));
  }
  std::string_view rest = named.text();
  const std::string_view first = TakeComponent(rest);
  return IsLinkOfSystem(first) ? Path::Clean("/private" + named.text()) : named;
}

GuardedName MacosName(GuardedName name) {
  if (name.is_anywhere) return name;
  // Moves only components without a pattern into the base.
  std::string_view rest = name.tail;
  Path base = Path::Clean(name.base);
  while (base.text().size() <= kDataVolume.size()) {
    std::string_view after = rest;
    const std::string_view component = TakeComponent(after);
    if (component.empty() || (name.has_pattern && HasPattern(component))) break;
    base = base.Child(component);
    after.remove_prefix(std::min(after.find_first_not_of('/'), after.size()));
    rest = after;
  }
  name.tail = std::string(rest);
  name.base = MacosPath(base).text();
  if (name.tail.empty()) name.has_pattern = false;
  return name;
}

std::string PathRegex(const Path& path, Spelling spelling) {
  return "^" + (path.is_root() ? "/" : LiteralRegex(path.text(), spelling)) + "$";
}

std::string SubpathRegex(const Path& path, Spelling spelling) {
  return "^" + LiteralRegex(path.text(), spelling) + std::string(kEndOrBelow);
}

std::string NameRegex(const GuardedName& name, Spelling spelling) {
  if (name.is_anywhere) {
    // Not anchored, so that it matches in any directory.
    return PatternRegex(std::string_view(name.tail).substr(kAnywhereMark.size()), spelling);
  }
  const std::string base = "^" + LiteralRegex(name.base, spelling);
  if (name.has_pattern) return base + PatternRegex(name.tail, spelling);
  return base + LiteralRegex(name.tail, spelling) + std::string(kEndOrBelow);
}

}  // namespace ringfence
