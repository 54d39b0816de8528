// Merges several trusted sections: the last one that has a value counts, and denies and asks of all
// of them add up.
#pragma once

#include <vector>

#include "policy/load/policy_file.h"
#include "policy/policy.h"

namespace ringfence {

// Leaves out alerts (layers.cc). `trusted`: from the widest to the most specific. `own`: the
// user's sections; only an empty list there drops a default of `built_in`. The result points into
// all of them.
Policy MergeSections(const std::vector<const Sections*>& trusted, const Sections& built_in,
                     const Sections& own);

// Merges key by key; the values of `over` replace those of `base`, and denies add up.
NetworkSection MergedNetwork(const NetworkSection& base, NetworkSection over);

}  // namespace ringfence
