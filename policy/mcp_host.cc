#include "policy/mcp_host.h"

#include <algorithm>

#include "base/utf8.h"
#include "policy/domain.h"
#include "policy/text_kind.h"

namespace ringfence {
namespace {

constexpr std::string_view kHostEnds = "/?#\\ ";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsPlaceholder(std::string_view host) {
  if (host.empty() || std::string_view("$<{").find(host[0]) == std::string_view::npos) return false;
  return std::ranges::all_of(host, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("$<>{}_-:").find(c) != std::string_view::npos;
  });
}

// Parsers of URLs drop line feeds, so "https://good.example\n.evil.example" leads elsewhere to
// them.
bool MayGoOnWithHost(std::string_view rest) {
  const size_t end = std::min(rest.find_first_of(kHostEnds), rest.size());
  if (end < rest.size() && rest[end] == ' ') return false;  // no host holds a space
  return std::ranges::any_of(rest.substr(0, end), [](char c) {
    return c == '.' || c == '%' || c == '@' || static_cast<unsigned char>(c) >= 0x80;
  });
}

// The first line of `text` if it is a URL by itself, else "".
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

}  // namespace

std::string UrlToJudge(const Value& value, std::string_view text, bool is_text) {
  const std::string_view line = is_text ? UrlInFirstLine(text) : "";
  std::string url = line.empty() ? value.text : std::string(line);
  const size_t host = url.find("://") + 3;
  const size_t end = std::min(url.find_first_of(kHostEnds, host), url.size());
  if (is_text && IsPlaceholder(std::string_view(url).substr(host, end - host))) return "";
  if (end < url.size() && url[end] != ' ') return url;
  // "https://x.example, and so on": no top-level domain ends with a mark.
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

bool IsScpAddress(std::string_view text) {
  const size_t at = text.find_first_of("@:/ ");
  if (at == text.npos || at == 0 || text[at] != '@') return false;
  const size_t colon = text.find_first_of("@:/ ", at + 1);
  return colon != text.npos && text[colon] == ':';
}

}  // namespace ringfence
