// InsideAlerts takes requests of hooks inside a sandbox and writes alerts outside. The sender may
// be hostile, so the launcher's policy decides again, and the alert has the launcher's words, inbox
// and rate limit.
#pragma once

#include <cstdint>
#include <string_view>

#include "hook/alert_request.h"
#include "policy/files/file_view.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// Allows forty requests at once, then forty a minute: each one needs disk access.
class RequestBudget {
 public:
  bool Take(int64_t unix_nanoseconds);

 private:
  static constexpr int64_t kEach = 1'500'000'000;  // nanoseconds per request
  static constexpr int64_t kMost = 40 * kEach;
  int64_t left_ = kMost;
  int64_t last_ = 0;
};

class InsideAlerts {
 public:
  InsideAlerts(const Policy& policy, const Places& places, const FileView& disk)
      : policy_(policy), places_(places), disk_(disk) {}

  // Returns true also if nothing is denied, so that the reply reveals no hidden files to a confined
  // process; false if the request is over the budget, or its alert cannot be written.
  // `why`: the sentence about a host that is known to have been refused, for a reason that the
  // policy alone does not give; "" for other requests.
  bool Take(const AlertRequest& request, std::string_view why, int64_t unix_nanoseconds);

 private:
  std::optional<std::string> TextOf(const AlertRequest& request) const;

  const Policy& policy_;
  const Places& places_;
  const FileView& disk_;
  RequestBudget budget_;
};

}  // namespace ringfence
