#include "proxy/wire/http_request.h"

#include <doctest/doctest.h>

#include <string>

#include "base/ascii.h"
#include "tests/support/request_plans.h"

using namespace ringfence;
using namespace std::literals;

namespace {

RequestSource Transparent(std::string_view host, uint16_t port = 80) {
  return {.kind = RequestSource::Kind::kTransparent, .host = host, .port = port, .credential = {}};
}

// The head that the host receives, or why the request is refused.
std::string Rewritten(std::string_view bytes, const RequestSource& source = {}) {
  RequestPlan plan;
  WireError error;
  if (!PlanBytes(bytes, source, plan, error)) return error.reason;
  CHECK(IsReadAlike(plan));
  return plan.head;
}

struct Row {
  std::string_view name;
  std::string_view bytes, want;
};

constexpr std::string_view kBadHost = "400 has a host that is not a plain name or address";
constexpr std::string_view kBadPort = "400 has a port that is not 1 to 65535";
constexpr std::string_view kOtherHost = "400 has a Host header for another host or port";
constexpr std::string_view kMisdirected = "421 has a Host header for another host or port";
constexpr std::string_view kNotForProxy = "400 is for a web server, not for a proxy";
constexpr std::string_view kNotHttp = "400 has a target that does not begin with http://";
constexpr std::string_view kHasUser = "400 has a user name before its host";

}  // namespace

