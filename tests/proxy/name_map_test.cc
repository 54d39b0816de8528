#include "proxy/name_map.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

TEST_CASE("name map: each name has an address of its own") {
  NameMap map;
  CHECK(map.AddressOf("a.example") == Ipv4{198, 18, 1, 0});
  CHECK(map.AddressOf("b.example") == Ipv4{198, 18, 1, 1});
  CHECK(map.AddressOf("a.example") == Ipv4{198, 18, 1, 0});
  CHECK(map.size() == 2);
}

TEST_CASE("name map: an address tells its name") {
  NameMap map;
  CHECK(map.NameOf({198, 18, 1, 0}) == nullptr);
  REQUIRE(map.AddressOf("a.example"));
  const std::string* name = map.NameOf({198, 18, 1, 0});
  REQUIRE(name != nullptr);
  // It stays valid while others come.
  for (int i = 0; i < 5000; ++i) map.AddressOf(std::to_string(i) + ".example");
  CHECK(*name == "a.example");
  CHECK(map.NameOf({198, 18, 1, 0}) == name);
}

TEST_CASE("name map: an address that was not handed out has no name") {
  NameMap map;
  REQUIRE(map.AddressOf("a.example"));
  for (const Ipv4& address :
       {Ipv4{198, 18, 0, 0}, Ipv4{198, 18, 0, 1}, Ipv4{198, 18, 0, 255}, Ipv4{198, 18, 1, 1},
        Ipv4{198, 19, 255, 255}, Ipv4{198, 20, 0, 0}, Ipv4{198, 17, 255, 255}, Ipv4{0, 0, 0, 0},
        Ipv4{255, 255, 255, 255}, Ipv4{127, 0, 0, 1}}) {
    CAPTURE(address);
    CHECK(map.NameOf(address) == nullptr);
  }
}

TEST_CASE("name map: the root has no address") {
  NameMap map;
  CHECK_FALSE(map.AddressOf(""));
  CHECK(map.size() == 0);
}

TEST_CASE("name map: after the last address there is none") {
  NameMap map;
  for (size_t i = 0; i < NameMap::kMaxNames; ++i) {
    REQUIRE(map.AddressOf("n" + std::to_string(i)));
  }
  CHECK(map.size() == NameMap::kMaxNames);
  CHECK_FALSE(map.AddressOf("one-more.example"));
  CHECK(map.AddressOf("n0") == Ipv4{198, 18, 1, 0});
  CHECK(map.AddressOf("n255") == Ipv4{198, 18, 1, 255});
  CHECK(map.AddressOf("n256") == Ipv4{198, 18, 2, 0});
  CHECK(map.AddressOf("n130815") == Ipv4{198, 19, 255, 255});
  REQUIRE(map.NameOf({198, 19, 255, 255}) != nullptr);
  CHECK(*map.NameOf({198, 19, 255, 255}) == "n130815");
  CHECK(map.NameOf({198, 20, 0, 0}) == nullptr);
}

TEST_CASE("name map: its range is 198.18.0.0/15") {
  CHECK(NameMap::IsInRange({198, 18, 0, 0}));
  CHECK(NameMap::IsInRange({198, 18, 1, 0}));
  CHECK(NameMap::IsInRange({198, 19, 255, 255}));
  CHECK_FALSE(NameMap::IsInRange({198, 17, 255, 255}));
  CHECK_FALSE(NameMap::IsInRange({198, 20, 0, 0}));
  CHECK_FALSE(NameMap::IsInRange({18, 198, 0, 0}));
  CHECK_FALSE(NameMap::IsInRange({199, 18, 0, 0}));
}
