// The arguments of an MCP tool. Those that the policy or a map names are paths; in all others a
// string is one if its value says so, since the names of arguments say little.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/evaluate/judge_argument.h"
#include "policy/files/cached_files.h"
#include "policy/files/first_names.h"
#include "policy/mcp/argument_names.h"
#include "policy/mcp/mcp_maps.h"
#include "policy/mcp/mcp_value.h"
#include "policy/places.h"

namespace ringfence {

class McpJudge {
 public:
  McpJudge(const Event& event, const Places& places, const CachedFiles& files,
           ArgumentJudge& arguments);

  void Run();

 private:
  enum class Taken : uint8_t { kAll, kDenials };

  bool JudgeNamed();
  void JudgeField(const InputField& field, const std::optional<McpMap>& map, bool has_entry);
  void JudgeAt(std::string_view pointer, Access access);
  void JudgeMapped(const InputField& field, Access access);
  void JudgeByValue(const InputField& field, const Value& value);
  bool IsSound(const InputField& field, const Value& value, UsualName usual);
  void JudgeValue(const InputField& field, const Value& value, UsualName usual);
  void JudgePlace(const InputField& field, const Value& value, UsualName usual);
  void JudgeBound(const InputField& field, const Value& value, UsualName usual);
  void JudgeRelative(const InputField& field, const Value& value, UsualName usual);
  void JudgeOtherHome(const InputField& field, const Value& value, UsualName usual);
  void JudgeUnexpanded(const InputField& field, const Value& value, UsualName usual);
  void JudgeWeb(const InputField& field, const Value& value);
  void JudgeBareHost(const InputField& field, const Value& value, UsualName usual);
  void JudgeUrlAsPath(const InputField& field, const Value& value, UsualName usual);
  void JudgeFileUrl(const InputField& field, const Value& value, UsualName usual);
  void TakePlace(const InputField& field, const Value& value, UsualName usual);
  void Take(const InputField& field, std::string_view text, Taken taken = Taken::kAll);
  void JudgeAsWritten(const InputField& field, UsualName usual);
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
  ArgumentJudge& arguments_;
  FirstNames names_;
  std::vector<InputField> documents_;  // what JSON in a string holds; by_value by the string's name
  bool reads_;
};

}  // namespace ringfence
