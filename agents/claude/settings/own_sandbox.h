// Describes how the client's own sandbox confines commands, for the model.
#pragma once

#include <cstdint>
#include <string>

#include "policy/places.h"

namespace ringfence {

// Says what confines the processes that Bash starts in this project, and what they cannot do there:
// "the client's sandbox, where ...", or "" if nothing does. Reads the client's settings.
std::string BashConfinement(const Places& places);

// Whether the settings switch the client's own sandbox on, and whether an administrator does.
enum class OwnSandbox : uint8_t { kOff, kOn, kOnByAdministrator };
OwnSandbox FindOwnSandbox(const Places& places);

}  // namespace ringfence
