// What several trusted sections say together: the last one that says something counts, and denies
// and asks of all of them add up.
#pragma once

#include <vector>

#include "policy/load/policy_file.h"
#include "policy/policy.h"

namespace ringfence {

// Alerts (alert_rules.h) and the audit log are left out. `trusted`: from the widest to the most
// specific. `own`: what the user wrote; only an empty list there drops a default of `built_in`. The
// result points into all of them.
Policy MergeSections(const std::vector<const Sections*>& trusted, const Sections& built_in,
                     const Sections& own);

// Key by key, the later section over the earlier one; denies add up.
NetworkSection MergedNetwork(const NetworkSection& base, NetworkSection over);

}  // namespace ringfence
