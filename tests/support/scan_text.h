// What the scanner makes of a document, as one text that a test can compare.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json_scanner.h"

namespace ringfence {

// Gives a document in pieces of `size` bytes. Each piece lies in memory of its own that is gone at
// the next call, so a view that is kept too long is found by the sanitizer.
class PieceSource final : public ByteSource {
 public:
  PieceSource(std::string_view text, size_t size) : rest_(text), size_(size) {}
  Result<std::string_view> Next() override;

 private:
  std::string_view rest_;
  size_t size_;
  std::unique_ptr<char[]> piece_;
};

// One token after the other: {}[] as they are, "key": "string" 1.5 true false null, then "." at the
// end or "! offset text" for an error. Strings are followed by ~ when they were cut, 0 when they
// hold NUL, and s when they hold a lone surrogate.
struct ScanLimits {
  size_t piece = 0;  // 0: the whole document at once
  size_t string = 1 << 20;
  bool numbers = true;  // false: "#" for each
};
std::string Scan(std::string_view text, JsonScanner::Options options = {}, ScanLimits limits = {});

// Accepted as a whole?
bool IsAccepted(std::string_view text, JsonScanner::Options options = {});

// The error alone: "offset text", or "" where there is none.
std::string ScanError(std::string_view text, JsonScanner::Options options = {});

}  // namespace ringfence
