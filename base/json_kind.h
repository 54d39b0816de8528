// JSON value types, for code that does not handle JSON itself.
#pragma once

#include <cstdint>

namespace ringfence {

enum class JsonKind : uint8_t { kObject, kArray, kString, kNumber, kTrue, kFalse, kNull };

}  // namespace ringfence
