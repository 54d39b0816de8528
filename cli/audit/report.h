// The result of an audit, and its formats: text, JSON, JUnit, SARIF, workflow
// commands and HTML.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/audit/baseline.h"
#include "cli/audit/matrix.h"
#include "cli/common/console.h"

namespace ringfence {

struct AuditReport {
  Matrix matrix;
  std::vector<std::string> skipped;             // "captured/Stop: Stop decides nothing"
  std::string baseline;                         // the file; "" without a baseline
  std::vector<BaselineChange> changes;          // since the baseline
  std::optional<std::vector<RuleEntry>> unmet;  // rules no fixture met; nullopt without --coverage

  size_t decisions() const;
  size_t mismatches() const;
  bool is_sound() const { return mismatches() == 0 && changes.empty(); }
};

// Rules that no fixture met.
std::vector<RuleEntry> UnmetRules(const Matrix& matrix);

// Each returns a whole document that ends with a newline. `console` decides on colour.
std::string AuditText(const AuditReport& report, const Console& console);
std::string AuditJson(const AuditReport& report);
std::string AuditJunit(const AuditReport& report);
std::string AuditSarif(const AuditReport& report);             // SARIF 2.1.0 (OASIS)
std::string AuditWorkflowCommands(const AuditReport& report);  // of GitHub Actions
std::string AuditHtml(const AuditReport& report);

// The changes since the baseline, as in AuditJson().
OrderedJson ChangesJson(const AuditReport& report);

// The data of the whole page, which report.js renders. Contains no invisible or reordering
// characters, except kWrittenMark and kResolvedMark in the "told" of an explanation.
OrderedJson PageJson(const AuditReport& report);

}  // namespace ringfence
