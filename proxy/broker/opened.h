// A connection, or a request on one, from the worker's question to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit_log/entry.h"
#include "policy/decision.h"
#include "proxy/broker/failure_notices.h"

namespace ringfence {

struct Opened {
  std::string protocol;
  std::string host;
  uint16_t port = 0;
  bool only_assess = false;
  uint64_t connection = 0;               // on which it is another request; 0 for none
  std::optional<AuditEntry::Rule> rule;  // that permitted it
  std::string address, upstream;         // as in Connection
  FailureNotices::Wait wait;             // until it is answered
  int64_t permitted_at = 0;              // nanoseconds, CLOCK_MONOTONIC

  // Of what was refused for its form, there may be no port, and not even a host.
  std::string target() const { return port == 0 ? host : host + ":" + std::to_string(port); }
  // What is known for the log.
  AuditEntry Entry() const;
};

// Where the latest connections lead, for the log of further requests on them. The worker does not
// say when one ends.
class KnownConnections {
 public:
  void Add(uint64_t id, const Opened& opened);
  // Adds the address to a request on a known connection to the same target.
  void Complete(Opened& request) const;

 private:
  struct Place {
    std::string target, address, upstream;
  };
  std::map<uint64_t, Place> places_;
};

// Reads a question of the worker and its id: id, protocol, host, port, and for another request the
// id of its connection. Returns nothing if it makes no sense.
std::optional<Opened> ReadQuestion(const std::vector<std::string>& fields, uint64_t& id);

AuditEntry::Rule RuleAt(const RulePlace& place);

}  // namespace ringfence
