#include "policy/rules/address.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

std::string Canonical(std::string_view text) {
  const std::optional<Address> address = ParseAddress(text);
  return address ? AddressText(*address) : "";
}

struct Row {
  std::string_view text, want;
};

}  // namespace

TEST_CASE("address: every spelling of an address is normalized") {
  static constexpr Row kRows[] = {
      {"192.0.2.1", "192.0.2.1"},
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"[::]", "[::]"},
      {"[::1]", "[::1]"},
      {"[0:0:0:0:0:0:0:1]", "[::1]"},
      {"[0000:0000:0000:0000:0000:0000:0000:0001]", "[::1]"},
      {"[::0.0.0.1]", "[::1]"},
      {"[2001:DB8::1]", "[2001:db8::1]"},
      {"[2001:db8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"},
      {"[2001:db8:0:1:1:1:1:1]", "[2001:db8:0:1:1:1:1:1]"},
      {"[1::]", "[1::]"},
      {"[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"},
      {"[::2:3:4:5:6:7:8]", "[0:2:3:4:5:6:7:8]"},
      {"[::ffff:192.0.2.1]", "192.0.2.1"},
      {"[::FFFF:c000:201]", "192.0.2.1"},
      {"[0:0:0:0:0:ffff:c000:0201]", "192.0.2.1"},
      {"[64:ff9b::192.0.2.1]", "[64:ff9b::c000:201]"},
      {"[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:102:304]"},
      {"[fe80::]", "[fe80::]"},
      {"[::ff00:102:304]", "[::ff00:102:304]"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(Canonical(row.text) == row.want);
    CHECK(Canonical(row.want) == row.want);
  }
}

TEST_CASE("address: a text that is not a plain address is not parsed") {
  for (const std::string_view text : {"",
                                      "1",
                                      "127.1",
                                      "127.0.1",
                                      "0x7f.1",
                                      "0177.0.0.1",
                                      "2130706433",
                                      "1.2.3.4.5",
                                      "1.2.3.",
                                      ".1.2.3",
                                      "1..2.3",
                                      "256.1.1.1",
                                      "1.2.3.04",
                                      "1.2.3.4 ",
                                      "+1.2.3.4",
                                      "a.b.c.d",
                                      "[]",
                                      "[:]",
                                      "[:::]",
                                      "[::1",
                                      "::1",
                                      "[::1]x",
                                      "[1:2:3:4:5:6:7]",
                                      "[1:2:3:4:5:6:7:8:9]",
                                      "[1:2:3:4:5:6:7:8::]",
                                      "[1::2::3]",
                                      "[12345::]",
                                      "[g::]",
                                      "[::1%eth0]",
                                      "[1.2.3.4]",
                                      "[1.2.3.4::]",
                                      "[::1.2.3]",
                                      "[::1.2.3.4:5]",
                                      "[::256.1.1.1]",
                                      "[1:2:3:4:5:6:7:1.2.3.4]",
                                      "[:1:2:3:4:5:6:7]",
                                      "[1:2:3:4:5:6:7:]",
                                      "[::1:]",
                                      "[-1::]"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseAddress(text));
  }
}
