// Access to the launcher outside, for a hook that runs in a ringfence sandbox (base/inside.h).
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace ringfence {

// True if there is a launcher: then the kernel refuses what the policy only asks about.
bool HasLauncher();

// Every sandbox of ringfence has a filter, but others may have one, too.
bool HasSandboxFilter();

// True in any sandbox of ringfence that has a supervisor, also in one without mounts, which has no
// launcher's socket. Does not trust the environment.
bool IsSupervised();

// Sends one packet. Returns the text of the reply, which may be empty; nothing if there is no
// launcher, and an error if it did not accept the packet within a second.
Result<std::optional<std::string>> SendToLauncher(const std::string& packet);

}  // namespace ringfence
