// Reads JSON in a string. FastMCP servers parse a string as JSON if they expect a list or an object
// (func_metadata.pre_parse_json in the Python SDK for MCP).
#pragma once

#include <vector>

#include "policy/event.h"

namespace ringfence {

// Appends the strings and keys of the JSON document in `field`, if there is one, as the event
// reader would have read them. `by_value` is true if the name of `field` makes it likely that a
// server parses the document; a policy entry applies in any case.
void AppendDocument(const InputField& field, std::vector<InputField>& fields);

}  // namespace ringfence
