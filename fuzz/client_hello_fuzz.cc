// Reads a ClientHello from the input, and from one that has the input as its extensions. Where
// records and reads end makes no difference, and a name that comes out is a canonical host name.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "policy/rules/address.h"
#include "policy/rules/domain.h"
#include "proxy/wire/client_hello.h"
#include "tests/support/wire_bytes.h"

using namespace ringfence;

namespace {

constexpr size_t kRecordHeader = 5;
constexpr size_t kMostCuts = 64;

struct Outcome {
  Progress progress = Progress::kNeedsMore;
  std::string server_name, reason;
  bool has_ech = false;

  bool operator==(const Outcome&) const = default;
};

Outcome Parse(std::string_view bytes) {
  ClientHello hello;
  WireError error;
  const Progress progress = ParseClientHello(bytes, hello, error);
  Require((progress == Progress::kBad) == !error.reason.empty());
  return {progress, hello.server_name, error.reason, hello.has_ech};
}

void CheckCuts(std::string_view bytes, const Outcome& whole) {
  const size_t step = std::max<size_t>(1, bytes.size() / kMostCuts);
  for (size_t size = 0; size < bytes.size(); size += step) {
    const Outcome part = Parse(bytes.substr(0, size));
    Require(part.progress == Progress::kNeedsMore || part == whole);
    Require(size == 0 || LooksLikeTls(bytes.substr(0, size)) || whole.progress == Progress::kBad);
  }
  if (whole.progress != Progress::kNeedsMore) Require(Parse(std::string(bytes) + "x") == whole);
}

// The handshake message in records that are well-formed as far as it goes.
std::string MessageOf(std::string_view bytes) {
  std::string message;
  size_t size = 4;
  while (message.size() < size) {
    const size_t length = static_cast<uint8_t>(bytes[3]) * 256u + static_cast<uint8_t>(bytes[4]);
    message += bytes.substr(kRecordHeader, length);
    bytes.remove_prefix(kRecordHeader + length);
    if (message.size() < 4) continue;
    size = 4 + static_cast<uint8_t>(message[1]) * 65536u + static_cast<uint8_t>(message[2]) * 256u +
           static_cast<uint8_t>(message[3]);
  }
  return message;
}

void CheckOtherRecords(std::string_view message, size_t record_size, const Outcome& whole) {
  std::string bytes;
  for (size_t at = 0; at < message.size(); at += record_size) {
    bytes += FromHex("160303") + Sized(message.substr(at, record_size), 2);
  }
  const Outcome other = Parse(bytes);
  Require(bytes.size() > kMaxClientHello ? other.progress == Progress::kBad : other == whole);
}

void Check(std::string_view bytes) {
  const Outcome whole = Parse(bytes);
  CheckCuts(bytes, whole);
  if (whole.progress != Progress::kDone) return;
  const std::string message = MessageOf(bytes);
  for (const size_t size : {1u, 2u, 5u, 64u, 1500u}) CheckOtherRecords(message, size, whole);
  if (whole.server_name.empty()) return;
  const Result<std::string> host = PlainHost(whole.server_name);
  Require(host && *host == whole.server_name && !ParseAddress(*host));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  Check(input);
  if (size > kMaxClientHello) return 0;
  const std::string body = FromHex("0303") + std::string(32, 'r') + FromHex("00 0002 1301 0100");
  const std::string hello = FromHex("01") + Sized(body + Sized(input, 2), 3);
  Check(FromHex("160301") + Sized(hello, 2));
  return 0;
}
