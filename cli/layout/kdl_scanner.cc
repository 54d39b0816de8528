#include "cli/layout/kdl_scanner.h"

#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/contains.h"
#include "base/json_tree.h"
#include "base/text.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

constexpr std::string_view kDecimal = "0123456789";
constexpr std::string_view kHex = "0123456789abcdefABCDEF";

bool IsKdlSpace(uint32_t c) {
  constexpr std::array<uint32_t, 9> kSpaces = {'\t',   ' ',    0xA0,   0x1680, 0x202F,
                                               0x205F, 0x3000, 0xFEFF, 0x2000};
  return Contains(kSpaces, c) || (c > 0x2000 && c <= 0x200A);
}

bool IsNewline(uint32_t c) {
  return c == '\n' || c == '\r' || c == '\f' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool IsNameCharacter(uint32_t c) {
  if (c <= 0x20 || IsKdlSpace(c) || IsNewline(c)) return false;
  return c > 0x7F ||
         std::string_view("\\/(){}<>;[]=,\"").find(static_cast<char>(c)) == std::string_view::npos;
}

bool IsKeyword(std::string_view word) {
  return word == "true" || word == "false" || word == "null";
}

}  // namespace

bool KdlScanner::Take(std::string_view word) {
  if (has_failed() || !is_at(word)) return false;
  offset_ += word.size();
  return true;
}

bool KdlScanner::Fail(size_t offset, std::string what, std::string hint) {
  if (!mistake_) mistake_ = Mistake{offset, std::move(what), std::move(hint)};
  return false;
}

Error KdlScanner::error(std::string_view name) const {
  return ConfigError(PlaceText(name, text_, mistake_->offset), mistake_->what, mistake_->hint);
}

bool KdlScanner::TakeNewline() {
  if (has_failed() || is_at_end()) return false;
  if (Take("\r\n")) return true;
  const CodePoint c = DecodeUtf8(text_.substr(offset_));
  if (!IsNewline(c.value)) return false;
  offset_ += c.length;
  return true;
}

// Block comments nest.
bool KdlScanner::TakeBlockComment() {
  const size_t begin = offset_;
  if (!Take("/*")) return false;
  for (size_t depth = 1; depth > 0;) {
    const size_t next = text_.find_first_of("*/", offset_);
    if (next == std::string_view::npos) return Fail(begin, "this comment has no end");
    offset_ = next;
    if (Take("*/")) {
      --depth;
    } else if (Take("/*")) {
      ++depth;
    } else {
      ++offset_;
    }
  }
  return true;
}

bool KdlScanner::TakeLineComment() {
  if (!Take("//")) return false;
  while (!is_at_end() && !TakeNewline()) offset_ += DecodeUtf8(text_.substr(offset_)).length;
  return true;
}

bool KdlScanner::SkipSpace() {
  const size_t begin = offset_;
  while (!has_failed() && !is_at_end()) {
    const CodePoint c = DecodeUtf8(text_.substr(offset_));
    if (IsKdlSpace(c.value)) {
      offset_ += c.length;
    } else if (!TakeBlockComment()) {
      break;
    }
  }
  return offset_ > begin && !has_failed();
}

bool KdlScanner::SkipNodeSpace() {
  const size_t begin = offset_;
  for (;;) {
    SkipSpace();
    const size_t escape = offset_;
    if (!Take("\\")) break;
    SkipSpace();
    if (!TakeLineComment() && !TakeNewline()) {
      Fail(escape, R"(a "\" that does not end its line)");
    }
  }
  return offset_ > begin && !has_failed();
}

bool KdlScanner::SkipLineSpace() {
  const size_t begin = offset_;
  while (SkipSpace() || TakeNewline() || TakeLineComment()) {
  }
  return offset_ > begin && !has_failed();
}

bool KdlScanner::TakeTerminator() {
  if (has_failed()) return false;
  return is_at_end() || Take(";") || TakeLineComment() || TakeNewline();
}

bool KdlScanner::TakeType() {
  const size_t begin = offset_;
  if (!Take("(")) return false;
  std::string name;
  if (!TakeName(name)) return Fail(begin, "a type without a name");
  return Take(")") || Fail(begin, "missing \")\" after a type");
}

bool KdlScanner::TakeBareWord(std::string_view& out) {
  if (has_failed()) return false;
  const size_t begin = offset_;
  while (!is_at_end()) {
    const CodePoint c = DecodeUtf8(text_.substr(offset_));
    if (!IsNameCharacter(c.value)) break;
    offset_ += c.length;
  }
  out = text_.substr(begin, offset_ - begin);
  const bool is_signed = out.starts_with('-') || out.starts_with('+');
  const size_t first = is_signed ? 1 : 0;
  if (!out.empty() && (out.size() <= first || !IsDigit(out[first]))) return true;
  offset_ = begin;
  return false;
}

