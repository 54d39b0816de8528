#include "proxy/wire/socks.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/support/wire_bytes.h"

using namespace ringfence;

namespace {

// Each returns the result as text: "more", "bad: reason", or what was read and its size.
std::string Greeting(std::string_view bytes) {
  SocksGreeting greeting;
  WireError error;
  const Progress progress = ParseSocksGreeting(bytes, greeting, error);
  if (progress == Progress::kNeedsMore) return "more";
  if (progress == Progress::kBad) return "bad: " + error.reason;
  return std::string(greeting.offers_none ? "none " : "") +
         (greeting.offers_password ? "password " : "") + std::to_string(greeting.size);
}

std::string Login(std::string_view bytes) {
  SocksLogin login;
  WireError error;
  const Progress progress = ParseSocksLogin(bytes, login, error);
  if (progress == Progress::kNeedsMore) return "more";
  if (progress == Progress::kBad) return "bad: " + error.reason;
  return login.user + ":" + login.password + " " + std::to_string(login.size);
}

std::string Request(std::string_view bytes) {
  SocksRequest request{.host = "untouched"};
  WireError error;
  SocksReply reply{};
  const Progress progress = ParseSocksRequest(bytes, request, error, reply);
  if (progress != Progress::kDone) CHECK(request.host == "untouched");
  if (progress == Progress::kNeedsMore) return "more";
  if (progress == Progress::kBad) {
    return "bad " + std::to_string(static_cast<int>(reply)) + ": " + error.reason;
  }
  return request.host + " " + std::to_string(request.port) + " " + std::to_string(request.size);
}

// A request for this domain and port 443.
std::string ToDomain(std::string_view domain) {
  return FromHex("05010003") + Sized(domain, 1) + FromHex("01bb");
}

struct HexRow {
  std::string_view name;
  std::string_view hex, want;
};

}  // namespace

TEST_CASE("socks: a greeting lists methods") {
  static constexpr HexRow kRows[] = {
      {"none", "05 01 00", "none 3"},
      {"curl", "05 02 00 01", "none 4"},
      {"curl with a user name", "05 03 00 01 02", "none password 5"},
      {"password", "05 01 02", "password 3"},
      {"only GSSAPI", "05 01 01", "3"},
      {"only private methods", "05 03 80 fe ff", "5"},
      {"the same twice", "05 02 00 00", "none 4"},
      {"a request behind it", "05 01 00 05 01 00", "none 3"},
      {"nothing", "", "more"},
      {"a version", "05", "more"},
      {"a method is missing", "05 02 00", "more"},
      {"no methods", "05 00", "bad: offers no SOCKS method"},
      {"SOCKS 4", "04 01 01bb c0000201 00", "bad: is SOCKS 4, not SOCKS 5"},
      {"SOCKS 4a", "04", "bad: is SOCKS 4, not SOCKS 5"},
      {"SOCKS 6", "06", "bad: is not SOCKS 5"},
      {"HTTP", "474554202f", "bad: is not SOCKS 5"},
      {"TLS", "160301", "bad: is not SOCKS 5"},
      {"NUL", "00", "bad: is not SOCKS 5"},
  };
  for (const HexRow& row : kRows) {
    CAPTURE(row.name);
    CHECK(Greeting(FromHex(row.hex)) == row.want);
  }
  const std::string all = FromHex("05 ff") + std::string(255, '\2');
  CHECK(Greeting(all) == "password 257");
  CHECK(Greeting(all.substr(0, 256)) == "more");
}

