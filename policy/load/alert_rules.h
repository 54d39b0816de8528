// Merges the alert settings of several files and profiles. Profiles that an event chose are
// ignored.
#pragma once

#include <vector>

#include "policy/load/policy_file.h"

namespace ringfence {

// `trusted`: from the widest to the most specific; for each key the last one counts. `managed`: the
// managed file's own sections, in the same order. If they name an inbox and do not turn alerts off,
// no other file can turn alerts off, move them or change the managed constants.
AlertRules AlertsOf(const std::vector<const Sections*>& trusted,
                    const std::vector<const Sections*>& managed);

}  // namespace ringfence
