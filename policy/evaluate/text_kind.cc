#include "policy/evaluate/text_kind.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

constexpr std::string_view kWeb[] = {"http", "https", "ws", "wss"};

}  // namespace

// "arn:aws:s3:::b" and "os:windows:11" contain none: a scheme begins at a boundary, and parsers add
// a missing slash only to http and https.
size_t InnerScheme(std::string_view text) {
  const std::string lower = LowerAscii(text);
  for (size_t colon = lower.find(':'); colon != lower.npos; colon = lower.find(':', colon + 1)) {
    size_t begin = colon;
    while (begin > 0 && IsAlnum(lower[begin - 1])) --begin;
    const std::string scheme = lower.substr(begin, colon - begin);
    if (scheme == "http" || scheme == "https") return begin;
    const char next = colon + 1 < lower.size() ? lower[colon + 1] : '\0';
    const bool has_slash = next == '/' || next == '\\';
    if (has_slash && (scheme == "file" || scheme == "ws" || scheme == "wss")) return begin;
  }
  return std::string_view::npos;
}

std::string RepairedUrl(std::string_view text) {
  std::string repaired;
  text = TrimSpace(text);
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    size_t length = point.length == 0 ? 1 : point.length;
    if (point.length == 0 || !IsInvisible(point.value)) {
      while (length < text.size() && IsPrintableAscii(text[length])) ++length;
      repaired.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return std::string(TrimSpace(repaired));
}

std::string SchemeOf(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !IsLetter(text[0])) return "";
  const std::string_view scheme = text.substr(0, colon);
  const bool plain = std::ranges::all_of(
      scheme, [](char c) { return IsAlnum(c) || c == '+' || c == '-' || c == '.'; });
  return plain ? LowerAscii(scheme) : "";
}

TextKind KindOfText(std::string_view text) {
  const std::string repaired = RepairedUrl(text);
  const std::string scheme = SchemeOf(repaired);
  const bool is_drive = scheme.size() == 1 && !repaired.substr(1).starts_with("://");
  if (scheme.empty() || is_drive) return TextKind::kPath;
  if (repaired.size() != text.size()) return TextKind::kUnclear;
  const std::string_view rest = text.substr(scheme.size() + 1);
  if (scheme == "file") return TextKind::kFileUrl;
  if (std::ranges::find(kWeb, scheme) != std::end(kWeb)) {
    return rest.starts_with("//") ? TextKind::kWebUrl : TextKind::kUnclear;
  }
  const bool is_file = scheme.ends_with("+file") || scheme.starts_with("file+");
  if (is_file || InnerScheme(rest) != rest.npos) return TextKind::kUnclear;
  return rest.starts_with("//") ? TextKind::kOtherUrl : TextKind::kPath;
}

std::optional<std::string_view> RefusedText(std::string_view text) {
  constexpr std::string_view kNextLine = "\xC2\x85";  // white space to Python and to Unicode
  if (text.empty()) return "it is empty";
  if (text.find('\0') != std::string_view::npos) return "it contains NUL";
  if (TrimSpace(text).size() != text.size() || text.starts_with(kNextLine) ||
      text.ends_with(kNextLine)) {
    return "it begins or ends with white space, which the client removes";
  }
  if (text[0] == '~' && text != "~" && !text.starts_with("~/")) {
    return "it begins with \"~\" and is not below the home";
  }
  if (text[0] == '$') return "it begins with \"$\", and nothing is expanded here";
  if (text.starts_with("@/")) return "it begins with \"@/\"";
  if (text[0] == '\\') return "it is a Windows path";
  if (text.size() > 1 && IsLetter(text[0]) && text[1] == ':') return "it is a Windows path";
  const TextKind kind = KindOfText(text);
  if (kind == TextKind::kPath) return {};
  return kind == TextKind::kUnclear ? "some programs would take it for a URL, others for a path"
                                    : "it is a URL, not a path";
}

}  // namespace ringfence
