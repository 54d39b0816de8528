// SHA-256 (FIPS 180-4), computed by libmd.
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

std::string Sha256Hex(std::string_view bytes);  // 64 lower case digits

}  // namespace ringfence
