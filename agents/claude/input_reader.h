// Reads tool_input: the arguments of a built-in tool that may matter, and every string
// of an MCP tool that may be a path or a URL. Everything else is checked as JSON and skipped.
#pragma once

#include <string_view>

#include "agents/claude/event_reader.h"
#include "base/json_scanner.h"
#include "base/result.h"
#include "policy/event.h"

namespace ringfence {

// True if the value of `key` may matter to the decision, for any tool. `key` is as received.
bool MayMatter(std::string_view key);

// Reads the value that begins with the token `first`, which the scanner has just returned. Adds
// what it keeps to `event.input`; if `event.raw_input` has a value, sets its `command` to the byte
// offset of the command's text in the whole document. An error without text is an error of the
// scanner.
Status ReadToolInput(Token first, JsonScanner& scanner, const EventFilter& filter, Event& event);

}  // namespace ringfence
