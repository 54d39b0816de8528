// Where alerts go, put together from several files and profiles. What an event chose has no say.
#pragma once

#include <vector>

#include "policy/load/policy_file.h"

namespace ringfence {

// `trusted`: from wide to narrow; key by key the last one counts. `managed`: the managed file's
// own, in the same order. Where that names an inbox and does not turn alerts off itself, no other
// file can turn them off, move them or change its constants.
AlertRules AlertsOf(const std::vector<const Sections*>& trusted,
                    const std::vector<const Sections*>& managed);

}  // namespace ringfence
