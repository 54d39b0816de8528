#include "base/text.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

void AppendUnicodeEscape(std::string& out, uint32_t value) {
  if (value > 0xFFFF) {
    AppendUnicodeEscape(out, 0xD800 + ((value - 0x10000) >> 10));
    AppendUnicodeEscape(out, 0xDC00 + ((value - 0x10000) & 0x3FF));
    return;
  }
  out += "\\u";
  AppendHex(out, value, 4);
}

void AppendJsonEscape(std::string& out, uint32_t value) {
  constexpr std::u32string_view kEscaped = U"\"\\\n\t\r";
  constexpr std::string_view kLetters = "\"\\ntr";  // after the backslash, in the same order
  const size_t i = kEscaped.find(value);
  if (i == std::u32string_view::npos) return AppendUnicodeEscape(out, value);
  out += {'\\', kLetters[i]};
}

bool IsPlainInJson(char c) { return IsPrintableAscii(c) && c != '"' && c != '\\'; }

// Moves the plain prefix of `text` to the end of `out`.
void AppendPlain(std::string& out, std::string_view& text, bool is_plain(char)) {
  const auto special = std::ranges::find_if_not(text, is_plain);
  const auto plain = static_cast<size_t>(special - text.begin());
  out.append(text.substr(0, plain));
  text.remove_prefix(plain);
}

enum class Escape { kForJson, kForPeople, kUnseen, kUnseenOrBlank };

bool IsHidden(uint32_t value, Escape escape) {
  if (escape == Escape::kForJson) return false;
  return IsInvisible(value) || (escape != Escape::kUnseen && LooksBlank(value));
}

// Appends the first code point of `text` and returns its length in bytes.
size_t AppendOne(std::string& out, std::string_view text, Escape escape) {
  const CodePoint point = DecodeUtf8(text);
  if (point.length == 0) {
    out += kReplacement;
    return 1;
  }
  const bool is_quoted = escape == Escape::kForJson || escape == Escape::kForPeople;
  const bool structural = point.value < 0x20 || point.value == '"' || point.value == '\\';
  if ((structural && is_quoted) || IsHidden(point.value, escape)) {
    AppendJsonEscape(out, point.value);
  } else {
    out.append(text.substr(0, point.length));
  }
  return point.length;
}

std::string WithEscapes(std::string_view text, Escape escape) {
  std::string out;
  while (!text.empty()) {
    AppendPlain(out, text, IsPrintableAscii);
    if (!text.empty()) text.remove_prefix(AppendOne(out, text, escape));
  }
  return out;
}

// Number of letters to insert, remove or replace, or of neighbours to swap.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::vector<size_t> above(b.size() + 1);
  std::vector<size_t> second(b.size() + 1);  // two rows above
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    second.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], second[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    AppendPlain(out, text, IsPlainInJson);
    if (!text.empty()) text.remove_prefix(AppendOne(out, text, Escape::kForJson));
  }
  out.push_back('"');
}

std::string JsonString(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

std::string Quote(std::string_view text, size_t limit) {
  std::string out = "\"";
  while (!text.empty() && out.size() <= limit) {
    text.remove_prefix(AppendOne(out, text, Escape::kForPeople));
  }
  out += text.empty() ? "\"" : "...\"";
  return out;
}

std::string Printable(std::string_view text) { return WithEscapes(text, Escape::kUnseen); }

std::string PrintableName(std::string_view name) {
  return WithEscapes(name, Escape::kUnseenOrBlank);
}

std::string PrintableLines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += Printable(text.substr(0, end));
    if (end < text.size()) out.push_back('\n');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string ShellQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += "'\\'";
    out += c;
  }
  out += '\'';
  return out;
}

std::string AsciiJson(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    AppendPlain(out, json, IsPrintableAscii);
    if (json.empty()) break;
    const CodePoint point = DecodeUtf8(json);
    AppendUnicodeEscape(out, point.length == 0 ? 0xFFFD : point.value);
    json.remove_prefix(point.length == 0 ? 1 : point.length);
  }
  return out;
}

std::string CutText(std::string text, size_t limit) {
  constexpr std::string_view kMissing = "...";
  if (text.size() <= limit) return text;
  size_t end = limit < kMissing.size() ? 0 : limit - kMissing.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  return text.append(kMissing);
}

std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  // The leading dashes of an option are rarely wrong.
  const size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  size_t best_distance = std::max<size_t>(1, (word.size() - dashes) / 3) + 1;
  if (word.size() > 64 || word.size() - dashes < 2) return best;
  for (const std::string_view candidate : candidates) {
    const size_t distance = EditDistance(LowerAscii(word), LowerAscii(candidate));
    // Of two equally near candidates, prefers the one with the same first letter, which is rarely
    // wrong.
    const bool is_likelier = distance == best_distance && !best.empty() &&
                             candidate.substr(0, 1) == word.substr(0, 1) &&
                             best.substr(0, 1) != word.substr(0, 1);
    if (distance >= best_distance && !is_likelier) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string DidYouMean(std::string_view nearest) {
  return nearest.empty() ? "" : "; did you mean " + Quote(nearest) + "?";
}

std::string_view TakeUntil(std::string_view& rest, char separator) {
  const std::string_view taken = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(taken.size() + 1, rest.size()));
  return taken;
}

std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void AppendHex(std::string& out, uint32_t value, int digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  while (--digits >= 0) out.push_back(kHex[(value >> (4 * digits)) & 0xF]);
}

std::string PercentEncoded(std::string_view text, std::string_view plain) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsAlnum(c) || plain.find(c) != std::string_view::npos) {
      encoded.push_back(c);
    } else {
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

bool IsLowerHex(std::string_view text, size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool IsBlankLine(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::string LowerAscii(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), ToLower<char>);
  return out;
}

}  // namespace ringfence
