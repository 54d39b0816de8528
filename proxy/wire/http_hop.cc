#include "proxy/wire/http_hop.h"

#include <algorithm>

#include "base/text.h"
#include "proxy/wire/http_line.h"

namespace ringfence {

std::vector<std::string_view> HttpListOf(const std::vector<HttpHeader>& headers,
                                         std::string_view name) {
  std::vector<std::string_view> items;
  for (const HttpHeader& header : headers) {
    if (!IsHeader(header.name, name)) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const std::string_view item = TrimHttpSpace(TakeUntil(rest, ','));
      if (!item.empty()) items.push_back(item);
    }
  }
  return items;
}

bool HasListItem(std::span<const std::string_view> items, std::string_view wanted) {
  return std::ranges::any_of(items, [&](std::string_view item) { return IsHeader(item, wanted); });
}

bool IsForOneHop(std::string_view name, std::span<const std::string_view> options) {
  constexpr std::string_view kNames[] = {"Connection",    "Keep-Alive",        "TE",
                                         "Trailer",       "Transfer-Encoding", "Upgrade",
                                         "HTTP2-Settings"};
  constexpr std::string_view kProxy = "Proxy-";
  return HasListItem(kNames, name) || IsHeader(name.substr(0, kProxy.size()), kProxy) ||
         HasListItem(options, name);
}

}  // namespace ringfence
