// The trust store: the project policies that the user has reviewed and pinned. `ringfence trust`
// writes it to ~/.local/state/ringfence/trust.json; no agent can write there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct TrustedProject {
  std::string root;    // resolved
  std::string sha256;  // of the policy's bytes, lower case hex

  bool operator==(const TrustedProject&) const = default;
};

Result<std::vector<TrustedProject>> ParseTrustStore(std::string text, std::string shown);
std::string RenderTrustStore(const std::vector<TrustedProject>& projects);

bool IsTrusted(const std::vector<TrustedProject>& projects, std::string_view root,
               std::string_view sha256);

// Return paths below a home directory.
std::string StateFolder(const std::string& home);
std::string TrustStorePath(const std::string& home);

}  // namespace ringfence
