// Reads the input as the authority of a request. The proxy never reads another host or port than
// the hook and `ringfence explain`, who read the same text as a part of a URL.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "fuzz/require.h"
#include "policy/rules/domain.h"
#include "proxy/wire/http_authority.h"

using namespace ringfence;

namespace {

std::string Written(const HttpAuthority& authority) {
  return authority.host + (authority.port == 0 ? "" : ":" + std::to_string(authority.port));
}

// A host that is read is canonical: writing it and reading it again changes nothing.
void CheckCanonical(const HttpAuthority& authority) {
  const std::string& host = authority.host;
  Require(!host.empty() && std::ranges::all_of(host, IsPrintableAscii));
  Require(host.find_first_of(" %@/\\?#") == std::string::npos);
  const Result<std::string> plain = PlainHost(host);
  Require(plain && *plain == host);
  HttpAuthority again;
  WireError error;
  Require(ReadHttpAuthority(Written(authority), again, error) && again == authority);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  HttpAuthority authority;
  WireError error;
  if (!ReadHttpAuthority(text, authority, error)) {
    Require(!error.reason.empty() && authority == HttpAuthority());
    return 0;
  }
  CheckCanonical(authority);
  const Result<HostPort> of_hook = ParseHostPort(text);
  if (of_hook) Require(of_hook->host == authority.host && of_hook->port == authority.port);
  const Result<Url> url = ParseUrl("http://" + std::string(text) + "/");
  const uint16_t port = authority.port == 0 ? 80 : authority.port;
  if (url) Require(url->host == authority.host && url->port == port);
  return 0;
}
