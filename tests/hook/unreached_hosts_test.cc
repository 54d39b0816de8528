// What a hook inside a sandbox asks its launcher about hosts, and the answer.
#include "hook/unreached_hosts.h"

#include <doctest/doctest.h>

using namespace ringfence;

TEST_CASE("unreached hosts: the request survives being written and read") {
  for (const bool only_new : {false, true}) {
    const UnreachedQuestion question{.milliseconds = 1500, .only_new = only_new};
    CHECK(ReadUnreachedRequest(UnreachedRequest(question)) == question);
  }
  for (const char* other : {"", "{\"unreached\":}", "{\"unreached\":-1}", "{\"unreached\":1",
                            "{\"unreached\":99999999999}", "{\"alert\":\"path\"}"}) {
    CAPTURE(other);
    CHECK_FALSE(ReadUnreachedRequest(other));
  }
}

TEST_CASE("unreached hosts: the answer survives being written and read") {
  const std::vector<UnreachedHost> hosts{{true, "a.example:443", "connection to it refused: why"},
                                         {false, "b.example:22", "connection to it failed"},
                                         {true, "", "a connection was refused: why"}};
  CHECK(ReadUnreached(UnreachedText(hosts)) == hosts);
  CHECK(ReadUnreached("").empty());
}

TEST_CASE("unreached hosts: invalid answers are rejected, and long ones are cut") {
  for (const char* other :
       {"x", "other a.example:443 why\n", "refused  why\n", "refused a:1\n", "refused a:1 \n"}) {
    CAPTURE(other);
    CHECK(ReadUnreached(other).empty());
  }
  const std::vector<UnreachedHost> many(kMaxUnreached + 1, {true, "a.example:443", "why"});
  CHECK(ReadUnreached(UnreachedText(many)).size() == kMaxUnreached);
}