TEST_CASE("http request: a tunnel needs a plain host and a port") {
  static constexpr Row kRows[] = {
      {"canonical", "CONNECT FORGE.example.:443 HTTP/1.1\r\nHost: forge.EXAMPLE\r\n\r\n",
       "CONNECT forge.example 443"},
      {"mapped IPv4", "CONNECT [::ffff:c000:201]:443 HTTP/1.1\r\nHost: 192.0.2.1:443\r\n\r\n",
       "CONNECT 192.0.2.1 443"},
      {"no port", "CONNECT h HTTP/1.1\r\nHost: h\r\n\r\n", "400 asks for a tunnel without a port"},
      {"an empty port", "CONNECT h: HTTP/1.1\r\nHost: h\r\n\r\n", kBadPort},
      {"port 0", "CONNECT h:0 HTTP/1.1\r\nHost: h\r\n\r\n", kBadPort},
      {"port 65979, 443 modulo 2^16", "CONNECT h:65979 HTTP/1.1\r\nHost: h\r\n\r\n", kBadPort},
      {"a zero in front", "CONNECT h:0443 HTTP/1.1\r\nHost: h\r\n\r\n", kBadPort},
      {"two ports", "CONNECT h:443:80 HTTP/1.1\r\nHost: h\r\n\r\n", kBadPort},
      {"a path", "CONNECT h:443/x HTTP/1.1\r\nHost: h:443\r\n\r\n", kBadPort},
      {"a path without a port", "CONNECT h/x:443 HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"a query", "CONNECT h?:443 HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"origin form", "CONNECT / HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"asterisk form", "CONNECT * HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"absolute form", "CONNECT http://h:443 HTTP/1.1\r\nHost: h\r\n\r\n", kBadPort},
      {"a user name", "CONNECT u:p@h:443 HTTP/1.1\r\nHost: h\r\n\r\n", kHasUser},
      {"a zone", "CONNECT [fe80::1%25eth0]:443 HTTP/1.1\r\n\r\n", kBadHost},
      {"IPv6 without brackets", "CONNECT ::1:443 HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"a number", "CONNECT 2130706433:443 HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"an encoded host", "CONNECT %68:443 HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"another host", "CONNECT h:443 HTTP/1.1\r\nHost: i:443\r\n\r\n", kOtherHost},
      {"another host in HTTP/1.0", "CONNECT h:443 HTTP/1.0\r\nHost: i:443\r\n\r\n", kOtherHost},
      {"another port", "CONNECT h:443 HTTP/1.1\r\nHost: h:80\r\n\r\n", kOtherHost},
      {"no port, but not that of a scheme", "CONNECT h:22 HTTP/1.1\r\nHost: h\r\n\r\n", kOtherHost},
      {"an empty Host", "CONNECT h:443 HTTP/1.1\r\nHost:\r\n\r\n", kBadHost},
      {"no Host", "CONNECT h:443 HTTP/1.1\r\n\r\n", "400 has no Host header"},
      {"two Hosts", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
       "400 has several Host headers"},
      {"an empty body", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
       "CONNECT h 443"},
      {"a body", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n",
       "400 asks for a tunnel with a body"},
      {"chunks", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
       "400 asks for a tunnel with a body"},
      {"an upgrade",
       "CONNECT h:443 HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
       "400 asks for a websocket in a wrong way"},
      {"lower case", "connect h:443 HTTP/1.1\r\nHost: h\r\n\r\n",
       "501 has a method with lower-case letters"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(PlannedText(row.bytes) == row.want);
  }
}

TEST_CASE("http request: a proxy forwards only an absolute http target whose host is in Host") {
  static constexpr Row kRows[] = {
      {"the scheme in upper case", "GET HTTP://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "GET h 80 /"},
      {"canonical", "GET http://H.:80 HTTP/1.1\r\nhost: h.\r\n\r\n", "GET h 80 /"},
      {"the default port in Host", "GET http://h/ HTTP/1.1\r\nHost: h:80\r\n\r\n", "GET h 80 /"},
      {"a port", "GET http://h:8443/ HTTP/1.1\r\nHost: h:8443\r\n\r\n", "GET h 8443 /"},
      {"a query only", "GET http://h?/x HTTP/1.1\r\nHost: h\r\n\r\n", "GET h 80 /"},
      {"two slashes in the path", "GET http://h//x HTTP/1.1\r\nHost: h\r\n\r\n", "GET h 80 //x"},
      {"an at sign in the path", "GET http://h/@i HTTP/1.1\r\nHost: h\r\n\r\n", "GET h 80 /@i"},
      {"OPTIONS", "OPTIONS http://h HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS h 80 *"},
      {"OPTIONS with a path", "OPTIONS http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS h 80 /"},
      {"OPTIONS with a query", "OPTIONS http://h?x HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS h 80 /"},
      {"another host in Host", "GET http://h/ HTTP/1.1\r\nHost: i\r\n\r\n", kOtherHost},
      {"another host in HTTP/1.0", "GET http://h/ HTTP/1.0\r\nHost: i\r\n\r\n", kOtherHost},
      {"another port in Host", "GET http://h/ HTTP/1.1\r\nHost: h:8080\r\n\r\n", kOtherHost},
      {"no port in Host", "GET http://h:8080/ HTTP/1.1\r\nHost: h\r\n\r\n", kOtherHost},
      {"no https port in Host", "GET http://h:443/ HTTP/1.1\r\nHost: h\r\n\r\n", kOtherHost},
      {"a subdomain in Host", "GET http://h/ HTTP/1.1\r\nHost: a.h\r\n\r\n", kOtherHost},
      {"no Host", "GET http://h/ HTTP/1.1\r\n\r\n", "400 has no Host header"},
      {"an empty Host", "GET http://h/ HTTP/1.1\r\nHost: \r\n\r\n", kBadHost},
      {"two Hosts", "GET http://h/ HTTP/1.1\r\nHost: h\r\nhost: i\r\n\r\n",
       "400 has several Host headers"},
      {"two equal Hosts", "GET http://h/ HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
       "400 has several Host headers"},
      {"a list in Host", "GET http://h/ HTTP/1.1\r\nHost: h, i\r\n\r\n", kBadHost},
      {"a URL in Host", "GET http://h/ HTTP/1.1\r\nHost: http://h\r\n\r\n", kBadPort},
      {"a path in Host", "GET http://h/ HTTP/1.1\r\nHost: h/\r\n\r\n", kBadHost},
      {"a user name in Host", "GET http://h/ HTTP/1.1\r\nHost: u@h\r\n\r\n", kHasUser},
      {"Host with an encoded letter", "GET http://h/ HTTP/1.1\r\nHost: %68\r\n\r\n", kBadHost},
      {"a user name", "GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n", kHasUser},
      {"a host as a user name", "GET http://h:80@i/ HTTP/1.1\r\nHost: h\r\n\r\n", kHasUser},
      {"a backslash", "GET http://i\\.h/ HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"a backslash and an at sign", "GET http://i\\@h/ HTTP/1.1\r\nHost: h\r\n\r\n", kHasUser},
      {"no host", "GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"a port only", "GET http://:80/x HTTP/1.1\r\nHost: h\r\n\r\n", kBadHost},
      {"an empty port", "GET http://h:/ HTTP/1.1\r\nHost: h\r\n\r\n", kBadPort},
      {"an octal address", "GET http://0177.0.0.1/ HTTP/1.1\r\nHost: 0177.0.0.1\r\n\r\n", kBadHost},
      {"one slash", "GET http:/h/ HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
      {"no slash", "GET http:h HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
      {"backslashes", "GET http:\\\\h/ HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
      {"two slashes without a scheme", "GET //h/ HTTP/1.1\r\nHost: h\r\n\r\n", kNotForProxy},
      {"https", "GET https://h/ HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
      {"ftp", "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
      {"file", "GET file:///etc/passwd HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
      {"ws", "GET ws://h/ HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
      {"authority form", "GET h:80 HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
      {"a name", "GET h HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
      {"origin form", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", kNotForProxy},
      {"asterisk form", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", kNotForProxy},
      {"a fragment", "GET http://h/#x HTTP/1.1\r\nHost: h\r\n\r\n",
       "400 has a fragment in its target"},
      {"a fragment after the host", "GET http://h#i/ HTTP/1.1\r\nHost: h\r\n\r\n",
       "400 has a fragment in its target"},
      {"TRACE", "TRACE http://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
       "405 has a method that is not allowed"},
      {"TRACK", "TRACK http://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
       "405 has a method that is not allowed"},
      {"PRI", "PRI * HTTP/1.1\r\n\r\n", "505 begins as HTTP/2 does"},
      {"lower case", "get http://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
       "501 has a method with lower-case letters"},
      {"one lower-case letter", "HEAd http://h/ HTTP/1.1\r\nHost: h\r\n\r\n",
       "501 has a method with lower-case letters"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(PlannedText(row.bytes) == row.want);
    if (IsUpper(row.want[0])) Rewritten(row.bytes);
  }
}

TEST_CASE("http request: a request to a host must be for the host of the connection") {
  static constexpr Row kRows[] = {
      {"the host", "GET / HTTP/1.1\r\nHost: H.:80\r\n\r\n", "GET h 80 /"},
      {"absolute form", "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "GET h 80 /"},
      {"two slashes", "GET //i/ HTTP/1.1\r\nHost: h\r\n\r\n", "GET h 80 //i/"},
      {"a URL in the path", "GET /http://i/ HTTP/1.1\r\nHost: h\r\n\r\n", "GET h 80 /http://i/"},
      {"another host", "GET / HTTP/1.1\r\nHost: i\r\n\r\n", kMisdirected},
      {"another port", "GET / HTTP/1.1\r\nHost: h:8080\r\n\r\n", kMisdirected},
      {"absolute form for another host", "GET http://i/ HTTP/1.1\r\nHost: h\r\n\r\n",
       "421 is for another host"},
      {"absolute form and Host for another host", "GET http://i/ HTTP/1.1\r\nHost: i\r\n\r\n",
       "421 is for another host"},
      {"absolute form for another port", "GET http://h:81/ HTTP/1.1\r\nHost: h:81\r\n\r\n",
       "421 is for another host"},
      {"absolute form, another Host", "GET http://h/ HTTP/1.1\r\nHost: i\r\n\r\n", kMisdirected},
      {"no Host", "GET / HTTP/1.1\r\n\r\n", "400 has no Host header"},
      {"no Host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "400 has no Host header"},
      {"two Hosts", "GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", "400 has several Host headers"},
      {"CONNECT", "CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n",
       "405 asks a web server for a tunnel"},
      {"asterisk form", "GET * HTTP/1.1\r\nHost: h\r\n\r\n",
       "400 has the target * with a method other than OPTIONS"},
      {"TRACE", "TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", "405 has a method that is not allowed"},
      {"https", "GET https://h/ HTTP/1.1\r\nHost: h\r\n\r\n", kNotHttp},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(PlannedText(row.bytes, Transparent("h")) == row.want);
    if (IsUpper(row.want[0])) Rewritten(row.bytes, Transparent("h"));
  }
  CHECK(PlannedText("GET / HTTP/1.1\r\nHost: [0::1]:81\r\n\r\n", Transparent("[::1]", 81)) ==
        "GET [::1] 81 /");
  CHECK(PlannedText("GET / HTTP/1.1\r\nHost: h\r\n\r\n", Transparent("h", 81)) == kMisdirected);
}

TEST_CASE("http request: a method has a largest length") {
  const std::string rest = " http://h/ HTTP/1.1\r\nHost: h\r\n\r\n";
  CHECK(PlannedText(std::string(64, 'A') + rest) == std::string(64, 'A') + " h 80 /");
  CHECK(PlannedText(std::string(65, 'A') + rest) == "501 has a method that is too long");
}