TEST_CASE("socks: a login has a user name and a password") {
  static constexpr HexRow kRows[] = {
      {"both", "01 02 6d65 06 736563726574", "me:secret 11"},
      {"data behind it", "01 02 6d65 01 78 0501", "me:x 6"},
      {"an empty password, which curl sends", "01 02 6d65 00", "me: 5"},
      {"an empty user name", "01 00 01 78", ":x 4"},
      {"another version", "02 02 6d65 01 78", "bad: has a SOCKS login of an unknown version"},
      {"a request instead", "05 01 00 01", "bad: has a SOCKS login of an unknown version"},
  };
  for (const HexRow& row : kRows) {
    CAPTURE(row.name);
    CHECK(Login(FromHex(row.hex)) == row.want);
  }
  const std::string longest =
      FromHex("01") + Sized(std::string(255, 'u'), 1) + Sized(std::string(255, 'p'), 1);
  CHECK(Login(longest) == std::string(255, 'u') + ":" + std::string(255, 'p') + " 513");
  for (size_t size = 0; size < longest.size(); ++size) {
    REQUIRE(Login(std::string_view(longest).substr(0, size)) == "more");
  }
  // Bytes are kept as they are: the caller compares them.
  SocksLogin login;
  WireError error;
  REQUIRE(ParseSocksLogin(FromHex("01 02 0041 01 ff"), login, error) == Progress::kDone);
  CHECK(login.user == std::string("\0A", 2));
  CHECK(login.password == "\xFF");
}

TEST_CASE("socks: a request names an address") {
  static constexpr HexRow kRows[] = {
      {"IPv4", "05010001 cb007109 01bb", "203.0.113.9 443 10"},
      {"IPv4 zero", "05010001 00000000 0050", "0.0.0.0 80 10"},
      {"IPv6", "05010004 20010db8000000000000000000000001 0016", "[2001:db8::1] 22 22"},
      {"IPv6 loopback", "05010004 00000000000000000000000000000001 0050", "[::1] 80 22"},
      {"IPv6 that contains IPv4", "05010004 00000000000000000000ffff7f000001 0050",
       "127.0.0.1 80 22"},
      {"the last port", "05010001 cb007109 ffff", "203.0.113.9 65535 10"},
      {"data behind it", "05010001 cb007109 01bb 160301", "203.0.113.9 443 10"},
      {"port 0", "05010001 cb007109 0000", "bad 1: has port 0"},
      {"port 0 of a domain", "05010003 01 61 0000", "bad 1: has port 0"},
      {"SOCKS 4", "04010001", "bad 1: is SOCKS 4, not SOCKS 5"},
      {"another version", "01", "bad 1: is not SOCKS 5"},
      {"BIND", "0502", "bad 7: has a SOCKS command other than CONNECT"},
      {"UDP ASSOCIATE", "05030001 00000000 0000", "bad 7: has a SOCKS command other than CONNECT"},
      {"Tor's RESOLVE", "05f00003", "bad 7: has a SOCKS command other than CONNECT"},
      {"command 0", "0500", "bad 7: has a SOCKS command other than CONNECT"},
      {"a reserved byte", "050101", "bad 1: has a reserved SOCKS field that is not 0"},
      {"address type 0", "05010000", "bad 8: has an unknown type of SOCKS address"},
      {"address type 2", "05010002", "bad 8: has an unknown type of SOCKS address"},
      {"address type 5", "05010005", "bad 8: has an unknown type of SOCKS address"},
      {"an empty domain", "0501000300", "bad 1: has a SOCKS domain that is not a host name"},
  };
  for (const HexRow& row : kRows) {
    CAPTURE(row.name);
    CHECK(Request(FromHex(row.hex)) == row.want);
  }
}

TEST_CASE("socks: every part of a good request needs more") {
  const std::string good[] = {
      FromHex("05010001 cb007109 01bb"),
      FromHex("05010004 20010db8000000000000000000000001 0016"),
      ToDomain("forge.example"),
      ToDomain("[2001:db8::1]"),
  };
  for (const std::string& bytes : good) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      CAPTURE(size);
      CHECK(Request(bytes.substr(0, size)) == "more");
    }
    CHECK(Request(bytes).ends_with(std::to_string(bytes.size())));
  }
}

