// The baseline: a committed verdict matrix, and the changes since. It has one decision per line, so
// that a diff shows the decisions that a policy change affects.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/audit/matrix.h"

namespace ringfence {

struct BaselineEntry {
  std::string fixture;
  std::string under;  // label of the column
  std::string decision;
  std::string rule;  // without the line number, which changes with every edit of the file
  std::string says;  // "allow" if the hook answers that, so the client does not ask; else ""
  std::string call;  // digest of the event and its surroundings, since a name can be reused

  bool operator==(const BaselineEntry&) const = default;
};

struct BaselineChange {
  std::string fixture;
  std::string under;
  std::string before;  // "deny (policy.json /write/deny)"; "" if the entry is new
  std::string now;     // "" if the entry is gone
};

std::vector<BaselineEntry> EntriesOf(const Matrix& matrix);

// `name` is the file's name in messages.
Result<std::vector<BaselineEntry>> ParseBaseline(std::string text, const std::string& name);
std::string RenderBaseline(const std::vector<BaselineEntry>& entries);

std::vector<BaselineChange> ChangesSince(const std::vector<BaselineEntry>& before,
                                         const std::vector<BaselineEntry>& now);

}  // namespace ringfence
