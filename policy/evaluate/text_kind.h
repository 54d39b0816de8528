// What an argument of an agent's tool is: a path, a URL, or text that two programs could take for
// different things.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

enum class TextKind : uint8_t {
  kPath,
  kFileUrl,   // "file:..."
  kWebUrl,    // "http://...", "https://...", "ws://...", "wss://..."
  kOtherUrl,  // "team://...": whatever server knows the scheme
  kUnclear,   // a URL only to those who repair it (" https://x", "ht\ntps://x", "https:/x"), or one
              // that holds another ("view-source:file:///x")
};

// URL parsers drop white space and control characters, take "\" for "/", and forgive missing
// slashes (https://url.spec.whatwg.org/#url-parsing).
TextKind KindOfText(std::string_view text);

// What is left when everything is dropped that some URL parser drops.
std::string RepairedUrl(std::string_view text);

// Where the first web or file URL inside a text begins: 5 in "blob:https://x"; npos: there is none.
size_t InnerScheme(std::string_view text);

// The scheme in lower case (RFC 3986, 3.1); "" where there is none.
std::string SchemeOf(std::string_view text);

}  // namespace ringfence
