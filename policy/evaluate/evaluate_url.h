// Which host a URL, or a text like one, leads to, and whether that may be reached: evaluate_host.h
// decides.
#pragma once

#include <string_view>

#include "policy/evaluate/evaluate_tool.h"

namespace ringfence {

// Begins with http://, https://, ws:// or wss://.
bool IsWebUrl(std::string_view text);

// By URLs of this scheme, in lower case, programs connect to the host that is named: "ssh",
// "git+https", "mongodb+srv".
bool ReachesHost(std::string_view scheme);

// Both take `text` as the agent wrote it and evaluate no host without "network" in the policy.
// `trace` may be null.

// A URL for the web; any other is denied. file: URLs are not evaluated here.
NameDecision EvaluateUrl(std::string_view text, const Policy& policy, Trace* trace = nullptr);

// "host" or "host:port", without a scheme; port 443 where none is given.
NameDecision EvaluateAuthority(std::string_view text, const Policy& policy, Trace* trace = nullptr);

}  // namespace ringfence
