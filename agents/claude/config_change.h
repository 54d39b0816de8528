// ConfigChange: a settings file of the client changed in mid-session. Refused when any of the
// files, as they are now, would drop or weaken the registration or the sandbox: the client reloads
// all of them at the next change of one (measured on 2.1.330), so all of them are evaluated each
// time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/event.h"
#include "policy/places.h"

namespace ringfence {

// One sentence for each reason to refuse; empty: nothing is weaker than what was approved.
Result<std::vector<std::string>> WeakenedSettings(const Event& event, const Places& places,
                                                  std::string_view program);

}  // namespace ringfence
