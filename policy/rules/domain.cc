#include "policy/rules/domain.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/read_number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/rules/address.h"

namespace ringfence {
namespace {

Error WrongHost(std::string_view what) {
  return Error{Error::Kind::kInvalidInput, "", std::string(what), ""};
}

bool IsLabel(std::string_view label) {
  if (label.empty() || label.size() > 63) return false;
  return std::ranges::all_of(label, [](char c) { return IsAlnum(c) || c == '-' || c == '_'; });
}

// True for labels or an address. Some parsers read a last label that looks like a number as an
// address (0x7f.1, 2130706433), so only the plain dotted form is a host.
bool IsHost(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  const std::string_view last = host.substr(host.rfind('.') + 1);
  const bool is_number = !last.empty() && IsDigit(last[0]);
  if (host.front() == '[' || is_number) return ParseAddress(host).has_value();
  while (true) {
    const size_t dot = std::min(host.find('.'), host.size());
    if (!IsLabel(host.substr(0, dot))) return false;
    if (dot == host.size()) return true;
    host.remove_prefix(dot + 1);
  }
}

bool ParsePort(std::string_view text, uint16_t* port) {
  return text.size() <= 5 && ReadNumber(text, *port) && *port > 0;
}

// Splits "host:port"; the port is optional.
bool SplitPort(std::string_view text, std::string_view* host, uint16_t* port) {
  const size_t colon = text.rfind(':');
  const size_t bracket = text.rfind(']');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  *host = has_port ? text.substr(0, colon) : text;
  return !has_port || ParsePort(text.substr(colon + 1), port);
}

uint16_t DefaultPort(std::string_view scheme) {
  if (scheme == "http" || scheme == "ws") return 80;
  if (scheme == "https" || scheme == "wss") return 443;
  return 0;
}

// True for "10.0.0.0/8" or "fd00::/8", whatever the bits after the prefix.
bool IsAddressRange(std::string_view entry) {
  const size_t slash = std::min(entry.find('/'), entry.size());
  const std::string_view host = entry.substr(0, slash);
  const std::string_view prefix = entry.substr(std::min(slash + 1, entry.size()));
  return !prefix.empty() && std::ranges::all_of(prefix, IsDigit) &&
         (ParseAddress(host) || IsBareAddress(host));
}

// Returns the error for a rule that is a URL or has a path, with the host to write instead.
std::optional<Error> UrlInPlaceOfHost(std::string_view entry) {
  const size_t scheme = entry.find("://");
  const bool has_scheme = scheme != std::string_view::npos;
  std::string_view host = has_scheme ? entry.substr(scheme + 3) : entry;
  const size_t end = std::min(host.find_first_of("/?#"), host.size());
  if (!has_scheme && end == host.size()) return {};
  if (IsAddressRange(entry)) {
    return ConfigError("", "is a range of addresses, not a host",
                       "name each address, or list the names that lead there, with this range in "
                       "network.private");
  }
  host = host.substr(0, end);
  host.remove_prefix(std::min(host.rfind('@') + 1, host.size()));
  std::string hint = has_scheme ? "write the host without " + Printable(entry.substr(0, scheme + 3))
                                : "a rule covers a whole host; write it without a path";
  if (ParseHostRule(host)) hint += ": " + Quote(host);
  return ConfigError("", has_scheme ? "is a URL, not a host" : "has a path after the host",
                     std::move(hint));
}

// Returns the error for a name below ".ringfence" that no entry can have.
std::optional<Error> ReservedRule(const HostRule& rule) {
  constexpr std::string_view kTop = kHostLoopback.substr(kHostLoopback.find('.') + 1);
  const bool is_above = rule.subdomains && (rule.host == kTop || rule.host == kHostLoopback);
  if (is_above || IsReservedName(rule.host)) {
    return ConfigError("", "is a reserved name",
                       "below .ringfence only host.ringfence:PORT is a host: a port of this "
                       "machine, outside of the sandbox");
  }
  if (rule.host != kHostLoopback || rule.port != 0) return {};
  return ConfigError("", "needs a port", "name one port of this machine: host.ringfence:PORT");
}

bool MatchesName(const HostRule& rule, std::string_view host) {
  if (!rule.subdomains) {
    if (host == rule.host) return true;
    const std::optional<Address> wanted = ParseAddress(rule.host);
    return wanted && wanted == ParseAddress(host);
  }
  return host.size() > rule.host.size() + 1 && host.ends_with(rule.host) &&
         host[host.size() - rule.host.size() - 1] == '.';
}

bool CoversPorts(const HostRule& rule, const HostRule& wanted) {
  const auto has_every_port = [](const HostRule& one) { return one.wide && one.port == 0; };
  if (has_every_port(rule) || has_every_port(wanted)) return has_every_port(rule);
  return rule.port == wanted.port || (rule.port == 0 && IsWebPort(wanted.port));
}

}  // namespace

bool IsReservedName(std::string_view host) {
  constexpr std::string_view kBelow = kHostLoopback.substr(kHostLoopback.find('.'));
  return host.ends_with(kBelow) && host != kHostLoopback;
}

Result<HostRule> ParseHostRule(std::string_view entry) {
  if (std::optional<Error> url = UrlInPlaceOfHost(entry)) return *std::move(url);
  HostRule rule;
  rule.written = entry;
  std::string_view host;
  if (!SplitPort(entry, &host, &rule.port)) return WrongHost("has a port that is not 1 to 65535");
  if (host == "*") {
    rule.any = true;
    return rule;
  }
  if (host.starts_with("*.")) {
    rule.subdomains = true;
    host.remove_prefix(2);
  }
  if (!IsHost(host) || (rule.subdomains && ParseAddress(host))) {
    return ConfigError(
        "", "is not a host name",
        "write a name (host.example), *.host.example, host:port or an IP address; an "
        "international name in its ASCII form (xn--...)");
  }
  rule.host = host;
  if (std::optional<Error> reserved = ReservedRule(rule)) return *std::move(reserved);
  return rule;
}

Result<Url> ParseUrl(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return WrongHost("is not a URL");
  Url url;
  url.scheme = LowerAscii(text.substr(0, colon));
  if (!std::ranges::all_of(url.scheme,
                           [](char c) { return IsAlnum(c) || c == '+' || c == '-' || c == '.'; })) {
    return WrongHost("is not a URL");
  }
  std::string_view rest = text.substr(colon + 1);
  if (!rest.starts_with("//")) {
    // A browser reads "https:/host" and "https:\\host" as a URL with that host.
    if (DefaultPort(url.scheme) != 0) return WrongHost("has no \"//\" before its host");
    url.path = std::string(rest);
    return url;
  }
  rest.remove_prefix(2);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  url.path = std::string(rest.substr(authority.size()));
  if (url.scheme == "file") {
    url.host = LowerAscii(authority);
    return url;
  }
  const Result<HostPort> read = ParseHostPort(authority);
  if (!read) return read.error();
  url.host = read->host;
  url.port = read->port == 0 ? DefaultPort(url.scheme) : read->port;
  return url;
}

Result<HostPort> ParseProxyUrl(std::string_view text) {
  constexpr std::string_view kScheme = "http://";
  const std::string lower = LowerAscii(text);
  if (lower.starts_with(kScheme)) {
    const Result<HostRule> rule = ParseHostRule(std::string_view(lower).substr(kScheme.size()));
    const bool is_host = rule && !rule->any && !rule->subdomains && rule->host != kHostLoopback;
    if (is_host && rule->port != 0) return HostPort{std::string(rule->host), rule->port};
  }
  return ConfigError("", "is not the URL of a proxy",
                     "write http://host:port, without a user name or a path");
}

Result<HostPort> ParseHostPort(std::string_view authority) {
  if (authority.find('@') != std::string_view::npos) return WrongHost("contains a user name");
  if (authority.find('\\') != std::string_view::npos) return WrongHost("contains a backslash");
  HostPort read;
  std::string_view written;
  if (!SplitPort(authority, &written, &read.port)) {
    return WrongHost("has a port that is not 1 to 65535");
  }
  if (Status s = PlainHost(written).MoveTo(read.host); !s) return s.error();
  return read;
}

Result<std::string> PlainHost(std::string_view written) {
  std::string decoded;
  if (!DecodePercent(written, &decoded)) return WrongHost("has a host that is not a plain name");
  const std::string plain = WithPlainMarks(decoded);
  if (!std::ranges::all_of(plain, [](char c) { return c > 0x20 && c < 0x7F; })) {
    return WrongHost("has a host that is not printable ASCII (international names: xn--...)");
  }
  std::string_view host = plain;
  if (host.ends_with('.')) host.remove_suffix(1);
  if (!IsHost(host)) return WrongHost("has a host that is not a plain name");
  const std::optional<Address> address = ParseAddress(host);
  return address ? AddressText(*address) : LowerAscii(host);
}

bool IsBareAddress(std::string_view text) {
  text = text.substr(0, text.find('%'));
  return std::ranges::count(text, ':') >= 2 && ParseAddress("[" + std::string(text) + "]");
}

bool IsLocalhost(std::string_view host) {
  constexpr std::string_view kName = "localhost";
  if (!host.ends_with(kName)) return false;
  host.remove_suffix(kName.size());
  return host.empty() || host.ends_with('.');
}

bool LeadsNowhere(std::string_view host) {
  constexpr size_t kMaxDigits = 8;
  constexpr uint32_t kFirst = uint32_t{1} << 24;  // 1.0.0.0; "010" is octal, and 0 is this host
  if (host.empty() || host.size() > kMaxDigits || host[0] == '0') return false;
  uint32_t value = 0;
  return ReadNumber(host, value) && value < kFirst;
}

bool DecodePercent(std::string_view text, std::string* out) {
  out->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out->push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size() || HexValue(text[i + 1]) < 0 || HexValue(text[i + 2]) < 0)
      return false;
    out->push_back(static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2])));
    i += 2;
  }
  return true;
}

