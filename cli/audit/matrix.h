// The verdict matrix: every fixture under each policy and profile that applies to it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/audit/fixture.h"
#include "cli/common/policies.h"
#include "policy/load/policy_file.h"

namespace ringfence {

// A rule of a policy as a self-contained value.
struct RuleEntry {
  std::string file;  // as shown in messages
  uint32_t line = 0;
  std::string pointer;  // of the list: "/profiles/worker/write/allow"
  std::string written;  // "docs/adr"

  std::string label() const;  // policy.json:6 /write/allow "docs/adr"
  // NOLINTNEXTLINE(modernize-use-nullptr): no pointer here
  auto operator<=>(const RuleEntry&) const = default;
};

RuleEntry EntryOf(const RulePlace& place, std::string written);

// Returns the rules of tools, read, write and network, at the top level and in profiles.
std::vector<RuleEntry> RulesOf(const PolicyFile& file);

// The policy and profile under which a fixture is decided.
struct Column {
  std::string policy;   // a file; "": the policies in force, or the fixture's own
  std::string profile;  // --profile; "": none
  bool is_own = false;  // the fixture brings the policy

  std::string label() const;
  auto operator<=>(const Column&) const = default;
};

// A decision that does not point into a policy.
struct CellResult {
  LoggedVerdict decision = LoggedVerdict::kError;  // kError: none, see `reason`
  bool is_no_event = false;                        // kError, whatever the policy
  bool says_allow = false;
  std::string tool;
  std::vector<std::string> paths;  // resolved, unless refused by name
  std::string rule;                // "policy.json:6 /write/allow"; "" if no rule decided
  std::string rule_place;  // the same without the line number, so that edits do not change it
  std::string reason;      // given to the model
  std::vector<RuleEntry> met;
};

struct Cell {
  size_t column = 0;
  CellResult result;
  std::string mismatch;  // difference from the expected decision; "" if there is none
};

struct Row {
  Fixture fixture;
  std::vector<Cell> cells;
};

struct Matrix {
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<RuleEntry> rules;  // of all audited policies
};

struct AuditQuestion {
  Registration given;  // its policy and profile are ignored
  std::vector<std::string> policies;
  std::vector<std::string> profiles;
  bool in_memory = false;  // also for fixtures without "files"
};

// Calls `progress` after each fixture. Returns an error if a policy cannot be read or no policy has
// a requested profile. If one fixture cannot be decided, its decision is kError.
Result<Matrix> DecideAll(const AuditQuestion& question, std::vector<Fixture> fixtures,
                         const std::function<void()>& progress);

// Describes the first difference from `expected`, or returns "".
std::string Mismatch(const Expected& expected, const CellResult& result);

}  // namespace ringfence
