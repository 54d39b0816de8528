// ConfigChange: one of the client's settings files changed during a session. The change is refused
// if any of the files, in its present state, drops or weakens the registration or the sandbox. All
// files are evaluated each time, because the client reloads all of them at the next change of any
// (measured on 2.1.330).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/event.h"
#include "policy/places.h"

namespace ringfence {

// The running hook.
struct OwnHook {
  std::string_view program;
  bool is_plugin = false;  // the plugin registers it, so the plugin must stay enabled
};

// Returns one sentence for each reason to refuse; empty if nothing is weaker than what was
// approved.
Result<std::vector<std::string>> WeakenedSettings(const Event& event, const Places& places,
                                                  const OwnHook& hook);

// True if one of the settings files registers the hook for this event, exactly as the user approved
// it, and no file disables hooks. False if the files cannot be read.
bool IsRegisteredInSettings(const Event& event, const Places& places);

}  // namespace ringfence