std::string WithPlainMarks(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    const size_t length = point.length == 0 ? 1 : point.length;
    // Ideographic, full-width and half-width full stop.
    const bool is_stop = point.value == 0x3002 || point.value == 0xFF0E || point.value == 0xFF61;
    const bool is_digit = point.value >= 0xFF10 && point.value <= 0xFF19;  // full-width
    if (is_digit) {
      plain.push_back(static_cast<char>('0' + (point.value - 0xFF10)));
    } else {
      plain.append(is_stop ? "." : text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return plain;
}

bool NeedsOwnEntry(const HostRule& wanted) {
  return !wanted.any && !wanted.subdomains &&
         (wanted.host == kHostLoopback || ParseAddress(wanted.host));
}

bool CoversName(const HostRule& rule, const HostRule& wanted) {
  if (rule.any || wanted.any) return rule.any && (rule.wide || !NeedsOwnEntry(wanted));
  if (!wanted.subdomains) return MatchesName(rule, wanted.host);
  return rule.subdomains && (rule.host == wanted.host || MatchesName(rule, wanted.host));
}

bool Covers(const HostRule& rule, const HostRule& wanted) {
  return CoversPorts(rule, wanted) && CoversName(rule, wanted);
}

bool Overlaps(const HostRule& rule, const HostRule& wanted) {
  if (!CoversPorts(rule, wanted) && !CoversPorts(wanted, rule)) return false;
  if (rule.any || wanted.any) return true;
  if (!wanted.subdomains) return MatchesName(rule, wanted.host);
  if (!rule.subdomains) return MatchesName(wanted, rule.host);
  return rule.host == wanted.host || MatchesName(rule, wanted.host) ||
         MatchesName(wanted, rule.host);
}

}  // namespace ringfence
