// After a call: reports the cause of its failure to the model and to the policy's inbox.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hook/alert_request.h"
#include "hook/denials.h"
#include "hook/unreached_hosts.h"

namespace ringfence {

struct ResultNotes {
  std::string model;                  // may be empty
  std::string user;                   // may be empty
  std::optional<Decision> unwrapped;  // for the log
  struct Item {
    AlertRequest request;
    std::string text;  // text of the alert
  };
  std::vector<Item> alerts;
};

// The cause to report for a command that ran unwrapped although the policy wraps commands.
Cause UnwrappedCause(std::string_view tool);

// The conditions under which the tool ran.
struct Ran {
  bool unwrapped = false;  // a command that must be wrapped was not
  ProgramSandbox sandbox = ProgramSandbox::kNone;
  // From the launcher of an agent's sandbox; nothing if it cannot say.
  std::optional<std::vector<UnreachedHost>> unreached;
};
ResultNotes TellResult(const Event& event, const Surroundings& around, const Ran& ran);

// Asks the launcher outside for the hosts that the event's tool did not reach; after a success,
// only for those that no earlier answer had.
std::optional<std::vector<UnreachedHost>> AskForUnreached(const Event& event);

// Writes the alerts, or has the launcher outside write them. Returns all failures.
std::vector<Error> RaiseAlerts(const std::vector<ResultNotes::Item>& alerts, const Policy& policy,
                               const Places& places, int64_t unix_nanoseconds);

}  // namespace ringfence
