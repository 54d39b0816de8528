// Names in the private /dev of a ringfence sandbox. No process inside can change them.
#pragma once

namespace ringfence {

// Contains all of these names, and the mounts that only ringfence itself uses.
inline constexpr char kOwnDirectory[] = "/dev/.ringfence";

// SOCK_SEQPACKET socket of the launcher outside the sandbox. One packet is one audit log line
// without its chain; the reply is one byte, '1' once the line is written.
inline constexpr char kAuditSocket[] = "/dev/.ringfence/log";

// Maximum length of a line in bytes: 8 paths, 4 names, the rule and the reason, each byte escaped
// as six.
inline constexpr unsigned kMaxAuditLine = 64 * 1024;

// Exists if a supervisor carries out calls. Linking a file to this name passes the supervisor the
// rules of a nested sandbox.
inline constexpr char kRulesName[] = "/dev/.ringfence/rules";

}  // namespace ringfence
