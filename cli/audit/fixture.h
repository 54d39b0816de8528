// Fixture: one tool call, the surroundings in which it is decided, and the expected decision.
// docs/audit.md describes the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit_log/entry.h"
#include "base/result.h"
#include "cli/audit/memory_files.h"
#include "policy/load/sources.h"

namespace ringfence {

// Expectations of a fixture; "" and nullopt match anything.
struct Expected {
  std::optional<LoggedVerdict> decision;  // not kAlert
  std::string rule;                       // the place as shown, or its last part: "/write/deny"
  std::string reason;                     // part of the reason that the model gets
  std::optional<bool> says_allow;
};

// A policy that the fixture brings, inline or in a file.
struct FixturePolicy {
  Layer layer = Layer::kUser;
  bool trusted = true;
  std::string text;
  std::string shown;
};

struct FixturePlace {
  std::string file;   // path as given on the command line, or below a directory given there
  uint32_t line = 1;  // from 1
};

// A connection of a command's sandbox.
struct FixtureConnection {
  std::string host;
  uint16_t port = 0;
};

struct Fixture {
  std::string name;  // unique among all audited fixtures
  std::string why;
  FixturePlace place;

  // In-memory files, used with root and home; nullopt: this machine's disk and the audited project.
  std::optional<std::vector<MemoryFiles::Entry>> files;
  std::string root = "/home/dev/project";
  std::string home = "/home/dev";
  std::string other_home;  // HOME if it differs
  bool no_home = false;    // the home is unknown
  bool macos = false;

  std::vector<FixturePolicy> policies;  // empty: the policies of the audit
  std::optional<std::string> profile;   // nullopt: the profiles of the audit

  std::string event;  // JSON; without "cwd" the call runs in the project
  bool has_cwd = false;
  std::optional<FixtureConnection> connection;  // instead of a call; `event` is {"connect": ...}
  std::string time;                             // of the call, ISO 8601; "" if unknown
  Expected expected;
};

struct FixtureFile {
  std::vector<Fixture> fixtures;
  std::vector<std::string> skipped;   // with the reason: "captured/Stop: Stop decides nothing"
  std::vector<FixturePlace> foreign;  // skipped: not a fixture, event or log line
  std::vector<std::string> files;  // named by the user, or found with contents other than `foreign`
};

struct NumberedLine {
  std::string_view text;
  uint32_t number = 1;  // from 1
};

// Returns the lines that are not blank.
std::vector<NumberedLine> LinesOf(std::string_view text);

// Reads the text of the file `path`: a fixture, a captured event, or (*.jsonl, *.ndjson) lines of
// these and of the audit log. A fixture without a name is named after its file. Adds all errors to
// `mistakes`. Other JSON is an error if the user named the file (`is_named`), else it is skipped.
FixtureFile ReadFixtures(std::string text, const std::string& path, bool is_named,
                         std::vector<Error>& mistakes);

// Searches directories for *.json, *.jsonl and *.ndjson, in the order of their names, without
// following links in them. Adds all errors of all files to `mistakes`, including fixtures with
// equal names.
FixtureFile ReadFixtureFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes);

// Reads audit logs in the same way (ReadLog()), but does not compare names.
FixtureFile ReadLogFiles(const std::vector<std::string>& paths, std::vector<Error>& mistakes);

}  // namespace ringfence
