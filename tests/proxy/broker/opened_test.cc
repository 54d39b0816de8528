#include "proxy/broker/opened.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

std::string AddressFor(const KnownConnections& connections, uint64_t connection) {
  Opened request{.protocol = "http", .host = "a.example", .port = 80, .connection = connection};
  connections.Complete(request);
  return request.address;
}

}  // namespace

TEST_CASE("opened: the addresses of the latest connections are known") {
  constexpr uint64_t kMore = 1025;
  KnownConnections connections;
  for (uint64_t id = 1; id <= kMore; ++id) {
    connections.Add(id, {.protocol = "http",
                         .host = "a.example",
                         .port = 80,
                         .address = "203.0.113." + std::to_string(id)});
  }
  CHECK(AddressFor(connections, 1).empty());
  CHECK(AddressFor(connections, 2) == "203.0.113.2");
  CHECK(AddressFor(connections, kMore) == "203.0.113.1025");
  CHECK(AddressFor(connections, 0).empty());
}
