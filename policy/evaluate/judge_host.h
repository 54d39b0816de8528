// Whether a host may be reached, by its name or address and its port. Every way to a host is judged
// by one function; the others only read one out of a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "policy/evaluate/judge_tool.h"
#include "policy/rules/domain.h"

namespace ringfence {

// Without "network" in the policy no host is judged. `trace` may be null.

// "host" or "host:port", without a scheme; port 443 where none is given.
NameJudgement JudgeHostText(std::string_view text, const Policy& policy, Trace* trace = nullptr);

// A host or "*.host" that a command asks to reach: all of it must be permitted, and no part denied.
NameJudgement JudgeHosts(std::string_view text, const Policy& policy, Trace* trace = nullptr);

// Begins with http://, https://, ws:// or wss://.
bool IsWebUrl(std::string_view text);

// By URLs of this scheme, in lower case, programs connect to the host that is named: "ssh",
// "git+https", "mongodb+srv".
bool ReachesHost(std::string_view scheme);

// `text` as the agent wrote it. file: URLs are not judged here.
NameJudgement JudgeUrl(std::string_view text, const Policy& policy, Trace* trace = nullptr);

}  // namespace ringfence
