// Reads the input as each message of SOCKS 5. Where reads end makes no difference, and a host that
// comes out is canonical.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "policy/rules/domain.h"
#include "proxy/wire/socks.h"
#include "tests/support/wire_bytes.h"

using namespace ringfence;

namespace {

struct Outcome {
  Progress progress = Progress::kNeedsMore;
  std::string reason, content;
  size_t size = 0;

  bool operator==(const Outcome&) const = default;
};

Outcome Greeting(std::string_view bytes) {
  SocksGreeting greeting;
  WireError error;
  const Progress progress = ParseSocksGreeting(bytes, greeting, error);
  std::string content = greeting.offers_none ? "none" : "";
  if (greeting.offers_password) content += "password";
  return {progress, error.reason, content, greeting.size};
}

Outcome Login(std::string_view bytes) {
  SocksLogin login;
  WireError error;
  const Progress progress = ParseSocksLogin(bytes, login, error);
  return {progress, error.reason, Sized(login.user, 1) + login.password, login.size};
}

Outcome Request(std::string_view bytes) {
  SocksRequest request;
  WireError error;
  SocksReply reply{};
  const Progress progress = ParseSocksRequest(bytes, request, error, reply);
  if (progress == Progress::kDone) {
    const Result<std::string> host = PlainHost(request.host);
    Require(host && *host == request.host && request.port != 0);
  }
  if (progress == Progress::kBad) {
    Require(reply != SocksReply::kSucceeded && WriteSocksReply(reply).size() == 10);
    request.host = std::to_string(static_cast<int>(reply));
  }
  return {progress, error.reason, request.host + " " + std::to_string(request.port), request.size};
}

void Check(std::string_view bytes, Outcome parse(std::string_view)) {
  const Outcome whole = parse(bytes);
  Require((whole.progress == Progress::kBad) == !whole.reason.empty());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Outcome part = parse(bytes.substr(0, size));
    Require(part.progress == Progress::kNeedsMore || part == whole);
    if (whole.progress != Progress::kDone) continue;
    Require((part.progress == Progress::kDone) == (size >= whole.size));
  }
  if (whole.progress == Progress::kNeedsMore) return;
  Require(whole.size <= bytes.size() && parse(std::string(bytes) + "x") == whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMost = 600;  // bytes; the longest message has 513
  if (size > kMost) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  Check(input, Greeting);
  Check(input, Login);
  Check(input, Request);
  if (size <= 255) Check(FromHex("05010003") + Sized(input, 1) + FromHex("01bb"), Request);
  return 0;
}
