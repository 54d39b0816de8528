#include "cli/audit/report.h"

namespace ringfence {

std::string AuditHtml(const AuditReport& report) { return AuditJson(report); }

}  // namespace ringfence
