#include "tests/support/slow_match.h"

#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace ringfence {
namespace {

using Byte = unsigned char;
using Bytes = std::set<Byte>;

struct Bracket {
  Bytes bytes;
  size_t length = 0;  // with both brackets
};

// Every byte of a class, in the C locale, which equals ASCII.
std::optional<Bytes> ClassBytes(std::string_view name) {
  struct Row {
    std::string_view name;
    int (*is_in)(int);
  };
  static constexpr Row kRows[] = {
      {"alnum", std::isalnum}, {"alpha", std::isalpha}, {"blank", std::isblank},
      {"cntrl", std::iscntrl}, {"digit", std::isdigit}, {"graph", std::isgraph},
      {"lower", std::islower}, {"print", std::isprint}, {"punct", std::ispunct},
      {"space", std::isspace}, {"upper", std::isupper}, {"xdigit", std::isxdigit}};
  for (const Row& row : kRows) {
    if (row.name != name) continue;
    Bytes bytes;
    for (int c = 0; c < 128; ++c) {
      if (row.is_in(c) != 0) bytes.insert(static_cast<Byte>(c));
    }
    return bytes;
  }
  return {};
}

// Builds the set of bytes that a bracket expression matches.
class BracketReader {
 public:
  BracketReader(std::string_view pattern, bool fold) : pattern_(pattern), fold_(fold) {}

  // `pattern` begins with "[". Returns nothing if it is malformed.
  std::optional<Bracket> Read() {
    const bool negated = Next() == '!' || Next() == '^';
    if (negated) ++at_;
    const size_t first = at_;
    while (at_ == first || Next() != ']') {
      if (Next() < 0 || !ReadItem()) return {};
    }
    Bracket bracket{{}, at_ + 1};
    for (int c = 0; c < 256; ++c) {
      if (bytes_.contains(static_cast<Byte>(c)) != negated) {
        bracket.bytes.insert(static_cast<Byte>(c));
      }
    }
    if (fold_) AddLowerCase(bracket.bytes);
    return bracket;
  }

 private:
  int Next(size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? static_cast<Byte>(pattern_[at_ + ahead]) : -1;
  }

  static void AddLowerCase(Bytes& bytes) {
    for (Byte c = 'A'; c <= 'Z'; ++c) {
      if (bytes.contains(c)) bytes.insert(static_cast<Byte>(std::tolower(c)));
    }
  }

  bool ReadItem() {
    if (Next() == '[' && Next(1) == ':') {
      const size_t close = pattern_.find(']', at_ + 2);
      if (close == std::string_view::npos) return false;
      if (close > at_ + 2 && pattern_[close - 1] == ':') return ReadClass(close);
    }
    const std::optional<Byte> low = ReadByte();
    if (!low) return false;
    if (Next() != '-' || Next(1) == ']' || Next(1) < 0) {
      bytes_.insert(*low);
      return true;
    }
    ++at_;
    const std::optional<Byte> high = ReadByte();
    if (!high) return false;
    for (int c = *low; c <= *high; ++c) bytes_.insert(static_cast<Byte>(c));
    return true;
  }

  bool ReadClass(size_t close) {
    const std::string_view name = pattern_.substr(at_ + 2, close - at_ - 3);
    const std::optional<Bytes> bytes = ClassBytes(name);
    if (!bytes) return false;
    bytes_.insert(bytes->begin(), bytes->end());
    at_ = close + 1;
    return true;
  }

  std::optional<Byte> ReadByte() {
    if (Next() == '\\') ++at_;
    if (Next() < 0) return {};
    return static_cast<Byte>(pattern_[at_++]);
  }

  std::string_view pattern_;
  bool fold_;
  size_t at_ = 1;
  Bytes bytes_;
};

class Matcher {
 public:
  explicit Matcher(bool fold) : fold_(fold) {}

  // `at_start`: a component begins here. Both arguments are suffixes of those of the first call, so
  // their lengths identify them; no pair is evaluated twice.
  bool Match(std::string_view pattern, std::string_view text, bool at_start) {
    const auto [known, is_new] = known_.try_emplace({pattern.size(), text.size(), at_start});
    if (is_new) known->second = MatchNow(pattern, text, at_start);
    return known->second;
  }

 private:
  bool MatchNow(std::string_view pattern, std::string_view text, bool at_start) {
    if (at_start && pattern == "**") return true;
    if (at_start && pattern.starts_with("**/")) return MatchAnywhere(pattern.substr(3), text);
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '*') {
      if (Match(pattern.substr(1), text, false)) return true;
      return !text.empty() && text[0] != '/' && Match(pattern, text.substr(1), false);
    }
    if (text.empty()) return false;
    if (pattern[0] == '/' || text[0] == '/') {
      return pattern[0] == text[0] && Match(pattern.substr(1), text.substr(1), true);
    }
    const size_t length = ElementLength(pattern, static_cast<Byte>(text[0]));
    return length != 0 && Match(pattern.substr(length), text.substr(1), false);
  }

  // Tries the start and the position after every later slash.
  bool MatchAnywhere(std::string_view pattern, std::string_view text) {
    if (Match(pattern, text, true)) return true;
    const size_t slash = text.find('/');
    return slash != std::string_view::npos && MatchAnywhere(pattern, text.substr(slash + 1));
  }

  // The length of the pattern's first element if it matches `c`, else 0. No element extends beyond
  // its component.
  size_t ElementLength(std::string_view pattern, Byte c) const {
    pattern = pattern.substr(0, pattern.find('/'));
    if (pattern[0] == '?') return 1;
    if (pattern[0] == '[') {
      const std::optional<Bracket> bracket = BracketReader(pattern, fold_).Read();
      return bracket && bracket->bytes.contains(c) ? bracket->length : 0;
    }
    const size_t at = pattern[0] == '\\' ? 1 : 0;
    if (at == pattern.size()) return 0;
    const auto want = static_cast<Byte>(pattern[at]);
    const bool same = want == c || (fold_ && want < 0x80 && std::tolower(want) == c);
    return same ? at + 1 : 0;
  }

  bool fold_;
  std::map<std::tuple<size_t, size_t, bool>, bool> known_;
};

}  // namespace

bool SlowMatch(std::string_view pattern, std::string_view text, MatchOptions options) {
  if (Matcher(options.fold).Match(pattern, text, true)) return true;
  if (!options.covers) return false;
  for (size_t slash = text.find('/'); slash != std::string_view::npos;
       slash = text.find('/', slash + 1)) {
    if (Matcher(options.fold).Match(pattern, text.substr(0, slash), true)) return true;
  }
  return false;
}

}  // namespace ringfence
