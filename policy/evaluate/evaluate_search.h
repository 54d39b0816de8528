// Evaluates the searches of tools: the directory that they begin in, the patterns that may begin
// elsewhere, and the denied files that they would meet below.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/agent.h"
#include "policy/evaluate/call_verdict.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/event.h"

namespace ringfence {

class SearchEvaluator {
 public:
  // `tool` must have a value if another member function is called.
  SearchEvaluator(const Event& event, const std::optional<KnownTool>& tool,
                  const PathEvaluator& paths, CallVerdict& verdict)
      : event_(event), tool_(tool), paths_(paths), verdict_(verdict) {}

  // Evaluates the directory that a search begins in: the working directory if the call names none
  // (nullptr).
  void EvaluateFolder(const InputField* field);

  // Evaluates a field of the role kSearchPattern or kSearchFilter.
  void EvaluatePattern(FieldRole role, const InputField& field);

 private:
  std::string_view Verb() const;
  // Returns the argument of the call with this role, or nullptr.
  const InputField* Given(FieldRole role) const;
  bool PatternNamesFolder() const;
  std::string SearchFolder() const;
  void TakeDeniedBelow(const std::vector<Path>& folders, std::string_view verb);
  void ExplainDeniedBelow(PathDecision& decision, std::string_view verb) const;

  const Event& event_;
  const std::optional<KnownTool>& tool_;
  const PathEvaluator& paths_;
  CallVerdict& verdict_;
};

}  // namespace ringfence
