// After a call: what its failure was about, told to the model and to the inbox of the policy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hook/alert_request.h"
#include "hook/denials.h"

namespace ringfence {

struct ResultNotes {
  std::string model;                  // "": nothing
  std::string user;                   // "": nothing
  std::optional<Decision> unwrapped;  // for the log
  struct Item {
    AlertRequest request;
    std::string text;  // of the alert
  };
  std::vector<Item> alerts;
};

// A command that ran although it was to be wrapped.
Cause UnwrappedCause(std::string_view tool);

// How the tool ran.
struct Ran {
  bool unwrapped = false;  // a command that was to be wrapped
  bool confined = false;   // in a sandbox of ringfence's
};
ResultNotes TellResult(const Event& event, const Surroundings& around, Ran ran);

// Writes the alerts, or has the launcher outside write them. Every failure is in the result.
std::vector<Error> RaiseAlerts(const std::vector<ResultNotes::Item>& alerts, const Policy& policy,
                               const Places& places, int64_t unix_nanoseconds);

}  // namespace ringfence
