#include "base/file_digest.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "base/sha2.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {

Result<std::string> Sha256OfFile(int fd) {
  SHA2_CTX context;
  SHA256Init(&context);
  std::array<uint8_t, 65536> piece;
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(fd, piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read");
    if (got == 0) break;
    SHA256Update(&context, piece.data(), static_cast<size_t>(got));
    at += got;
  }
  std::array<uint8_t, SHA256_DIGEST_LENGTH> digest;
  SHA256Final(digest.data(), &context);
  std::string hex;
  for (const uint8_t byte : digest) AppendHex(hex, byte, 2);
  return hex;
}

}  // namespace ringfence
