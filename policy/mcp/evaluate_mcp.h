// Evaluates the arguments of an MCP tool. Those that the policy or a map names are paths; any other
// string is a path if its value looks like one, because argument names say little.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/evaluate/evaluate_argument.h"
#include "policy/files/cached_files.h"
#include "policy/files/first_names.h"
#include "policy/mcp/argument_names.h"
#include "policy/mcp/mcp_maps.h"
#include "policy/mcp/mcp_value.h"
#include "policy/places.h"

namespace ringfence {

class McpEvaluator {
 public:
  McpEvaluator(const Event& event, const Places& places, const CachedFiles& files,
               ArgumentEvaluator& arguments);

  void Run();

 private:
  enum class Taken : uint8_t { kAll, kDenials };

  bool EvaluateNamed();
  void EvaluateField(const InputField& field, const std::optional<McpMap>& map, bool has_entry);
  void EvaluateAt(std::string_view pointer, Access access);
  void EvaluateMapped(const InputField& field, Access access);
  void EvaluateByValue(const InputField& field, const Value& value);
  bool IsSound(const InputField& field, const Value& value, UsualName usual);
  void EvaluateValue(const InputField& field, const Value& value, UsualName usual);
  void EvaluatePlace(const InputField& field, const Value& value, UsualName usual);
  void EvaluateBound(const InputField& field, const Value& value, UsualName usual);
  void EvaluateRelative(const InputField& field, const Value& value, UsualName usual);
  void EvaluateOtherHome(const InputField& field, const Value& value, UsualName usual);
  void EvaluateUnexpanded(const InputField& field, const Value& value, UsualName usual);
  void EvaluateWeb(const InputField& field, const Value& value);
  void EvaluateBareHost(const InputField& field, const Value& value, UsualName usual);
  void EvaluateUrlAsPath(const InputField& field, const Value& value, UsualName usual);
  void EvaluateFileUrl(const InputField& field, const Value& value, UsualName usual);
  void TakePlace(const InputField& field, const Value& value, UsualName usual);
  void Take(const InputField& field, std::string_view text, Taken taken = Taken::kAll);
  void EvaluateAsWritten(const InputField& field, UsualName usual);
  static bool MayEndAnywhere(const Value& value, UsualName usual);
  bool NamesPlace(const Value& value, UsualName usual) const;
  static bool IsText(const Value& value, UsualName usual);
  bool Exists(const Path& path) const;
  bool BeginsWithFile(std::string_view text) const;
  bool NamesSomething(std::string_view text) const;
  Access AccessOf(const InputField& field) const;
  void AddRemedy(Cause& cause, std::string_view what) const;

  const Event& event_;
  const Places& places_;
  const CachedFiles& files_;
  ArgumentEvaluator& arguments_;
  FirstNames names_;
  std::vector<InputField> documents_;  // from JSON in strings, whose names set by_value
  bool reads_;
};

}  // namespace ringfence
