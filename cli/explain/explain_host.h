// Explains the connections of a sandboxed command to a host, as the egress proxy decides them
// before it looks the name up. Nothing is looked up here either, so the addresses are unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "policy/decision.h"
#include "policy/policy.h"

namespace ringfence {

// The host that the user named.
struct HostQuestion {
  std::string text;     // as typed
  std::string host;     // may be "*.host"
  uint16_t port = 0;    // 0 means 80 and 443
  std::string web_url;  // the URL for WebFetch; "" if the port is not 80 or 443
};

// Reads "host", "host:port" or a URL. Returns an error for a URL without a host or a known port.
Result<HostQuestion> ReadHostQuestion(const std::string& text);

struct ExplainedConnection {
  std::string target;  // as the user typed it, or with the port
  Decision decision = {};
  std::string how;  // the route of a permitted connection
  Trace trace = {};
  std::string note = {};
};

// `policy` is that of a command. Returns one connection, or those to the ports 80 and 443 if they
// differ.
std::vector<ExplainedConnection> ExplainConnections(const HostQuestion& question,
                                                    const Policy& policy);

void PrintConnection(const ExplainedConnection& explained);
OrderedJson ConnectionJson(const ExplainedConnection& explained);

}  // namespace ringfence
