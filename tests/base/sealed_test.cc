#include "base/sealed.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

namespace {

constexpr std::string_view kHeader = "a header 1\n";

TEST_CASE("a sealed text has its content") {
  for (const std::string& content : {std::string(), std::string("some\0bytes\n", 11)}) {
    CAPTURE(content);
    const std::string sealed = Seal(kHeader, content);
    REQUIRE(sealed.starts_with(kHeader));
    CHECK(Unseal(kHeader, sealed) == content);
  }
}

TEST_CASE("a text that is damaged, cut or of another version has none") {
  const std::string sealed = Seal(kHeader, "content");
  CHECK_FALSE(Unseal("a header 2\n", sealed));
  for (size_t size = 0; size < sealed.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(Unseal(kHeader, sealed.substr(0, size)));
  }
  for (size_t i = 0; i < sealed.size(); ++i) {
    CAPTURE(i);
    std::string damaged = sealed;
    damaged[i] ^= 1;
    CHECK_FALSE(Unseal(kHeader, damaged));
  }
}

}  // namespace
