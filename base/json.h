// JSON values of the commands. Whoever looks into one includes <nlohmann/json.hpp>, which is slow
// to read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ringfence {

using OrderedJson = nlohmann::ordered_json;

// On one line, or with `indent` spaces for each level. Bytes that are no UTF-8 become U+FFFD.
std::string JsonText(const OrderedJson& value, int indent = -1);

}  // namespace ringfence
