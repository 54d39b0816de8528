// InsideAlerts: takes what hooks inside a sandbox tell the launcher, and writes alerts outside.
// Whoever asks may be hostile: the policy of the launcher decides again, its words are written,
// into its inbox, and at its pace.
#pragma once

#include <cstdint>
#include <string_view>

#include "hook/alert_request.h"
#include "policy/files/file_view.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// Forty at once, and then forty a minute: each costs a look at the disk.
class RequestBudget {
 public:
  bool Take(int64_t unix_nanoseconds);

 private:
  static constexpr int64_t kEach = 1'500'000'000;  // nanoseconds that one is worth
  static constexpr int64_t kMost = 40 * kEach;
  int64_t left_ = kMost;
  int64_t last_ = 0;
};

class InsideAlerts {
 public:
  InsideAlerts(const Policy& policy, const Places& places, const FileView& disk)
      : policy_(policy), places_(places), disk_(disk) {}

  // True where it was understood, whatever was then decided: the answer tells nobody inside about
  // files that it cannot see.
  bool Take(std::string_view text, int64_t unix_nanoseconds);

 private:
  std::optional<std::string> TextOf(const AlertRequest& request) const;

  const Policy& policy_;
  const Places& places_;
  const FileView& disk_;
  RequestBudget budget_;
};

}  // namespace ringfence
