// Fixture: one call of a tool, the surroundings in which it is decided, and what the answer should
// be. Plain values; docs/audit.md says how they are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/audit/memory_files.h"
#include "policy/load/sources.h"

namespace ringfence {

// What a fixture demands; "" and nothing demand nothing.
struct Expected {
  std::string decision;  // "permit", "ask", "deny", "error"
  std::string rule;      // the place as it is shown, or the end of it: "/write/deny"
  std::string reason;    // a part of what the model is told
  std::optional<bool> says_allow;
};

// A policy that stands in the fixture itself.
struct FixturePolicy {
  Layer layer = Layer::kUser;
  bool trusted = true;
  std::string text;
  std::string shown;
};

struct FixturePlace {
  std::string file;   // as it was named on the command line
  uint32_t line = 1;  // from 1
};

struct Fixture {
  std::string name;  // of its own among all that are audited
  std::string why;
  FixturePlace place;

  // In memory, with root and home; nothing: this machine's disk, and whatever project is audited.
  std::optional<std::vector<MemoryFiles::Entry>> files;
  std::string root = "/home/dev/project";
  std::string home = "/home/dev";
  std::string other_home;  // HOME where it differs
  bool no_home = false;    // none is known
  bool macos = false;

  std::vector<FixturePolicy> policies;  // none: those of the audit
  std::optional<std::string> profile;   // nothing: those of the audit

  std::string event;  // JSON; without "cwd" the project is meant
  bool has_cwd = false;
  std::string time;  // when it happened, ISO 8601; "" where nobody knows
  Expected expected;
};

struct FixtureFile {
  std::vector<Fixture> fixtures;
  std::vector<std::string> skipped;   // events that decide nothing: "captured/Stop.json: Stop"
  std::vector<FixturePlace> foreign;  // of `skipped`, what is something else altogether
  std::vector<std::string> files;     // that were named, or hold more than something else
};

struct NumberedLine {
  std::string_view text;
  uint32_t number = 1;  // from 1
};

// Those that are not blank.
std::vector<NumberedLine> LinesOf(std::string_view text);

// Reads the text of the file `path`: a fixture, a captured event, or (*.jsonl, *.ndjson) lines of
// them and of the audit log. A fixture without a name is called by its file. Every mistake is added
// to `mistakes`; JSON that is none of those is one where the file `is_named`, else it is skipped.
FixtureFile ReadFixtures(std::string text, const std::string& path, bool is_named,
                         std::vector<Error>& mistakes);

}  // namespace ringfence
