// Text for XML and HTML. Whatever goes into a report from outside goes through Markup().
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace ringfence {

// Text, or an attribute in double quotes: no character of it is markup, none is invisible or
// reorders what a person reads, and all of them may stand in XML 1.0.
std::string Markup(std::string_view text);
// The same of at most about `limit` bytes.
std::string Markup(std::string_view text, size_t limit);

// `text` as a person may read it, of at most `limit` bytes; not yet markup.
std::string Legible(std::string_view text, size_t limit);

// JSON that may stand in a script element: no character of it ends the element or a line of script.
std::string ScriptJson(const OrderedJson& json);

struct Slot {
  std::string_view name;
  std::string value;  // markup
};

// `page` with each "{{name}}" replaced, once: what stands in a value is left alone.
std::string Fill(std::string_view page, std::span<const Slot> slots);

// What a Content-Security-Policy calls an inline style or script: "'sha256-...'".
std::string PolicyHash(std::string_view text);

}  // namespace ringfence
