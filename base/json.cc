#include "base/json.h"

#include <nlohmann/json.hpp>

namespace ringfence {

std::string JsonText(const OrderedJson& value, int indent) {
  return value.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace ringfence
