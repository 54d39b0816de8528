#include "proxy/wire/http_authority.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/read_number.h"
#include "proxy/wire/http_line.h"
#include "proxy/wire/wire_host.h"

namespace ringfence {
namespace {

// Other programs read "+80", "080" or 65616 (80 modulo 2^16) each in its own way.
bool ReadHttpPort(std::string_view text, uint16_t& port) {
  constexpr size_t kMostDigits = 5;
  return !text.empty() && text.size() <= kMostDigits && text[0] != '0' &&
         std::ranges::all_of(text, IsDigit) && ReadNumber(text, port);
}

}  // namespace

bool ReadHttpAuthority(std::string_view text, HttpAuthority& authority, WireError& error) {
  if (text.find('@') != std::string_view::npos) {
    return RefuseHttp(error, "has a user name before its host");
  }
  const size_t address_end = text.starts_with('[') ? text.find(']') : 0;
  const size_t colon = std::min(text.find(':', address_end), text.size());
  const std::string_view written = text.substr(0, colon);
  // PlainWireHost() would drop a dot after the "]".
  const bool is_cut = written.starts_with('[') && !written.ends_with(']');
  std::optional<std::string> host = PlainWireHost(written);
  if (is_cut || !host) {
    return RefuseHttp(error, "has a host that is not a plain name or address");
  }
  uint16_t port = 0;
  if (colon < text.size() && !ReadHttpPort(text.substr(colon + 1), port)) {
    return RefuseHttp(error, "has a port that is not 1 to 65535");
  }
  authority = {.host = *std::move(host), .port = port};
  return true;
}

}  // namespace ringfence
