// Text with a header line and a digest, so that a reader notices another version or damage.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

// `header` ends with a line break.
std::string Seal(std::string_view header, std::string_view content);

// Returns the content, which is part of `text`; nothing if the header is another one or the digest
// does not match.
std::optional<std::string_view> Unseal(std::string_view header, std::string_view text);

}  // namespace ringfence
