// JSON values of the commands. Whoever looks into one includes <nlohmann/json.hpp>, which is slow
// to read.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace ringfence {

using OrderedJson = nlohmann::ordered_json;

}  // namespace ringfence
