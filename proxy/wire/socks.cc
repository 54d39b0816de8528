#include "proxy/wire/socks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "policy/rules/address.h"
#include "proxy/wire/byte_reader.h"
#include "proxy/wire/wire_host.h"

namespace ringfence {
namespace {

constexpr uint8_t kSocks4 = 4, kSocks5 = 5;
constexpr uint8_t kLoginVersion = 1;
constexpr char kMethodNone = 0, kMethodPassword = 2;
constexpr uint8_t kConnect = 1;
enum SocksAddressType : uint8_t { kSocksIpv4 = 1, kSocksDomain = 3, kSocksIpv6 = 4 };
constexpr size_t kIpv4Size = 4;

Progress SocksBad(WireError& error, std::string_view reason) {
  error = WireError{.reason = std::string(reason)};
  return Progress::kBad;
}

// Takes the version, with which a greeting and a request begin.
Progress TakeSocksVersion(ByteReader& reader, WireError& error) {
  uint8_t version = 0;
  if (!reader.Number(version)) return Progress::kNeedsMore;
  if (version == kSocks4) return SocksBad(error, "is SOCKS 4, not SOCKS 5");
  if (version != kSocks5) return SocksBad(error, "is not SOCKS 5");
  return Progress::kDone;
}

// Takes the address of a request as canonical text. kBad if it is a domain that is not plain.
Progress TakeSocksHost(ByteReader& reader, uint8_t type, std::string& host) {
  std::string_view bytes;
  if (type == kSocksDomain) {
    // An empty domain is known to be bad before anything follows.
    if (reader.rest().starts_with('\0')) return Progress::kBad;
    if (!reader.Block<uint8_t>(bytes)) return Progress::kNeedsMore;
    std::optional<std::string> plain = PlainWireHost(bytes);
    if (!plain) return Progress::kBad;
    host = *std::move(plain);
    return Progress::kDone;
  }
  Address address{};
  if (!reader.Bytes(type == kSocksIpv4 ? kIpv4Size : address.size(), bytes)) {
    return Progress::kNeedsMore;
  }
  if (type == kSocksIpv4) address[10] = address[11] = 0xFF;
  std::ranges::copy_backward(bytes, address.end());
  host = AddressText(address);
  return Progress::kDone;
}

}  // namespace

Progress ParseSocksGreeting(std::string_view bytes, SocksGreeting& greeting, WireError& error) {
  ByteReader reader(bytes);
  if (const Progress version = TakeSocksVersion(reader, error); version != Progress::kDone) {
    return version;
  }
  if (reader.rest().starts_with('\0')) return SocksBad(error, "offers no SOCKS method");
  std::string_view methods;
  if (!reader.Block<uint8_t>(methods)) return Progress::kNeedsMore;
  greeting =
      SocksGreeting{.offers_none = methods.find(kMethodNone) != std::string_view::npos,
                    .offers_password = methods.find(kMethodPassword) != std::string_view::npos,
                    .size = bytes.size() - reader.rest().size()};
  return Progress::kDone;
}

Progress ParseSocksLogin(std::string_view bytes, SocksLogin& login, WireError& error) {
  ByteReader reader(bytes);
  uint8_t version = 0;
  std::string_view user, password;
  if (!reader.Number(version)) return Progress::kNeedsMore;
  if (version != kLoginVersion) return SocksBad(error, "has a SOCKS login of an unknown version");
  if (!reader.Block<uint8_t>(user) || !reader.Block<uint8_t>(password)) return Progress::kNeedsMore;
  login = SocksLogin{.user = std::string(user),
                     .password = std::string(password),
                     .size = bytes.size() - reader.rest().size()};
  return Progress::kDone;
}

Progress ParseSocksRequest(std::string_view bytes, SocksRequest& request, WireError& error,
                           SocksReply& reply) {
  ByteReader reader(bytes);
  reply = SocksReply::kFailure;
  if (const Progress version = TakeSocksVersion(reader, error); version != Progress::kDone) {
    return version;
  }
  uint8_t command = 0, reserved = 0, type = 0;
  if (!reader.Number(command)) return Progress::kNeedsMore;
  if (command != kConnect) {
    reply = SocksReply::kCommandNotSupported;
    return SocksBad(error, "has a SOCKS command other than CONNECT");
  }
  if (!reader.Number(reserved)) return Progress::kNeedsMore;
  if (reserved != 0) return SocksBad(error, "has a reserved SOCKS field that is not 0");
  if (!reader.Number(type)) return Progress::kNeedsMore;
  if (type != kSocksIpv4 && type != kSocksDomain && type != kSocksIpv6) {
    reply = SocksReply::kAddressNotSupported;
    return SocksBad(error, "has an unknown type of SOCKS address");
  }
  SocksRequest read;
  const Progress host = TakeSocksHost(reader, type, read.host);
  if (host == Progress::kBad) return SocksBad(error, "has a SOCKS domain that is not a host name");
  if (host == Progress::kNeedsMore || !reader.Number(read.port)) return Progress::kNeedsMore;
  if (read.port == 0) return SocksBad(error, "has port 0");
  read.size = bytes.size() - reader.rest().size();
  request = std::move(read);
  return Progress::kDone;
}

std::string SocksMethodReply(uint8_t method) {
  return {static_cast<char>(kSocks5), static_cast<char>(method)};
}

std::string SocksLoginReply(bool accepted) {
  return {static_cast<char>(kLoginVersion), static_cast<char>(accepted ? 0 : 1)};
}

std::string WriteSocksReply(SocksReply reply) {
  constexpr std::string_view kNoAddress("\0\x01\0\0\0\0\0\0", 8);  // reserved, IPv4 0.0.0.0, port 0
  return std::string{static_cast<char>(kSocks5), static_cast<char>(reply)}.append(kNoAddress);
}

}  // namespace ringfence
