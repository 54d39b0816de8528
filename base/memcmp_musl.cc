// musl's memcmp() goes byte by byte. Names are compared all the time here, and most begin alike.
#include <cstddef>

#include "base/eight_bytes.h"

extern "C" int memcmp(const void* one, const void* other, std::size_t size) {
  return ringfence::CompareBytes(static_cast<const char*>(one), static_cast<const char*>(other),
                                 size);
}
