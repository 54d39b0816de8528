// Parses hosts: entries of a policy's host lists, and the host of a URL. Strict: text that two URL
// parsers could read differently is refused, not guessed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/policy.h"

namespace ringfence {

// Names the loopback of the host, outside of the sandbox. Other names below ".ringfence" are
// reserved: no entry is about them, and they are never permitted.
inline constexpr std::string_view kHostLoopback = "host.ringfence";
bool IsReservedName(std::string_view host);

// True for the ports that an entry without one means.
constexpr bool IsWebPort(uint16_t port) { return port == 80 || port == 443; }

// Parses "host", "*.host" or "*", each also with ":port", an address, or "host.ringfence:port".
// ASCII only: an international name is written with its A-labels (RFC 5890). `rule.host` points
// into `lower_entry`, the result of LowerAscii(), which the caller keeps.
Result<HostRule> ParseHostRule(std::string_view lower_entry);

struct Url {
  std::string scheme;  // lower case
  std::string host;    // lower case, without a final dot; "" if the scheme has none
  uint16_t port = 0;   // given, or the scheme's default; 0 if unknown
  std::string path;    // as written, from the first "/" after the authority
};

// Refuses white space, control characters, backslashes, user names and hosts that are not plain.
Result<Url> ParseUrl(std::string_view text);

struct HostPort {
  std::string host;   // as Url::host; an address in its canonical text
  uint16_t port = 0;  // 0 if none was given
};

// Parses the URL of a proxy: "http://host:port" and nothing else.
Result<HostPort> ParseProxyUrl(std::string_view text);

// Parses "host" or "host:port", the part of a URL after its "//" or a text without a scheme.
Result<HostPort> ParseHostPort(std::string_view authority);

// Converts a name or an address, without a port, to the form of Url::host. Reads %XX and the full
// stops of other scripts as a browser does. Error texts continue a sentence that begins with "it".
Result<std::string> PlainHost(std::string_view written);

// True for an IPv6 address without brackets: "::1", "fe80::1%eth0".
bool IsBareAddress(std::string_view text);

// True for "localhost" and names below it, which always mean loopback (RFC 6761, 6.3). `host` is
// canonical.
bool IsLocalhost(std::string_view host);

// True for a number such as "404" that, read as an IPv4 address, is in 0.0.0.1 to 0.255.255.255
// (unusable, RFC 1122).
bool LeadsNowhere(std::string_view host);

// Decodes %XX and nothing else. False if a "%" is not followed by two hexadecimal digits.
bool DecodePercent(std::string_view text, std::string* out);

// Replaces the full stops and digits of East Asian scripts with "." and "0" to "9", as IDNA does
// (UTS 46).
std::string WithPlainMarks(std::string_view text);

// True for an address and for host.ringfence: neither "*" in an allow list nor "unlisted" permits
// them.
bool NeedsOwnEntry(const HostRule& wanted);

// Covers() is true if `rule` matches every host and port that `wanted` matches, Overlaps() if it
// matches any of them. CoversName() leaves the ports out. Addresses match in any spelling; an
// IPv4-mapped one matches as its IPv4 address.
bool CoversName(const HostRule& rule, const HostRule& wanted);
bool Covers(const HostRule& rule, const HostRule& wanted);
bool Overlaps(const HostRule& rule, const HostRule& wanted);

}  // namespace ringfence
