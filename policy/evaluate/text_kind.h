// Classifies an argument of an agent's tool: a path, a URL, or text that two programs could read
// differently.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

enum class TextKind : uint8_t {
  kPath,
  kFileUrl,   // "file:..."
  kWebUrl,    // "http://...", "https://...", "ws://...", "wss://..."
  kOtherUrl,  // "team://...": for a server that knows the scheme
  kUnclear,  // a URL only to parsers that repair it (" https://x", "ht\ntps://x", "https:/x"), or a
             // URL that contains another one ("view-source:file:///x")
};

// Classifies `text`. URL parsers drop white space and control characters, read "\" as "/", and
// accept missing slashes (https://url.spec.whatwg.org/#url-parsing).
TextKind KindOfText(std::string_view text);

// Returns the text without everything that some URL parser drops.
std::string RepairedUrl(std::string_view text);

// Returns where the first web or file URL inside a text begins: 5 in "blob:https://x"; npos if
// there is none.
size_t InnerScheme(std::string_view text);

// Returns the scheme in lower case (RFC 3986, 3.1), or "" if there is none.
std::string SchemeOf(std::string_view text);

// Returns why `text` cannot be a path that the client and the kernel read alike, or nothing.
std::optional<std::string_view> RefusedText(std::string_view text);

}  // namespace ringfence