TEST_CASE("socks: a domain is a host name, or an address in its plain form") {
  struct Row {
    std::string_view domain, want;
  };
  static constexpr Row kRows[] = {
      {"forge.example", "forge.example"},  {"FORGE.Example", "forge.example"},
      {"forge.example.", "forge.example"}, {"localhost", "localhost"},
      {"_a-b.example", "_a-b.example"},    {"xn--bcher-kva.example", "xn--bcher-kva.example"},
      {"203.0.113.9", "203.0.113.9"},      {"[2001:DB8:0::1]", "[2001:db8::1]"},
      {"[::ffff:192.0.2.1]", "192.0.2.1"}, {"[::FFFF:7f00:1]", "127.0.0.1"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.domain);
    CHECK(Request(ToDomain(row.domain)) ==
          std::string(row.want) + " 443 " + std::to_string(row.domain.size() + 7));
  }
}

TEST_CASE("socks: a domain that is not plain is refused") {
  using namespace std::string_view_literals;
  const std::string_view kBad[] = {
      "."sv,
      ".forge.example"sv,
      "forge..example"sv,
      "forge.example.."sv,
      "forge.example\0"sv,
      "forge.example\0.evil.example"sv,
      "\0"sv,
      "forge example"sv,
      "forge.example\r\n"sv,
      "forge.example:443"sv,
      "forge.example/"sv,
      "me@forge.example"sv,
      "%6c%6f%63%61%6c%68%6f%73%74"sv,
      "127.0.0.1%00"sv,
      "*"sv,
      "b\xC3\xBC"
      "cher.example"sv,
      "forge\xE3\x80\x82"
      "example"sv,
      "\xEF\xBC\x91.0.0.1"sv,
      "127.1"sv,
      "0177.0.0.1"sv,
      "0x7f.0.0.1"sv,
      "0x7f000001"sv,
      "2130706433"sv,
      "256.0.0.1"sv,
      "1.2.3.4.5"sv,
      "forge.1"sv,
      "::1"sv,
      "2001:db8::1"sv,
      "[::1"sv,
      "[::1]:443"sv,
      "[fe80::1%eth0]"sv,
      "[fe80::1%25eth0]"sv,
      "[192.0.2.1]"sv,
      "[]"sv,
  };
  for (const std::string_view domain : kBad) {
    CAPTURE(domain);
    const std::string bytes = ToDomain(domain);
    CHECK(Request(bytes) == "bad 1: has a SOCKS domain that is not a host name");
    // It is refused before the port has come.
    CHECK(Request(bytes.substr(0, bytes.size() - 2)) == Request(bytes));
  }
  const std::string label(63, 'a');
  const std::string most = label + "." + label + "." + label + "." + std::string(61, 'a');
  CHECK(Request(ToDomain(most)) == most + " 443 260");
  CHECK(Request(ToDomain(most + "a")).starts_with("bad 1"));
  CHECK(Request(ToDomain(label + "a")).starts_with("bad 1"));
  CHECK(Request(ToDomain(std::string(255, 'a'))).starts_with("bad 1"));
}

TEST_CASE("socks: replies have their bytes") {
  CHECK(SocksMethodReply(0) == FromHex("0500"));
  CHECK(SocksMethodReply(2) == FromHex("0502"));
  CHECK(SocksMethodReply(0xFF) == FromHex("05ff"));
  CHECK(SocksLoginReply(true) == FromHex("0100"));
  CHECK(SocksLoginReply(false) == FromHex("0101"));
  CHECK(WriteSocksReply(SocksReply::kSucceeded) == FromHex("05000001 00000000 0000"));
  CHECK(WriteSocksReply(SocksReply::kNotAllowed) == FromHex("05020001 00000000 0000"));
  CHECK(WriteSocksReply(SocksReply::kAddressNotSupported) == FromHex("05080001 00000000 0000"));
}
