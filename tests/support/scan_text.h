// The scanner's result for a document, as one text that a test can compare.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json_scanner.h"

namespace ringfence {

// Delivers a document in pieces of `size` bytes. Each piece is in its own memory, which is freed at
// the next call, so that the sanitizer finds a view that is kept too long.
class PieceSource final : public ByteSource {
 public:
  PieceSource(std::string_view text, size_t size) : rest_(text), size_(size) {}
  Result<std::string_view> Next() override;

 private:
  std::string_view rest_;
  size_t size_;
  std::unique_ptr<char[]> piece_;
};

// Tokens in order: {}[] as they are, "key": "string" 1.5 true false null, then "." at the end or "!
// offset text" for an error. Strings are followed by ~ if they were cut, 0 if they contain NUL, and
// s if they contain a lone surrogate.
struct ScanLimits {
  size_t piece = 0;  // 0: the whole document at once
  size_t string = 1 << 20;
  bool numbers = true;  // false: "#" for each
};
std::string Scan(std::string_view text, JsonScanner::Options options = {}, ScanLimits limits = {});

// True if the whole document is accepted.
bool IsAccepted(std::string_view text, JsonScanner::Options options = {});

// Only the error: "offset text", or "" if there is none.
std::string ScanError(std::string_view text, JsonScanner::Options options = {});

}  // namespace ringfence
