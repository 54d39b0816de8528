// What `ringfence check` found out about one place of one file.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ringfence {

enum class Severity { kError, kWarning, kNote };

// `code` names the kind of finding for programs: "shadowed-rule". `error` says where, what and what
// to do.
struct Finding {
  Severity severity = Severity::kError;
  std::string code;
  Error error;

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

// What is there already is not said again.
inline void Add(Findings& findings, Finding finding) {
  if (std::ranges::find(findings, finding) == findings.end())
    findings.push_back(std::move(finding));
}
inline void Add(Findings& findings, Severity severity, const char* code, Error error) {
  Add(findings, {severity, code, std::move(error)});
}

inline Error ConfigError(std::string where, std::string what, std::string hint) {
  return Error{Error::Kind::kInvalidConfig, std::move(where), std::move(what), std::move(hint)};
}

}  // namespace ringfence
