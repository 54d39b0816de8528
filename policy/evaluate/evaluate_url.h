// Finds the host that a URL, or a text like one, leads to; evaluate_host.h decides whether it may
// be reached.
#pragma once

#include <string_view>

#include "policy/evaluate/evaluate_tool.h"

namespace ringfence {

// True if `text` begins with http://, https://, ws:// or wss://.
bool IsWebUrl(std::string_view text);

// True if programs connect to the host in a URL of this scheme, which is in lower case: "ssh",
// "git+https", "mongodb+srv".
bool ReachesHost(std::string_view scheme);

// Both take `text` as the agent wrote it and skip the host if the policy has no "network". `trace`
// may be null.

// Evaluates a web URL and denies any other text. file: URLs are not evaluated here.
NameDecision EvaluateUrl(std::string_view text, const Policy& policy, Trace* trace = nullptr);

// Evaluates "host" or "host:port", without a scheme; the port defaults to 443.
NameDecision EvaluateAuthority(std::string_view text, const Policy& policy, Trace* trace = nullptr);

}  // namespace ringfence
