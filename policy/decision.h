// Decision: the verdict, the rule behind it, and the sentence that explains it to a person or a
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

enum class Verdict : uint8_t { kPermit, kAsk, kDeny };  // weakest first
std::string_view VerdictName(Verdict verdict);

// The reason why a call was refused or needs approval. Untrusted text in it is already quoted.
struct Cause {
  std::string what;  // `write to "/etc/hosts"`, `tool "WebSearch"`
  std::string why;   // `outside the project`
  std::optional<RulePlace> place = {};
  std::string remedy = {};  // what to do instead, in whole sentences; may be empty
  std::string host = {};    // the host that is not listed, as it is, host.ringfence with its port;
                            // "" for other causes

  bool operator==(const Cause&) const = default;
};

// The evaluation of one path argument.
struct PathTrace {
  std::string field;  // JSON pointer below tool_input
  std::string text;   // as the agent wrote it
  Access access = Access::kRead;
  struct Reading {
    std::string_view name;  // "lexical", "physical"
    std::string start;      // the absolute path that was walked
    std::vector<WalkStep> steps;
    Path end;
  };
  std::vector<Reading> readings;
  Verdict verdict = Verdict::kPermit;
};

// The steps that led to a decision; recorded only when an explanation is requested.
struct Trace {
  std::vector<PathTrace> paths;
  std::vector<RuleUse> rules;  // in the order in which they applied
};

struct Decision {
  Verdict verdict = Verdict::kPermit;
  std::optional<Cause> cause = {};      // absent if permitted
  std::vector<std::string> paths = {};  // the evaluated ones, for the log; resolved unless refused
                                        // by name
  bool say_allow = false;               // answer "allow" instead of nothing
  std::optional<Error> failure = {};    // set if files could not be read: there is no decision

  bool operator==(const Decision&) const = default;
};

// Returns "policy.json:6 /write/allow" or "built-in policy /write/allow".
std::string PlaceLabel(const RulePlace& place);

// Returns the sentence for the client, at most 1 KB including `say` (denied.say). Cuts the
// beginnings of long names if the terminal would otherwise not show the suggested command.
std::string ReasonText(const Decision& decision, std::string_view say);

// Returns the same with whole names, for output that no terminal cuts.
std::string WholeReasonText(const Decision& decision, std::string_view say);

// Returns the same of a denial, without "ringfence: " at its beginning.
std::string RefusalSentence(const Cause& cause);

}  // namespace ringfence
