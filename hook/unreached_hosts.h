// The hosts that programs in an agent's sandbox failed to reach. The hook inside asks the launcher,
// because the output of a command proves nothing: a TLS client sees only a reset, and any program
// can claim that a host was refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct UnreachedHost {
  bool is_refused = true;  // otherwise permitted, and the connection failed
  std::string target;      // HOST:PORT; "" if none is named
  std::string sentence;    // for the model, on one line

  bool operator==(const UnreachedHost&) const = default;
};

constexpr size_t kMaxUnreached = 8;

struct UnreachedQuestion {
  int64_t milliseconds = 0;  // how far back
  bool only_new = false;     // without those that an earlier answer had

  bool operator==(const UnreachedQuestion&) const = default;
};
std::string UnreachedRequest(const UnreachedQuestion& question);
std::optional<UnreachedQuestion> ReadUnreachedRequest(std::string_view packet);

std::string UnreachedText(const std::vector<UnreachedHost>& hosts);
// Accepts only texts of UnreachedText(); returns at most kMaxUnreached hosts.
std::vector<UnreachedHost> ReadUnreached(std::string_view text);

}  // namespace ringfence
