// JSON values for the commands. Code that accesses a value includes <nlohmann/json.hpp>, which is
// slow to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ringfence {

using OrderedJson = nlohmann::ordered_json;

// Serializes `value` on one line, or with `indent` spaces per level. Bytes that are not UTF-8
// become U+FFFD.
std::string JsonText(const OrderedJson& value, int indent = -1);

// Returns an array with `each(thing)` for each of `things`. The caller includes
// <nlohmann/json.hpp>; Json is a parameter so that this header need not.
template <typename Things, typename Each, typename Json = OrderedJson>
Json JsonArray(const Things& things, Each each) {
  Json array = Json::array();
  for (const auto& thing : things) array.push_back(each(thing));
  return array;
}

}  // namespace ringfence
