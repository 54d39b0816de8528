#include "cli/permit/misread_host.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "policy/evaluate/host_or_file.h"
#include "policy/rules/domain.h"

namespace ringfence {

std::optional<Error> MisspeltHost(const std::string& word) {
  if (word.find('/') != std::string::npos || ::access(word.c_str(), F_OK) == 0) return {};
  const std::string lower = LowerAscii(word);
  const size_t colon = lower.rfind(':');
  const bool has_number = colon != std::string::npos && colon + 1 < lower.size() &&
                          lower.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  const Result<HostRule> rule = ParseHostRule(lower);
  const std::string_view host = std::string_view(lower).substr(0, colon);
  const bool has_host =
      colon != std::string::npos && !IsReservedName(host) &&
      (has_number ? ParseHostRule(host).has_value() : KindOfName(host) == NameKind::kHost);
  if (has_host && !rule) {
    return UsageError(Quote(word),
                      has_number ? rule.error().what : "has a port that is not a number",
                      "name one port of the host, or leave it out for the ports 80 and 443");
  }
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(word, is_ascii) || word.find('.') == std::string::npos) return {};
  return UsageError(Quote(word),
                    "does not exist here, and a host's name has only the letters of ASCII",
                    "write an international name in its ASCII form (xn--...), or say that it is a "
                    "path: --as path");
}

std::optional<Error> HostThatExistsHere(const std::string& word) {
  if (word.find('/') != std::string::npos || ::access(word.c_str(), F_OK) != 0) return {};
  const std::string_view name(word.data(), word.size() - (word.ends_with('.') ? 1 : 0));
  if (KindOfName(name) != NameKind::kHost) return {};
  return UsageError(Quote(word), "is a host's name, and exists here as a file or directory, too",
                    "say which it is: --as host or --as path");
}

}  // namespace ringfence
