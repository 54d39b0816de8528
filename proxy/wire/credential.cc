#include "proxy/wire/credential.h"

#include <cstddef>
#include <cstdint>

#include "proxy/wire/http_head.h"

namespace ringfence {
namespace {

constexpr std::string_view kBasic = "Basic ";

// RFC 4648, 4.
std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0u);
    }
    for (size_t k = 0; k < 4; ++k) {
      text.push_back(k <= group.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=');
    }
  }
  return text;
}

}  // namespace

std::string BasicCredential(std::string_view user, std::string_view password) {
  return std::string(kBasic) + Base64(std::string(user) + ":" + std::string(password));
}

bool IsCredential(std::string_view sent, std::string_view right) {
  if (sent.size() != right.size() || !IsHeader(sent.substr(0, kBasic.size()), kBasic)) return false;
  unsigned difference = 0;
  for (size_t i = kBasic.size(); i < sent.size(); ++i) {
    difference |= static_cast<unsigned char>(sent[i] ^ right[i]);
  }
  return difference == 0;
}

}  // namespace ringfence