bool KdlScanner::TakeRawString(std::string& out) {
  const size_t begin = offset_;
  const size_t quote = text_.find_first_not_of('#', begin + 1);
  if (has_failed() || !is_at("r") || quote == std::string_view::npos || text_[quote] != '"') {
    return false;
  }
  const std::string close = "\"" + std::string(quote - begin - 1, '#');
  const size_t end = text_.find(close, quote + 1);
  if (end == std::string_view::npos) return Fail(begin, "this string has no end");
  out = text_.substr(quote + 1, end - quote - 1);
  offset_ = end + close.size();
  return true;
}

// Reads what follows "\u".
bool KdlScanner::TakeCodePoint(std::string& out) {
  constexpr size_t kMostDigits = 6;
  const size_t begin = offset_ - 2;
  const auto wrong = [&] {
    return Fail(begin, R"("\u" without a code point such as \u{e9} behind it)");
  };
  if (!Take("{")) return wrong();
  uint32_t value = 0;
  size_t count = 0;
  for (; !is_at_end() && kHex.find(text_[offset_]) != std::string_view::npos; ++count, ++offset_) {
    if (count == kMostDigits) return wrong();
    const size_t digit = kHex.find(text_[offset_]);
    value = value * 16 + static_cast<uint32_t>(digit < 16 ? digit : digit - 6);
  }
  const bool is_character = value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  if (count == 0 || !is_character || !Take("}")) return wrong();
  AppendUtf8(out, value);
  return true;
}

// Reads what follows a backslash.
bool KdlScanner::TakeEscape(std::string& out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (Take("u")) return TakeCodePoint(out);
  const size_t known = is_at_end() ? std::string_view::npos : kNames.find(text_[offset_]);
  if (known == std::string_view::npos) {
    return Fail(offset_ - 1, "an escape that KDL does not have",
                R"(write "\\" for a backslash, or a raw string: r"...")");
  }
  out += kMeanings[known];
  ++offset_;
  return true;
}

bool KdlScanner::TakeQuotedString(std::string& out) {
  const size_t begin = offset_;
  if (!Take("\"")) return false;
  for (;;) {
    const size_t next = text_.find_first_of("\"\\", offset_);
    if (next == std::string_view::npos) return Fail(begin, "this string has no end");
    out += text_.substr(offset_, next - offset_);
    offset_ = next;
    if (Take("\"")) return true;
    ++offset_;
    if (!TakeEscape(out)) return false;
  }
}

bool KdlScanner::TakeString(std::string& out) {
  out.clear();
  return TakeQuotedString(out) || TakeRawString(out);
}

bool KdlScanner::TakeName(std::string& out) {
  if (TakeString(out)) return true;
  const size_t begin = offset_;
  std::string_view word;
  if (!TakeBareWord(word)) return false;
  if (IsKeyword(word)) return Fail(begin, Quote(word) + " is a value, not a name", "quote it");
  out = word;
  return true;
}

bool KdlScanner::TakePropertyName(std::string& out) {
  const size_t begin = offset_;
  std::string_view word;
  if (!TakeString(out)) {
    if (!TakeBareWord(word)) return false;
    out = word;
  }
  if (!is_at("=")) {
    if (!has_failed()) offset_ = begin;
    return false;
  }
  if (IsKeyword(word)) return Fail(begin, Quote(word) + " is a value, not a name", "quote it");
  return Take("=");
}

bool KdlScanner::TakeDigits(std::string_view digits) {
  if (is_at_end() || digits.find(text_[offset_]) == std::string_view::npos) return false;
  while (!is_at_end() && (text_[offset_] == '_' || digits.find(text_[offset_]) != digits.npos)) {
    ++offset_;
  }
  return true;
}

bool KdlScanner::TakeNumber() {
  const size_t begin = offset_;
  if (has_failed()) return false;
  if (!Take("-")) Take("+");
  if (is_at_end() || !IsDigit(text_[offset_])) {
    offset_ = begin;
    return false;
  }
  const auto whole = [&](bool is_whole) { return is_whole || Fail(begin, "an incomplete number"); };
  if (Take("0x")) return whole(TakeDigits(kHex));
  if (Take("0o")) return whole(TakeDigits("01234567"));
  if (Take("0b")) return whole(TakeDigits("01"));
  TakeDigits(kDecimal);
  if (Take(".") && !whole(TakeDigits(kDecimal))) return false;
  if (!Take("e") && !Take("E")) return true;
  if (!Take("-")) Take("+");
  return whole(TakeDigits(kDecimal));
}

bool KdlScanner::TakeValue(KdlValue& out) {
  using enum KdlValue::Kind;
  out.begin = offset_;
  if (TakeString(out.text)) {
    out.kind = kString;
  } else if (TakeNumber()) {
    out.kind = kNumber;
    out.text = text_.substr(out.begin, offset_ - out.begin);
  } else {
    std::string_view word;
    if (!TakeBareWord(word)) return false;
    if (!IsKeyword(word)) {
      return Fail(out.begin, Quote(word) + " is neither a value nor a name with \"=\"",
                  "quote what is text; end a node with a line feed or \";\"");
    }
    out.kind = word == "true" ? kTrue : word == "false" ? kFalse : kNull;
    out.text.clear();
  }
  out.end = offset_;
  return true;
}

}  // namespace ringfence
