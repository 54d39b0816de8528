// The types of JSON values, for code that sees no JSON itself.
#pragma once

#include <cstdint>

namespace ringfence {

enum class JsonKind : uint8_t { kObject, kArray, kString, kNumber, kTrue, kFalse, kNull };

}  // namespace ringfence
