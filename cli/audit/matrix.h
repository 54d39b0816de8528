// The verdict matrix: every fixture under every policy and profile it is meant for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/audit/fixture.h"
#include "cli/common/context_options.h"
#include "cli/explain/rule_list.h"

namespace ringfence {

// Under what a fixture is decided.
struct Column {
  std::string policy;   // a file; "": those in force, or the fixture's own
  std::string profile;  // --profile; "": none
  bool is_own = false;  // the policy stands in the fixture

  std::string label() const;
  auto operator<=>(const Column&) const = default;
};

// A decision, without anything that points into a policy.
struct CellResult {
  std::string decision;  // "permit", "ask", "deny"; "error": there is none, and `reason` says why
  bool says_allow = false;
  std::string tool;
  std::vector<std::string> paths;  // where they led
  std::string rule;                // "policy.json:6 /write/allow"; "" where none decided
  std::string rule_place;          // the same without the line: it survives edits of the file
  std::string reason;              // what the model is told
  std::vector<RuleEntry> met;
};

struct Cell {
  size_t column = 0;
  CellResult result;
  std::string mismatch;  // what differs from what the fixture demands; "" where nothing does
};

struct Row {
  Fixture fixture;
  std::vector<Cell> cells;
};

struct Matrix {
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<RuleEntry> rules;  // of all policies that were asked
};

struct AuditQuestion {
  Registration given;  // its policy and profile are not looked at
  bool json = false;
  std::vector<std::string> policies;
  std::vector<std::string> profiles;
  bool in_memory = false;  // also fixtures without "files"
};

// `progress` is called after each fixture. A policy that cannot be read and a profile of the
// question that none of them has are errors; what cannot be decided about one fixture is its
// decision.
Result<Matrix> DecideAll(const AuditQuestion& question, std::vector<Fixture> fixtures,
                         const std::function<void()>& progress);

// What of `decision` is not as `expected`, or "".
std::string Mismatch(const Expected& expected, const CellResult& result);

}  // namespace ringfence
