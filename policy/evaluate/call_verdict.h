// CallVerdict: the outcome of one tool call so far: the strongest verdict with its first cause, and
// the paths that were evaluated.
#pragma once

#include <optional>
#include <string>

#include "policy/decision.h"
#include "policy/evaluate/evaluate_path.h"

namespace ringfence {

struct CallVerdict {
  Decision decision;
  bool asks_about_write = false;  // a question is about writing a file, whatever else it is about

  void Take(Verdict verdict, std::optional<Cause> cause);
  void Take(PathDecision outcome, Access access);
  void Deny(std::string what, std::string why, std::string remedy = "");
};

}  // namespace ringfence
