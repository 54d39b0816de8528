#include "proxy/wire/http_hop.h"

#include <doctest/doctest.h>

using namespace ringfence;

TEST_CASE("http hop: the elements of all headers of a name are one list") {
  using List = std::vector<std::string_view>;
  CHECK(HttpListOf({}, "A").empty());
  CHECK(HttpListOf({{"A", ""}}, "A").empty());
  CHECK(HttpListOf({{"A", "x"}}, "a") == List{"x"});
  CHECK(HttpListOf({{"A", " x\t,y ,, z,"}, {"B", "b"}, {"a", ",w u"}}, "A") ==
        List{"x", "y", "z", "w u"});
}

TEST_CASE("http hop: names of headers for one hop") {
  const std::vector<std::string_view> options = {"close", "X-Mine"};
  for (const std::string_view name :
       {"Connection", "KEEP-ALIVE", "te", "Trailer", "Transfer-Encoding", "Upgrade",
        "HTTP2-Settings", "Proxy-Connection", "proxy-x", "Proxy-", "x-mine", "Close"}) {
    CAPTURE(name);
    CHECK(IsForOneHop(name, options));
  }
  for (const std::string_view name : {"Proxy", "Proxies", "Host", "X-Mine2", "Trailers", "A", ""}) {
    CAPTURE(name);
    CHECK_FALSE(IsForOneHop(name, options));
  }
}
