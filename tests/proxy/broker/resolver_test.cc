#include "proxy/broker/resolver.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
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
  Resolver resolver;
  std::vector<Resolver::Found> found;

  Resolving() : resolver(io) {}
  explicit Resolving(Resolver::Function look_up) : resolver(io, std::move(look_up)) {}

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

namespace {

// Lookups below stalls.example end when they are told to.
class Stalling {
 public:
  Resolver::Found LookUp(const std::string& name) {
    std::unique_lock lock(mutex_);
    if (!name.ends_with(".stalls.example")) return {{}, name};
    ++stalled_;
    most_ = std::max(most_, stalled_);
    wake_.notify_all();
    wake_.wait(lock, [this] { return is_over_; });
    --stalled_;
    return {{}, name};
  }
  void Await(size_t count) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this, count] { return stalled_ >= count; });
  }
  void End() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    wake_.notify_all();
  }
  size_t most() const { return most_; }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  size_t stalled_ = 0, most_ = 0;
  bool is_over_ = false;
};

}  // namespace

TEST_CASE("resolver: lookups of one domain that stall hold up no others") {
  Stalling stalling;
  Resolving resolving([&stalling](const std::string& name) { return stalling.LookUp(name); });
  constexpr size_t kStalls = 300;
  for (size_t i = 0; i < kStalls; ++i) {
    resolving.Resolve(std::to_string(i) + ".stalls.example");
  }
  stalling.Await(Resolver::kMaxOfDomain);
  for (const char* name : {"plain.example", "a.b.c.example", "localhost", "."}) {
    resolving.Resolve(name);
  }
  CHECK(resolving.Finds(4));
  stalling.End();
  CHECK(resolving.Finds(kStalls + 4));
  CHECK(stalling.most() == Resolver::kMaxOfDomain);
}
