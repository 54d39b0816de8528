// What the HTML report shows.
#pragma once

#include "base/json.h"
#include "cli/audit/report.h"

namespace ringfence {

// What is different from the baseline, as in AuditJson().
OrderedJson ChangesJson(const AuditReport& report);

// All of the page as one document, which report.js renders. No text in it has a character that is
// invisible or reorders what a person reads; but in the "told" of an explanation stand kWrittenMark
// and kResolvedMark.
OrderedJson PageJson(const AuditReport& report);

}  // namespace ringfence
