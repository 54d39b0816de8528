// A committed verdict matrix, and what of it is different now. One decision a line, so that a
// change of a policy shows as the decisions that it changes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/audit/matrix.h"

namespace ringfence {

struct BaselineEntry {
  std::string fixture;
  std::string under;  // the column's label
  std::string decision;
  std::string rule;  // without its line, which moves with every edit of the file
  std::string says;  // "allow", which spares the person a question; else ""
  std::string
      call;  // a digest of the event and its surroundings: the same name may come to mean another

  bool operator==(const BaselineEntry&) const = default;
};

struct BaselineChange {
  std::string fixture;
  std::string under;
  std::string before;  // "deny (policy.json /write/deny)"; "" where it is new
  std::string now;     // "" where it is gone
};

std::vector<BaselineEntry> EntriesOf(const Matrix& matrix);

// `name` is what messages call the file.
Result<std::vector<BaselineEntry>> ParseBaseline(std::string text, const std::string& name);
std::string RenderBaseline(const std::vector<BaselineEntry>& entries);

std::vector<BaselineChange> ChangesSince(const std::vector<BaselineEntry>& before,
                                         const std::vector<BaselineEntry>& now);

}  // namespace ringfence
