// SOCKS5 without authentication (RFC 1928) or with the user name and password of RFC 1929: CONNECT
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/wire/parsed.h"

namespace ringfence {

// The client's first message. `size` is its length.
struct SocksGreeting {
  bool offers_none = false;      // method 0
  bool offers_password = false;  // method 2
  size_t size = 0;
};
Progress ParseSocksGreeting(std::string_view bytes, SocksGreeting& greeting, WireError& error);

struct SocksLogin {
  std::string user, password;  // any bytes; either may be empty, though the RFC says otherwise
  size_t size = 0;
};
Progress ParseSocksLogin(std::string_view bytes, SocksLogin& login, WireError& error);

// A domain may be an address in text, if it is a dotted quad or IPv6 in brackets.
struct SocksRequest {
  std::string host;  // canonical (policy/rules/domain.h); an IPv6 address in brackets
  uint16_t port = 0;
  size_t size = 0;
};
// Values of the reply field (RFC 1928, 6).
enum class SocksReply : uint8_t {
  kSucceeded = 0,
  kFailure = 1,
  kNotAllowed = 2,
  kHostUnreachable = 4,
  kRefused = 5,
  kCommandNotSupported = 7,
  kAddressNotSupported = 8,
};
// On kBad, `reply` is the reply that fits.
Progress ParseSocksRequest(std::string_view bytes, SocksRequest& request, WireError& error,
                           SocksReply& reply);

std::string SocksMethodReply(uint8_t method);  // 0, 2; 0xFF: none is acceptable
std::string SocksLoginReply(bool accepted);
std::string WriteSocksReply(SocksReply reply);  // with the address 0.0.0.0:0

}  // namespace ringfence
