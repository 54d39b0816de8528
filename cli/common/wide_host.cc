#include "cli/common/wide_host.h"

#include <optional>

#include "base/text.h"
#include "policy/rules/address_range.h"
#include "policy/rules/domain.h"

namespace ringfence {

std::string WideHostText(std::string_view text) {
  const std::string_view host = text.substr(0, text.find(':'));
  if (host == "*") return "every host";
  const bool is_top = host.starts_with("*.") && host.find('.', 2) == std::string_view::npos;
  if (is_top) return "every host below " + Quote(host.substr(1));
  const std::string lower = LowerAscii(text);
  const Result<HostRule> rule = ParseHostRule(lower);
  const std::optional<Address> address = rule ? ParseAddress(rule->host) : std::nullopt;
  return address && MayGiveCredentials(*address)
             ? "an address at which clouds give credentials to whoever asks"
             : "";
}

}  // namespace ringfence
