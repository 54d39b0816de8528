// GuardedNames as bytes, for a sandbox inside another: the outer supervisor evaluates by them too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/guarded_names.h"

namespace ringfence {

// Without what is exempt: that is for the outer sandbox to say, whose private folders these are.
std::string PackNames(const GuardedNames& names);

// Nothing where the bytes are no such text, be they cut or anybody's.
std::optional<GuardedNames> UnpackNames(std::string_view bytes);

}  // namespace ringfence
