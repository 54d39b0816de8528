#include "policy/mcp/mcp_host.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/evaluate/host_or_file.h"
#include "policy/evaluate/text_kind.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

constexpr std::string_view kHostEnds = "/?#\\ ";

bool IsPlaceholder(std::string_view host) {
  if (host.empty() || std::string_view("$<{").find(host[0]) == std::string_view::npos) return false;
  return std::ranges::all_of(host, [](char c) {
    return IsAlnum(c) || std::string_view("$<>{}_-:").find(c) != std::string_view::npos;
  });
}

// URL parsers drop line feeds, so to them "https://good.example
// .evil.example" leads elsewhere.
bool MayGoOnWithHost(std::string_view rest) {
  const size_t end = std::min(rest.find_first_of(kHostEnds), rest.size());
  if (end < rest.size() && rest[end] == ' ') return false;  // no host contains a space
  return std::ranges::any_of(rest.substr(0, end), [](char c) {
    return c == '.' || c == '%' || c == '@' || static_cast<unsigned char>(c) >= 0x80;
  });
}

// Returns the first line of `text` if that line is a URL, otherwise "".
std::string_view UrlInFirstLine(std::string_view text) {
  text = TrimUnseen(text);
  const size_t end = text.find_first_of("\t\r\n");
  if (end == text.npos) return "";
  const std::string_view line = text.substr(0, end);
  if (KindOfText(line) != TextKind::kWebUrl) return "";
  const size_t host = line.find("://") + 3;
  const bool is_open = host < line.size() && line.find_first_of(kHostEnds, host) == line.npos;
  if (!is_open || MayGoOnWithHost(TrimUnseen(text.substr(end)))) return "";
  return line;
}

bool IsDecimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const auto is_part = [](char c) { return IsDigit(c) || c == '.'; };
  return !text.empty() && std::ranges::all_of(text, is_part) && std::ranges::count(text, '.') < 2;
}

bool IsLetterOrForeign(char c) { return IsLetter(c) || !IsAscii(c); }

bool IsSpelledLabel(std::string_view label) {
  const auto is_part = [](char c) {
    return IsDigit(c) || IsLetterOrForeign(c) || c == '-' || c == '_';
  };
  return !label.empty() && std::ranges::all_of(label, is_part);
}

// True for "example", "xn--p1ai" and "RU", but not for "onReady" as in "app.onReady".
bool MayBeTopLevel(std::string_view label) {
  if (LowerAscii(label).starts_with("xn--")) return true;
  const auto uppers = std::ranges::count_if(label, IsUpper);
  const bool is_mixed = uppers != 0 && static_cast<size_t>(uppers) != label.size();
  return label.size() >= 2 && !is_mixed && std::ranges::all_of(label, IsLetterOrForeign);
}

// `is_plain`: nothing surrounds the name, so it may be a file ("server.py") or a version ("1.2.3").
bool MayBeHostName(std::string_view name, bool is_plain) {
  if (LowerAscii(name) == "localhost") return true;
  if (name.ends_with('.')) name.remove_suffix(1);
  size_t labels = 1;
  for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.')) {
    if (!IsSpelledLabel(name.substr(0, dot))) return false;
    name.remove_prefix(dot + 1);
    ++labels;
  }
  if (!IsSpelledLabel(name) || labels == 1) return false;
  if (IsDigit(name[0])) return labels == 4 || !is_plain;  // an IPv4 address
  return MayBeTopLevel(name) && !(is_plain && IsFileEnding(LowerAscii(name)));
}

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 && std::ranges::all_of(text, IsDigit);
}

// True for one host, with an optional user before it and an optional port and path after it.
bool IsPeer(std::string_view text) {
  if (text.starts_with("//")) text.remove_prefix(2);
  const size_t end = std::min(text.find_first_of("/?#\\"), text.size());
  bool is_plain = end == text.size();
  const size_t at = text.substr(0, end).rfind('@') + 1;  // 0 if there is none
  is_plain = is_plain && at == 0;
  const std::string_view authority = text.substr(at, end - at);
  if (authority.starts_with('[') || IsBareAddress(authority)) return true;
  std::string plain;
  if (!DecodePercent(authority, &plain)) return false;
  plain = WithPlainMarks(plain);
  const size_t colon = plain.find(':');
  const std::string_view name = std::string_view(plain).substr(0, colon);
  if (colon == plain.npos) return MayBeHostName(name, is_plain);
  const std::string_view port = std::string_view(plain).substr(colon + 1);
  if (at == 0 && !IsPort(port)) return false;
  if (MayBeHostName(name, false)) return true;
  return IsPort(port) && IsSpelledLabel(name) && IsLetterOrForeign(name[0]);
}

}  // namespace

std::string UrlToEvaluator(const Value& value, std::string_view text, bool is_text) {
  const std::string_view line = is_text ? UrlInFirstLine(text) : "";
  std::string url = line.empty() ? value.text : std::string(line);
  const size_t host = url.find("://") + 3;
  const size_t end = std::min(url.find_first_of(kHostEnds, host), url.size());
  if (is_text && IsPlaceholder(std::string_view(url).substr(host, end - host))) return "";
  if (end < url.size() && url[end] != ' ') return url;
  // In "https://x.example, and so on" the comma is not part of the host: no top-level domain ends
  // with punctuation.
  url.resize(end);
  while (url.size() > host && std::string_view(",.;:!)").find(url.back()) != std::string_view::npos)
    url.pop_back();
  return url;
}

bool IsNumbers(std::string_view text) {
  if (text.find(',') == text.npos) return LeadsNowhere(text);
  while (true) {
    const size_t comma = text.find(',');
    if (!IsDecimal(TrimSpace(text.substr(0, comma)))) return false;
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool LooksLikePeer(std::string_view text) {
  while (!text.empty()) {
    if (IsPeer(TrimSpace(TakeUntil(text, ',')))) return true;
  }
  return false;
}

bool IsScpAddress(std::string_view text) {
  const size_t at = text.find_first_of("@:/ ");
  if (at == text.npos || at == 0 || text[at] != '@') return false;
  const size_t colon = text.find_first_of("@:/ ", at + 1);
  return colon != text.npos && text[colon] == ':';
}

bool NamesBareHost(const InputField& field, std::string_view text, UsualName usual) {
  if (usual == UsualName::kUrl) {
    if (IsNumbers(text)) return false;
    const std::string_view name = text.substr(0, text.find_first_of("?#"));
    return !NamesLink(field.key) || KindOfName(name) != NameKind::kHostOrFile;
  }
  if (field.is_key) return false;
  const bool is_mailbox = text.find('@') != text.npos && NamesMailbox(field.key);
  if (McpNameOf(field.key) == UsualName::kPeer && LooksLikePeer(text) && !is_mailbox) return true;
  return IsScpAddress(text) && NamesRepository(field.key);
}

}  // namespace ringfence
