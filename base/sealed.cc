#include "base/sealed.h"

#include "base/sha256.h"

namespace ringfence {
namespace {

constexpr size_t kDigestDigits = 64;  // hexadecimal

}  // namespace

std::string Seal(std::string_view header, std::string_view content) {
  std::string text(header);
  text += Sha256Hex(content);
  return text.append(content);
}

std::optional<std::string_view> Unseal(std::string_view header, std::string_view text) {
  if (!text.starts_with(header) || text.size() < header.size() + kDigestDigits) return {};
  const std::string_view digest = text.substr(header.size(), kDigestDigits);
  const std::string_view content = text.substr(header.size() + kDigestDigits);
  return Sha256Hex(content) == digest ? std::optional(content) : std::nullopt;
}

}  // namespace ringfence
