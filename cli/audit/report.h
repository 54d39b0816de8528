// What an audit found, and how it is told: for people, for programs, for a CI, in a browser.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/audit/baseline.h"
#include "cli/audit/matrix.h"
#include "cli/common/console.h"

namespace ringfence {

struct AuditReport {
  Matrix matrix;
  std::vector<std::string> skipped;             // "captured/Stop.json: Stop decides nothing"
  std::string baseline;                         // the file; "": there was none to compare with
  std::vector<BaselineChange> changes;          // since the baseline
  std::optional<std::vector<RuleEntry>> unmet;  // rules that no fixture met; nothing: nobody asked

  size_t decisions() const;
  size_t mismatches() const;
  bool is_sound() const { return mismatches() == 0 && changes.empty(); }
};

// Rules that no fixture met.
std::vector<RuleEntry> UnmetRules(const Matrix& matrix);

// The whole document, ending with a newline. Text is coloured as `console` says.
std::string AuditText(const AuditReport& report, const Console& console);
std::string AuditJson(const AuditReport& report);
std::string AuditJunit(const AuditReport& report);
std::string AuditSarif(const AuditReport& report);  // SARIF 2.1.0 (OASIS)
std::string AuditHtml(const AuditReport& report);

}  // namespace ringfence
