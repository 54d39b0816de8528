// JSON in a string. Servers made with FastMCP read a string as JSON where they want a list or an
// object (func_metadata.pre_parse_json of the Python SDK for MCP).
#pragma once

#include <vector>

#include "policy/event.h"

namespace ringfence {

// Appends the strings and keys of the document that `field` holds, if it holds one, as the event
// reader would have read them. `by_value` says whether the name of `field` makes it likely that a
// server reads the document; an entry of the policy counts in any case.
void AppendDocument(const InputField& field, std::vector<InputField>& fields);

}  // namespace ringfence
