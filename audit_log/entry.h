// The schema of the audit log (docs/audit-log.md): one entry, as it is written and read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/decision.h"
#include "policy/event.h"

namespace ringfence {

struct AuditEntry {
  struct Rule {
    std::string file;
    uint64_t line = 0;  // from 1; 0: of the built-in policy
    std::string pointer;

    std::string text() const;  // "policy.json:6 /write/allow"
  };

  std::string time;   // AuditTime(); of the writer, also where that was in a sandbox
  std::string event;  // the client's, or SandboxStart, SandboxDenied of `ringfence run`
  std::string session;
  std::string agent_id, agent_type;  // of a subagent
  std::string tool;
  std::string profile;
  std::vector<std::string> paths;  // where the arguments lead
  std::string verdict;             // permit, ask, deny, error, alert
  std::optional<Rule> rule;        // that decided
  std::string why;
  std::string server;        // the MCP server that the call names besides its tool
  int64_t microseconds = 0;  // that the decision took

  // Only read; AppendToAudit() adds them.
  bool is_inside = false;    // written in a sandbox; `time` is the launcher's
  bool is_unlocked = false;  // without the lock, so that others may have been written meanwhile

  void Take(const Event& event);
  void Take(const Decision& decision);
};

// The line without its chain and newline: {"time":...,"us":12
std::string AuditText(const AuditEntry& entry);
// Whether `text` has that form, for text from a sandbox: one JSON object on one line, without its
// last brace, with members of the schema.
bool IsAuditText(std::string_view text);

// Nothing for text that is not a JSON object with a time. Members of another type are left out.
std::optional<AuditEntry> ReadAuditEntry(std::string_view line);

}  // namespace ringfence
