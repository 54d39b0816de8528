// Hosts by name: entries of a policy's host lists, and the host of a URL. Read narrowly: what two
// URL parsers could read in two ways is refused, not guessed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/policy.h"

namespace ringfence {

// "host", "*.host", "host:port", "[v6]:port", "*". ASCII only: an international name is written
// with its A-labels (RFC 5890). `rule.host` points into `entry`, which is lower case on return of
// LowerAscii(entry); the caller keeps it.
Result<HostRule> ParseHostRule(std::string_view lower_entry);

struct Url {
  std::string scheme;  // lower case
  std::string host;    // lower case, without a final dot; "" where the scheme has none
  uint16_t port = 0;   // given or the scheme's; 0 where unknown
  std::string path;    // as written, from the first "/" after the authority
};

// Refuses white space, control characters, backslashes, user names and hosts that are not plain.
Result<Url> ParseUrl(std::string_view text);

struct HostPort {
  std::string host;   // as Url::host; an address in its one text
  uint16_t port = 0;  // 0: none was given
};

// "host", "host:port", as a URL has it after its "//" or without any.
Result<HostPort> ParseHostPort(std::string_view authority);

// A name or an address, without a port, as Url::host has it: %XX and the full stops of other
// scripts are read as a browser reads them. What an error says goes on after "it".
Result<std::string> PlainHost(std::string_view written);

// An IPv6 address without brackets: "::1", "fe80::1%eth0".
bool IsBareAddress(std::string_view text);

// "404": a number that, read as an IPv4 address, is in 0.0.0.1 to 0.255.255.255 (unusable, RFC
// 1122).
bool LeadsNowhere(std::string_view host);

// Removes %XX; nothing else. False when a "%" is not followed by two digits.
bool DecodePercent(std::string_view text, std::string* out);

// With the full stops and the digits of East Asian scripts as IDNA reads them (UTS 46): as "." and
// "0" to "9".
std::string WithPlainMarks(std::string_view text);

// An address matches whatever its spelling, an IPv4-mapped one as its IPv4 address.
bool MatchHost(const HostRule& rule, std::string_view host, uint16_t port);

// Whether `rule` matches every host and port that `wanted` matches, and whether it matches any.
bool Covers(const HostRule& rule, const HostRule& wanted);
bool Overlaps(const HostRule& rule, const HostRule& wanted);

}  // namespace ringfence
