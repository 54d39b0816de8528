// The trust store: which project's policy a person has looked at and pinned. Kept at
// ~/.local/state/ringfence/trust.json, written by `ringfence trust`, writable by no agent.
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

// Below a home directory.
std::string StateFolder(const std::string& home);
std::string TrustStorePath(const std::string& home);

}  // namespace ringfence
