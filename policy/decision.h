// Decision: the answer, which rule gave it, and the sentence that explains it to a person or a
// model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/files/resolve.h"
#include "policy/policy.h"
#include "policy/rules/sets.h"

namespace ringfence {

enum class Verdict : uint8_t { kPermit, kAsk, kDeny };  // from weak to strong
std::string_view VerdictName(Verdict verdict);

// Why a call was refused or needs a question. Foreign text in it is quoted already.
struct Cause {
  std::string what;  // `write to "/etc/hosts"`, `tool "WebSearch"`
  std::string why;   // `outside the project`
  std::optional<RulePlace> place;
  std::string remedy;  // what to do instead, whole sentences; may be empty

  bool operator==(const Cause&) const = default;
};

// What one path argument came to.
struct PathTrace {
  std::string field;  // JSON pointer below tool_input
  std::string text;   // as the agent wrote it
  Access access = Access::kRead;
  struct Reading {
    std::string_view name;  // "lexical", "physical"
    std::string start;      // absolute text that was walked
    std::vector<WalkStep> steps;
    Path end;
  };
  std::vector<Reading> readings;
  Verdict verdict = Verdict::kPermit;
};

// How a decision came about; filled in only when somebody asks for an explanation.
struct Trace {
  std::vector<PathTrace> paths;
  std::vector<RuleUse> rules;  // as they were met
};

struct Decision {
  Verdict verdict = Verdict::kPermit;
  std::optional<Cause> cause;  // absent when permitted
  std::vector<std::string>
      paths;               // that were evaluated, resolved unless refused by name; for the log
  bool say_allow = false;  // answer "allow" instead of nothing
  std::optional<Error> failure;  // the files could not be seen: there is no decision

  bool operator==(const Decision&) const = default;
};

// "policy.json:6 /write/allow", "built-in policy /write/allow".
std::string PlaceLabel(const RulePlace& place);

// The sentence for the client, at most 1 KB, `say` (denied.say) included. Long names lose their
// beginnings where its terminal would not show the command that helps.
std::string ReasonText(const Decision& decision, std::string_view say);

// The same with whole names, for what a terminal does not cut.
std::string WholeReasonText(const Decision& decision, std::string_view say);

}  // namespace ringfence
