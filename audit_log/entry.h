// The schema of the audit log (docs/audit-log.md): one entry, for writing and reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/decision.h"
#include "policy/event.h"

namespace ringfence {

// The verdict of an entry: of a decision, or kError if the hook reached none and ended with status
// 2, which blocks the call like a denial, or kAlert for a command that ran unwrapped.
enum class LoggedVerdict : uint8_t { kPermit, kAsk, kDeny, kError, kAlert };
LoggedVerdict LoggedVerdictOf(Verdict verdict);
std::string_view VerdictName(std::optional<LoggedVerdict> verdict);  // "permit"; "" for none
std::optional<LoggedVerdict> VerdictNamed(std::string_view name);

struct AuditEntry {
  struct Rule {
    std::string file;
    uint32_t line = 0;  // from 1; 0 for the built-in policy
    std::string pointer;

    std::string label() const;  // "policy.json:6 /write/allow"
    bool operator==(const Rule&) const = default;
  };

  // A name in the project, before or after a stage's change.
  struct FileState {
    std::string kind;    // "file", "directory", "link", "special"
    std::string mode;    // octal; "" of a link
    uint64_t size = 0;   // of a file
    std::string sha256;  // of a file's content; "" if it is not known
    std::string target;  // of a link

    bool operator==(const FileState&) const = default;
  };

  std::string time;   // AuditTime() of the writer, also in a sandbox; see is_inside
  std::string event;  // the client's event; SandboxStart, SandboxDenial of `ringfence run`;
                      // Connection of the egress proxy; or Stage... of a stage
  std::string session;
  std::string agent_id, agent_type;  // of a subagent
  std::string tool;
  std::string profile;
  std::vector<std::string> paths;  // the paths that the arguments lead to
  std::optional<LoggedVerdict> verdict;
  std::optional<Rule> rule;  // the rule that decided
  std::string why;
  std::string server;  // the MCP server that the call names in addition to its tool
  std::string host;    // Cause::host; of a connection "host:port"
  // Of a connection:
  std::string protocol;       // "http", "tls", "connect", "socks5", "tcp", "dns"
  std::string method, path;   // of a plain HTTP request; the path has no query
  std::string address;        // that was connected to
  std::string upstream;       // "host:port" of the proxy that connects instead
  uint64_t status = 0;        // of the HTTP response; 0 if unknown
  uint64_t up = 0, down = 0;  // bytes
  uint64_t milliseconds = 0;
  // Of a stage:
  std::string stage;                       // its id
  uint64_t number = 0;                     // of the apply, from 1
  std::string by;                          // who decided: "--apply", "answer"
  std::string change;                      // "added", "removed", "modified", "mode"
  std::string moved_from;                  // the path from which `paths` was moved
  std::string result;                      // "applied", "merged", "held"
  std::optional<FileState> before, after;  // absent if the name does not exist
  std::string via;                         // "plugin" if the plugin registered the hook
  int64_t microseconds = 0;                // duration of the decision

  // Set only by ReadAuditEntry(); AppendToAudit() and InsideLog write them.
  bool is_inside = false;    // written in a sandbox; `time` is then the launcher's
  bool is_unlocked = false;  // written without the lock, possibly at the same time as other lines

  void Take(const Event& event);
  void Take(const Decision& decision);
};

// Returns the line without its chain and newline: {"time":...,"us":12
std::string AuditText(const AuditEntry& entry);
// True if `text` has that form: one JSON object on one line, without its last brace, with only
// members of the schema. For text from a sandbox.
bool IsAuditText(std::string_view text);

// Returns nothing if `line` is not a JSON object with a time. Ignores members of the wrong type and
// verdicts of later versions.
std::optional<AuditEntry> ReadAuditEntry(std::string_view line);

}  // namespace ringfence
