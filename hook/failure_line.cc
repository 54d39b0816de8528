#include "hook/failure_line.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/path.h"

namespace ringfence {
namespace {

constexpr size_t kMaxHost = 253;
constexpr size_t kMaxPort = 5;
constexpr size_t kMaxAddress6 = 51;  // eight groups or an embedded IPv4 address, and Node's port

// GNU programs use these quotes if the locale has them.
constexpr std::string_view kOpenQuote = "\xE2\x80\x98";
constexpr std::string_view kCloseQuote = "\xE2\x80\x99";

// Returns the offset where the path at `start` ends; `before` is the text before the path.
size_t EndOfPath(std::string_view before, std::string_view line, size_t start) {
  if (before.ends_with(kOpenQuote)) return line.find(kCloseQuote, start);
  if (before.ends_with('\'') || before.ends_with('"') || before.ends_with('`')) {
    // also GNU's `x'
    return line.find_first_of(before.ends_with('"') ? "\"" : "'`", start);
  }
  return line.find_first_of(" '\"`:,;)\t", start);
}

bool BeginsWord(std::string_view before) {
  return before.empty() || before.ends_with(kOpenQuote) ||
         std::string_view(" '\"`:=(\t").find(before.back()) != std::string_view::npos;
}

// Takes the next word that looks like an absolute path or a path below ~; quotes and colons end it.
std::string_view TakePath(std::string_view& line) {
  for (;;) {
    const size_t start = line.find_first_of("/~");
    if (start == std::string_view::npos) return {};
    const std::string_view before = line.substr(0, start);
    const bool is_of_url = before.ends_with(':') && line.substr(start).starts_with("//");
    const size_t end = std::min(EndOfPath(before, line, start), line.size());
    const std::string_view word = line.substr(start, end - start);
    const bool begins_word = BeginsWord(before);
    line.remove_prefix(end);
    const bool is_path = word.starts_with('/') || word.starts_with("~/");
    if (begins_word && is_path && !is_of_url && word.size() > 1 && word.size() <= kMaxPathBytes) {
      return word;
    }
    if (line.empty()) return {};
  }
}

// Takes the next quoted text.
std::string_view TakeQuoted(std::string_view& line) {
  for (;;) {
    const size_t curly = line.find(kOpenQuote);
    const size_t plain = line.find_first_of("'\"`");
    const size_t open = std::min(curly, plain);
    if (open == std::string_view::npos) return {};
    const bool is_curly = open == curly;
    const size_t start = open + (is_curly ? kOpenQuote.size() : 1);
    const char quote = line[open];
    const size_t end = is_curly ? line.find(kCloseQuote, start)
                                : line.find_first_of(quote == '"' ? "\"" : "'`", start);
    if (end == std::string_view::npos) return {};
    const std::string_view text = line.substr(start, end - start);
    line.remove_prefix(end + (is_curly ? kCloseQuote.size() : 1));
    if (!text.empty() && text.size() <= kMaxPathBytes) return text;
  }
}

// Returns the last part of a text such as "tar: sub/x: " that may be a name.
std::string_view NameBefore(std::string_view text) {
  while (!text.empty()) {
    while (text.ends_with(' ') || text.ends_with(':')) text.remove_suffix(1);
    const size_t colon = text.rfind(": ");
    if (colon == std::string_view::npos) return {};  // the program's own name
    const std::string_view part = text.substr(colon + 2);
    const std::string_view word = part.substr(part.rfind(' ') + 1);
    if (word.size() == part.size() || word.find('/') != std::string_view::npos) return word;
    text = text.substr(0, colon);
  }
  return {};
}

bool MayBeRelative(std::string_view text) {
  return !text.empty() && text.size() <= kMaxPathBytes && !text.starts_with('/') &&
         text.find("://") == std::string_view::npos;
}

bool IsHostCharacter(char c) { return IsAlnum(c) || c == '.' || c == '-' || c == '_'; }

std::string_view DigitsOf(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// Removes an IPv6 address ("[::1]", "::1", "fe80::1%eth0") from `text` and returns it as a policy
// writes it: "[::1]". Returns "" if there is none.
std::string TakeAddress6(std::string_view& text) {
  const bool has_brackets = text.starts_with('[');
  std::string_view rest = text.substr(has_brackets ? 1 : 0);
  const size_t end = std::min(rest.find_first_not_of("0123456789abcdefABCDEF:."), rest.size());
  const std::string_view address = rest.substr(0, end);
  if (address.size() > kMaxAddress6 || std::ranges::count(address, ':') < 2) return "";
  rest.remove_prefix(end);
  if (rest.starts_with('%')) rest.remove_prefix(std::min(rest.find_first_of("] :/"), rest.size()));
  if (has_brackets && !rest.starts_with(']')) return "";
  text = rest.substr(has_brackets ? 1 : 0);
  return "[" + std::string(address) + "]";
}

// Separates the port in Node's "connect ENETUNREACH ::1:443 - Local (:::0)".
std::string SplitGluedPort(const std::string& address, std::string_view rest) {
  if (!rest.starts_with(" - Local")) return address;
  const size_t colon = address.rfind(':');
  const std::string_view port = DigitsOf(std::string_view(address).substr(colon + 1));
  const bool is_port = !port.empty() && port.size() + colon + 2 == address.size();
  return is_port ? address.substr(0, colon) + "]:" + std::string(port) : address;
}

}  // namespace

std::vector<std::string> AbsolutePathsIn(std::string_view line) {
  std::vector<std::string> paths;
  for (std::string_view path = TakePath(line); !path.empty(); path = TakePath(line)) {
    paths.emplace_back(path);
  }
  return paths;
}

std::vector<std::string> RelativePathsIn(std::string_view line, size_t end) {
  std::vector<std::string> paths;
  std::string_view left = line;
  for (std::string_view text = TakeQuoted(left); !text.empty(); text = TakeQuoted(left)) {
    if (MayBeRelative(text)) paths.emplace_back(text);
  }
  if (!paths.empty()) return paths;
  const std::string_view name = NameBefore(line.substr(0, std::min(end, line.size())));
  if (MayBeRelative(name)) paths.emplace_back(name);
  return paths;
}

std::string HostAtFront(std::string_view text) {
  if (text.starts_with(kOpenQuote)) text.remove_prefix(kOpenQuote.size());
  text.remove_prefix(std::min(text.find_first_not_of("'\"` "), text.size()));
  std::string host = TakeAddress6(text);
  if (host.empty()) {
    const auto end = std::ranges::find_if_not(text, IsHostCharacter);
    host.assign(text.begin(), end);
    text.remove_prefix(host.size());
    while (host.ends_with('.')) host.pop_back();
  } else if (std::string whole = SplitGluedPort(host, text); whole != host) {
    return whole;
  }
  if (host.empty() || host.size() > kMaxHost) return "";
  // Notations: "1.2.3.4:443", "x port 443", "x', port=443".
  for (const std::string_view before : {":", " port ", "', port="}) {
    if (!text.starts_with(before)) continue;
    const std::string_view port = DigitsOf(text.substr(before.size()));
    if (!port.empty() && port.size() <= kMaxPort) return host + ":" + std::string(port);
  }
  return host;
}

std::string HostOfUrlIn(std::string_view line) {
  constexpr std::string_view kMark = "://";
  const size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) return "";
  const std::string_view rest = line.substr(mark + kMark.size());
  std::string_view authority =
      rest.substr(0, std::min(rest.find_first_of("/?# '\"`)>,\\"), rest.size()));
  authority.remove_prefix(authority.rfind('@') + 1);  // drops user name and password
  return HostAtFront(authority);
}

}  // namespace ringfence
