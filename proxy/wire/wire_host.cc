#include "proxy/wire/wire_host.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/result.h"
#include "policy/rules/domain.h"

namespace ringfence {

std::optional<std::string> PlainWireHost(std::string_view sent) {
  if (!std::ranges::all_of(sent, [](char c) { return IsPrintableAscii(c) && c != '%'; })) return {};
  Result<std::string> host = PlainHost(sent);
  if (!host) return {};
  return *std::move(host);
}

}  // namespace ringfence
