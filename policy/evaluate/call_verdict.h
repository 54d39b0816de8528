// CallVerdict: the outcome of one tool call so far: the strongest verdict with its first cause, and
// the paths that were evaluated.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/decision.h"
#include "policy/evaluate/evaluate_path.h"

namespace ringfence {

class CallVerdict {
 public:
  void Take(Verdict verdict, std::optional<Cause> cause);
  void Take(PathDecision outcome, Access access);
  void Deny(std::string what, std::string why, std::string remedy = "");

  Verdict verdict() const { return decision_.verdict; }
  bool is_denied() const { return decision_.verdict == Verdict::kDeny; }
  // True if a question is about writing a file, whatever else it is about.
  bool asks_about_write() const { return asks_about_write_; }

  // Turns a question that the user cannot answer into a denial.
  void RefuseQuestion(std::string remedy);

  Decision Finish(bool say_allow) &&;

 private:
  Decision decision_;
  bool asks_about_write_ = false;
};

}  // namespace ringfence
