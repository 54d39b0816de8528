#include "base/sha256.h"

#include <cstdint>

#include "base/sha2.h"
#include "base/text.h"

namespace ringfence {

std::string Sha256Hex(std::string_view bytes) {
  const void* const data = bytes.data();
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, static_cast<const uint8_t*>(data), bytes.size());
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256Final(digest, &context);
  std::string hex;
  for (const uint8_t byte : digest) AppendHex(hex, byte, 2);
  return hex;
}

}  // namespace ringfence
