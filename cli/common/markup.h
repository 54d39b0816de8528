// Text for XML and HTML. All untrusted text in a report passes through Markup().
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace ringfence {

// Escapes text for an element or a double-quoted attribute: no character is markup, is invisible or
// reorders the visible text, and all are valid in XML 1.0.
std::string Markup(std::string_view text);
// The same for text cut to about `limit` bytes.
std::string Markup(std::string_view text, size_t limit);

// Returns printable text of at most `limit` bytes, not yet escaped.
std::string Legible(std::string_view text, size_t limit);

// JSON for a script element: no character ends the element or a line of the script.
std::string ScriptJson(const OrderedJson& json);

struct Slot {
  std::string_view name;
  std::string value;  // markup, if the text is a page
};

// Replaces each "{{name}}" in `page`, but not inside the inserted values.
std::string Fill(std::string_view page, std::span<const Slot> slots);

// Source expression for an inline style or script in a Content-Security-Policy: "'sha256-...'".
std::string PolicyHash(std::string_view text);

}  // namespace ringfence
