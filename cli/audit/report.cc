#include "cli/audit/report.h"

#include <algorithm>
#include <set>

namespace ringfence {

size_t AuditReport::decisions() const {
  size_t count = 0;
  for (const Row& row : matrix.rows) count += row.cells.size();
  return count;
}

size_t AuditReport::mismatches() const {
  size_t count = 0;
  for (const Row& row : matrix.rows) {
    count += static_cast<size_t>(
        std::ranges::count_if(row.cells, [](const Cell& cell) { return !cell.mismatch.empty(); }));
  }
  return count;
}

std::vector<RuleEntry> UnmetRules(const Matrix& matrix) {
  std::set<RuleEntry> unmet(matrix.rules.begin(), matrix.rules.end());
  for (const Row& row : matrix.rows) {
    for (const Cell& cell : row.cells) {
      for (const RuleEntry& rule : cell.result.met) unmet.erase(rule);
    }
  }
  return {unmet.begin(), unmet.end()};
}

}  // namespace ringfence
