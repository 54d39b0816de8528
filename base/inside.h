// What a process inside a sandbox of ringfence's finds there: names in the sandbox's own /dev,
// which nobody inside can change.
#pragma once

namespace ringfence {

// All of that, and what ringfence mounts there for itself alone.
inline constexpr char kOwnDirectory[] = "/dev/.ringfence";

// A SOCK_SEQPACKET socket of the launcher outside: one packet is a line for the audit log, without
// its chain; the answer is one byte, '1' once the line is written.
inline constexpr char kAuditSocket[] = "/dev/.ringfence/log";

// The longest line: 8 paths, 4 names, the rule and the reason, each byte escaped as six.
inline constexpr unsigned kMaxAuditLine = 64 * 1024;

// Is there where a supervisor carries out calls. Linking a file to this name hands it the rules of
// a sandbox inside this one.
inline constexpr char kRulesName[] = "/dev/.ringfence/rules";

}  // namespace ringfence
