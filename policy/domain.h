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

// Removes %XX; nothing else. False when a "%" is not followed by two digits.
bool DecodePercent(std::string_view text, std::string* out);

bool MatchHost(const HostRule& rule, std::string_view host, uint16_t port);

}  // namespace ringfence
