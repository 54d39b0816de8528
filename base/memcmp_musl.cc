// musl's memcmp() compares byte by byte. Names are compared constantly here, and most of them share
// a prefix.
#include <cstddef>

#include "base/eight_bytes.h"

extern "C" int memcmp(const void* one, const void* other, std::size_t size) {
  return ringfence::CompareBytes(static_cast<const char*>(one), static_cast<const char*>(other),
                                 size);
}
