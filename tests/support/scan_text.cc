#include "tests/support/scan_text.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace ringfence {
namespace {

std::string ErrorText(const JsonScanner& scanner) {
  return std::to_string(scanner.error_offset()) + " " + scanner.error_text();
}

std::string StringText(JsonScanner& scanner, size_t limit) {
  JsonScanner::String string;
  if (!scanner.TakeString(limit, &string)) return "";
  std::string out = JsonString(string.text);
  if (string.cut) out += '~';
  if (string.has_nul) out += '0';
  if (string.has_lone_surrogate) out += 's';
  return out;
}

std::string TokenText(JsonScanner& scanner, Token token, ScanLimits limits) {
  switch (token) {
    case Token::kObjectBegin:
      return "{";
    case Token::kObjectEnd:
      return "}";
    case Token::kArrayBegin:
      return "[";
    case Token::kArrayEnd:
      return "]";
    case Token::kKey:
      return JsonString(scanner.text()) + ":";
    case Token::kString:
      return StringText(scanner, limits.string);
    case Token::kNumber:
      return limits.numbers ? std::string(scanner.text()) : "#";
    case Token::kTrue:
      return "true";
    case Token::kFalse:
      return "false";
    case Token::kNull:
      return "null";
    case Token::kEnd:
      return ".";
    case Token::kError:
      return "! " + ErrorText(scanner);
  }
  return "?";
}

}  // namespace

Result<std::string_view> PieceSource::Next() {
  const size_t length = std::min(size_ == 0 ? rest_.size() : size_, rest_.size());
  piece_ = std::make_unique<char[]>(length);
  std::memcpy(piece_.get(), rest_.data(), length);
  rest_.remove_prefix(length);
  return std::string_view(piece_.get(), length);
}

std::string Scan(std::string_view text, JsonScanner::Options options, ScanLimits limits) {
  PieceSource source(text, limits.piece);
  JsonScanner scanner(source, options);
  std::string out;
  for (;;) {
    const Token token = scanner.Next();
    if (!out.empty()) out += ' ';
    out += TokenText(scanner, token, limits);
    if (token == Token::kEnd || token == Token::kError) return out;
  }
}

std::string ScanError(std::string_view text, JsonScanner::Options options) {
  TextSource source(text);
  JsonScanner scanner(source, options);
  for (;;) {
    const Token token = scanner.Next();
    if (token == Token::kEnd) return "";
    if (token == Token::kError) return ErrorText(scanner);
  }
}

bool IsAccepted(std::string_view text, JsonScanner::Options options) {
  return ScanError(text, options).empty();
}

}  // namespace ringfence
