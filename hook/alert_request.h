// Message of a hook inside a sandbox to the launcher outside, which alone can write an alert: facts
// of the event, but not the text of the alert.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "hook/alert.h"
#include "hook/failure.h"

namespace ringfence {

constexpr size_t kMaxAlertRequest = size_t{16} * 1024;

struct AlertRequest {
  Alert::Kind kind = Alert::Kind::kDenial;
  Named named;  // for a denial
  std::string cwd;
  std::string tool;
  std::string session;

  bool operator==(const AlertRequest&) const = default;
};

std::string AlertRequestText(const AlertRequest& request);

// Both accept only texts of AlertRequestText(); IsAlertRequest() checks only the beginning.
bool IsAlertRequest(std::string_view text);
std::optional<AlertRequest> ReadAlertRequest(std::string_view text);

}  // namespace ringfence
