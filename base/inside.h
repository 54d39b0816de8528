// Names in the private /dev of a ringfence sandbox. No process inside can change them.
#pragma once

namespace ringfence {

// Contains all of these names, and the mounts that only ringfence itself uses.
inline constexpr char kOwnDirectory[] = "/dev/.ringfence";

// SOCK_SEQPACKET socket of the launcher outside the sandbox. One packet is one audit log line
// without its chain, or a request (hook/alert_request.h, hook/unreached_hosts.h). The reply begins
// with kLauncherAccepts once the line is written or the request is carried out.
inline constexpr char kLauncherSocket[] = "/dev/.ringfence/log";

// Maximum length of a line in bytes: 8 paths, 4 names, the rule and the reason, each byte escaped
// as six.
inline constexpr unsigned kMaxAuditLine = 64 * 1024;

inline constexpr char kLauncherAccepts = '1';
inline constexpr unsigned kMaxLauncherReply = 16 * 1024;  // bytes

// Exists if a supervisor carries out calls. Linking a file to this name passes the supervisor the
// rules of a nested sandbox.
inline constexpr char kRulesName[] = "/dev/.ringfence/rules";

}  // namespace ringfence
