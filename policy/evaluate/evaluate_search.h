// Evaluates the searches of Glob, Grep and LS: the directory that they begin in, the patterns that
// may begin elsewhere, and the denied files that they would meet below.
#pragma once

#include <string>
#include <vector>

#include "policy/evaluate/call_verdict.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/event.h"

namespace ringfence {

// Returns "search of", "listing of" or "read of".
std::string_view ReadVerb(std::string_view tool);

class SearchEvaluator {
 public:
  SearchEvaluator(const Event& event, const PathEvaluator& paths, CallVerdict& verdict)
      : event_(event), paths_(paths), verdict_(verdict) {}

  // Evaluates the directory that a search begins in: the working directory if the call names none
  // (nullptr).
  void EvaluateFolder(const InputField* field);

  // Evaluates Glob's "pattern" or Grep's "glob".
  void EvaluatePattern(const InputField& field);

 private:
  const InputField* GlobPattern() const;
  bool PatternNamesFolder() const;
  std::string SearchFolder() const;
  void TakeDeniedBelow(const std::vector<Path>& folders, std::string_view verb);
  void ExplainDeniedBelow(PathDecision& decision, std::string_view verb) const;

  const Event& event_;
  const PathEvaluator& paths_;
  CallVerdict& verdict_;
};

}  // namespace ringfence
