#include "base/json_pointer.h"

#include <doctest/doctest.h>

using namespace ringfence;

TEST_CASE("json pointer: special characters of a key are escaped") {
  std::string pointer = "/";
  AppendPointerKey(pointer, "a~b/c");
  CHECK(pointer == "/a~0b~1c");
  CHECK(DecodePointerKey("a~0b~1c") == "a~b/c");
  CHECK(DecodePointerKey("a~") == "a~");
}

TEST_CASE("json pointer: users may write dots between keys") {
  CHECK(DottedKey("/sandbox/network/allowedDomains") == "sandbox.network.allowedDomains");
  CHECK(DottedKey("/hooks") == "hooks");
}
