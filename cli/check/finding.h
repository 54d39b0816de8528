// A finding of `ringfence check` at one place in one file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/add_once.h"
#include "base/result.h"
#include "cli/common/annotations.h"

namespace ringfence {

// `code` identifies the kind of finding for programs: "shadowed-rule". `error` says where, what,
// and what to do.
struct Finding {
  Severity severity = Severity::kError;
  std::string code;
  Error error;

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

// Adds a finding unless the list already contains it.
inline void Add(Findings& findings, Finding finding) { AddOnce(findings, std::move(finding)); }
inline void Add(Findings& findings, Severity severity, const char* code, Error error) {
  Add(findings, {severity, code, std::move(error)});
}

}  // namespace ringfence
