#include "proxy/broker/resolver.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

// Names that need no server: of /etc/hosts, and such as no server could be asked for.
constexpr const char* kLocal = "localhost";
std::string Impossible(int number) {
  return std::string(64, 'x') + std::to_string(number) + ".example";
}

struct Resolving {
  boost::asio::io_context io{1};
  Resolver resolver{io};
  std::vector<Resolver::Found> found;

  void Resolve(const std::string& name) {
    resolver.Resolve(name, [this](const Resolver::Found& answer) { found.push_back(answer); });
  }
  bool Finds(size_t count) {
    return RunUntil(io, [this, count] { return found.size() >= count; });
  }
};

}  // namespace

TEST_CASE("resolver: the addresses of a name, without repetition") {
  Resolving resolving;
  resolving.Resolve(kLocal);
  CHECK(resolving.found.empty());
  REQUIRE(resolving.Finds(1));
  std::vector<Address> addresses = resolving.found[0].addresses;
  REQUIRE_FALSE(addresses.empty());
  for (const Address& address : addresses) {
    const std::string text = AddressText(address);
    CHECK((text == "[::1]" || text.starts_with("127.")));
  }
  std::ranges::sort(addresses);
  CHECK(std::ranges::adjacent_find(addresses) == addresses.end());
  // Known for a while.
  resolving.Resolve(kLocal);
  CHECK(resolving.found.size() == 2);
}

TEST_CASE("resolver: lookups of the same name are one") {
  Resolving resolving;
  for (int i = 0; i < 3; ++i) resolving.Resolve(kLocal);
  resolving.Resolve(Impossible(1));
  REQUIRE(resolving.Finds(4));
  const auto fails = [](const Resolver::Found& found) { return found.addresses.empty(); };
  CHECK(std::ranges::count_if(resolving.found, fails) == 1);
  CHECK_FALSE(std::ranges::find_if(resolving.found, fails)->error.empty());
}

TEST_CASE("resolver: a handler may look up more") {
  Resolving resolving;
  resolving.resolver.Resolve(kLocal, [&](const Resolver::Found&) {
    for (int i = 0; i < 100; ++i) resolving.Resolve(Impossible(i));
    resolving.Resolve(kLocal);
  });
  CHECK(resolving.Finds(101));
}

TEST_CASE("resolver: there is a largest number of lookups") {
  Resolving resolving;
  constexpr size_t kMost = 4096;
  for (size_t i = 0; i < kMost; ++i) resolving.Resolve(Impossible(static_cast<int>(i)));
  CHECK(resolving.found.empty());
  resolving.Resolve(kLocal);
  REQUIRE(resolving.found.size() == 1);
  CHECK(resolving.found[0].error == "too many lookups at once");
  CHECK(resolving.Finds(kMost + 1));
}
