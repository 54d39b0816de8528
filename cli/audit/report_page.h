// The data of the HTML report.
#pragma once

#include "base/json.h"
#include "cli/audit/report.h"

namespace ringfence {

// The changes since the baseline, as in AuditJson().
OrderedJson ChangesJson(const AuditReport& report);

// The data of the whole page, which report.js renders. No character in it is invisible or reorders
// the visible text, except kWrittenMark and kResolvedMark in the "told" of an explanation.
OrderedJson PageJson(const AuditReport& report);

}  // namespace ringfence
