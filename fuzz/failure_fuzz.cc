// The output of a confined program that failed, and the requests of confined programs to the
// launcher: names are bounded and well-formed, and a request survives being written and read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/require.h"
#include "hook/alert_rate.h"
#include "hook/alert_request.h"
#include "hook/failure.h"

using namespace ringfence;

namespace {

void CheckNames(std::string_view text) {
  const std::vector<Named> names = NamesInFailure(text);
  Require(names.size() <= kMaxNamed);
  for (const Named& named : names) {
    Require(!named.text.empty());
    Require(std::ranges::count(names, named) == 1);
    if (named.kind != Named::Kind::kHost) continue;
    Require(named.text.find_first_of("/@ \n\"'\\") == std::string::npos);
  }
}

void CheckRequest(std::string_view text) {
  const auto request = ReadAlertRequest(text);
  if (request) Require(ReadAlertRequest(AlertRequestText(*request)) == request);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const void* bytes = data;
  const std::string_view text(static_cast<const char*>(bytes), size);
  CheckNames(text);
  CheckRequest(text);
  const std::string rate = AlertRate::Read(text).text();
  Require(rate.size() <= AlertRate::kMostText && AlertRate::Read(rate).text() == rate);
  return 0;
}
