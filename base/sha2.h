// SHA-256 by the functions of libmd. macOS has the same ones under other names.
#pragma once

#ifdef __APPLE__
#include <CommonCrypto/CommonDigest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ringfence {

using SHA2_CTX = CC_SHA256_CTX;
inline constexpr size_t SHA256_DIGEST_LENGTH = CC_SHA256_DIGEST_LENGTH;

inline void SHA256Init(SHA2_CTX* context) { CC_SHA256_Init(context); }
inline void SHA256Update(SHA2_CTX* context, const uint8_t* bytes, size_t size) {
  constexpr size_t kMost = size_t{1} << 30;  // a length has 32 bits
  for (size_t part = 0; size > 0; bytes += part, size -= part) {
    part = std::min(size, kMost);
    CC_SHA256_Update(context, bytes, static_cast<CC_LONG>(part));
  }
}
inline void SHA256Final(uint8_t* digest, SHA2_CTX* context) { CC_SHA256_Final(digest, context); }

}  // namespace ringfence
#else
#include <sha2.h>
#endif
