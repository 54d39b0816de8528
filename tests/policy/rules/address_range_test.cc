#include "policy/rules/address_range.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>

using namespace ringfence;

namespace {

using Kind = AddressKind;

Address Parsed(std::string_view text) {
  const std::optional<Address> address = ParseAddress(text);
  REQUIRE_MESSAGE(address, text);
  return *address;
}

std::string KindOf(std::string_view text) {
  return std::string(AddressKindName(KindOfAddress(Parsed(text))));
}

// The address after or before; wraps around.
Address Next(Address address) {
  for (size_t i = address.size(); i-- > 0 && ++address[i] == 0;) {
  }
  return address;
}
Address Previous(Address address) {
  for (size_t i = address.size(); i-- > 0 && address[i]-- == 0;) {
  }
  return address;
}

std::string Canonical(std::string_view text) {
  const std::optional<AddressRange> range = ParseAddressRange(text);
  return range ? AddressRangeText(*range) : "";
}

bool IsIn(std::string_view range, std::string_view address) {
  const std::optional<AddressRange> parsed = ParseAddressRange(range);
  REQUIRE_MESSAGE(parsed, range);
  return parsed->Contains(Parsed(address));
}

}  // namespace

TEST_CASE("address range: every range has its kind from the first to the last address") {
  struct Row {
    std::string_view first, last;
    Kind before, kind, after;
  };
  using enum AddressKind;
  static constexpr Row kRows[] = {
      {"0.0.0.0", "0.255.255.255", kUnusable, kUnusable, kPublic},
      {"10.0.0.0", "10.255.255.255", kPublic, kPrivate, kPublic},
      {"100.64.0.0", "100.100.100.199", kPublic, kPrivate, kMetadata},
      {"100.100.100.200", "100.100.100.200", kPrivate, kMetadata, kPrivate},
      {"100.100.100.201", "100.127.255.255", kMetadata, kPrivate, kPublic},
      {"127.0.0.0", "127.255.255.255", kPublic, kLoopback, kPublic},
      {"168.63.129.16", "168.63.129.16", kPublic, kMetadata, kPublic},
      {"169.254.0.0", "169.254.255.255", kPublic, kLinkLocal, kPublic},
      {"172.16.0.0", "172.31.255.255", kPublic, kPrivate, kPublic},
      {"192.0.0.0", "192.0.0.191", kPublic, kUnusable, kMetadata},
      {"192.0.0.192", "192.0.0.192", kUnusable, kMetadata, kUnusable},
      {"192.0.0.193", "192.0.0.255", kMetadata, kUnusable, kPublic},
      {"192.0.2.0", "192.0.2.255", kPublic, kUnusable, kPublic},
      {"192.88.99.0", "192.88.99.255", kPublic, kUnusable, kPublic},
      {"192.168.0.0", "192.168.255.255", kPublic, kPrivate, kPublic},
      {"198.18.0.0", "198.19.255.255", kPublic, kUnusable, kPublic},
      {"198.51.100.0", "198.51.100.255", kPublic, kUnusable, kPublic},
      {"203.0.113.0", "203.0.113.255", kPublic, kPublic, kPublic},
      {"223.255.255.255", "223.255.255.255", kPublic, kPublic, kUnusable},
      {"224.0.0.0", "239.255.255.255", kPublic, kUnusable, kUnusable},
      {"240.0.0.0", "255.255.255.255", kUnusable, kUnusable, kUnusable},
      {"[::]", "[::]", kUnusable, kUnusable, kLoopback},
      {"[::1]", "[::1]", kUnusable, kLoopback, kUnusable},
      {"[::2]", "[::9.255.255.255]", kLoopback, kUnusable, kPrivate},
      {"[::fffe:ffff:ffff]", "[::fffe:ffff:ffff]", kUnusable, kUnusable, kUnusable},
      {"[::1:0:0:0]", "[::1:0:0:0]", kUnusable, kUnusable, kUnusable},
      {"[64:ff9b::a00:0]", "[64:ff9b::aff:ffff]", kUnusable, kPrivate, kUnusable},
      {"[64:ff9b:0:0:0:1::]", "[64:ff9b:0:ffff:ffff:ffff:ffff:ffff]", kUnusable, kUnusable,
       kUnusable},
      {"[64:ff9b:1::a00:0]", "[64:ff9b:1::aff:ffff]", kUnusable, kPrivate, kUnusable},
      {"[64:ff9b:1:ffff:ffff:ffff:7f00:0]", "[64:ff9b:1:ffff:ffff:ffff:7fff:ffff]", kUnusable,
       kLoopback, kUnusable},
      {"[100::]", "[100::ffff:ffff:ffff:ffff]", kUnusable, kUnusable, kUnusable},
      {"[1fff:ffff::]", "[1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kUnusable, kPublic},
      {"[2000::]", "[2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kPublic, kUnusable},
      {"[2001:1::]", "[2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kUnusable, kPublic},
      {"[2001:200::]", "[2001:db7:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kPublic, kUnusable},
      {"[2001:db8::]", "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]", kPublic, kUnusable, kPublic},
      {"[2001:db9::]", "[2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kPublic, kUnusable},
      {"[2002:a00::]", "[2002:aff:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kPrivate, kUnusable},
      {"[2002:7f00::]", "[2002:7fff:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kLoopback,
       kUnusable},
      {"[2003::]", "[3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kPublic, kUnusable},
      {"[3fff::]", "[3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff]", kPublic, kUnusable, kPublic},
      {"[3fff:1000::]", "[3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kPublic, kUnusable},
      {"[4000::]", "[fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kPublic, kUnusable, kPrivate},
      {"[fc00::]", "[fd00:41:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kPrivate, kPrivate},
      {"[fd00:42::42]", "[fd00:42::42]", kPrivate, kMetadata, kPrivate},
      {"[fd00:c1::a9fe:a9fe]", "[fd00:c1::a9fe:a9fe]", kPrivate, kMetadata, kPrivate},
      {"[fd00:ec2::23]", "[fd00:ec2::23]", kPrivate, kMetadata, kPrivate},
      {"[fd00:ec2::254]", "[fd00:ec2::254]", kPrivate, kMetadata, kPrivate},
      {"[fd20:ce::254]", "[fd20:ce::254]", kPrivate, kMetadata, kPrivate},
      {"[fd20:ce::255]", "[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kMetadata, kPrivate,
       kUnusable},
      {"[fe00::]", "[fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kPrivate, kUnusable, kLinkLocal},
      {"[fe80::]", "[febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kUnusable, kLinkLocal, kPrivate},
      {"[fec0::]", "[feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kLinkLocal, kPrivate, kUnusable},
      {"[ff00::]", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]", kPrivate, kUnusable, kUnusable},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.first);
    const Address first = Parsed(row.first), last = Parsed(row.last);
    CHECK(KindOfAddress(Previous(first)) == row.before);
    CHECK(KindOfAddress(first) == row.kind);
    CHECK(KindOfAddress(last) == row.kind);
    CHECK(KindOfAddress(Next(last)) == row.after);
  }
}

TEST_CASE("address range: hosts of the internet are public") {
  for (const std::string_view text :
       {"1.1.1.1", "8.8.8.8", "9.9.9.9", "203.0.113.7", "192.31.196.1", "192.175.48.1",
        "[2606:4700:4700::1111]", "[2a00:1450:4001:81b::200e]", "[2620:4f:8000::1]",
        "[::ffff:8.8.8.8]", "[::ffff:808:808]"}) {
    CAPTURE(text);
    CHECK(KindOf(text) == "public");
  }
}

TEST_CASE("address range: no spelling of an address changes its kind") {
  struct Row {
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"127.0.0.1", "loopback"},
      {"127.127.127.127", "loopback"},
      {"[::1]", "loopback"},
      {"[0:0:0:0:0:0:0:1]", "loopback"},
      {"[0000:0000:0000:0000:0000:0000:0000:0001]", "loopback"},
      {"[::0.0.0.1]", "loopback"},
      {"[::ffff:127.0.0.1]", "loopback"},
      {"[::FFFF:7F00:1]", "loopback"},
      {"[0:0:0:0:0:ffff:127.0.0.1]", "loopback"},
      {"[::127.0.0.1]", "loopback"},
      {"[0:0:0:0:0:0:7f00:1]", "loopback"},
      {"0.0.0.0", "unusable"},
      {"[::]", "unusable"},
      {"[0:0:0:0:0:0:0:0]", "unusable"},
      {"[::ffff:0.0.0.0]", "unusable"},
      {"169.254.169.254", "a cloud's metadata service"},
      {"[::ffff:169.254.169.254]", "a cloud's metadata service"},
      {"[::ffff:a9fe:a9fe]", "a cloud's metadata service"},
      {"[::169.254.169.254]", "a cloud's metadata service"},
      {"[64:ff9b::169.254.169.254]", "a cloud's metadata service"},
      {"[64:ff9b:1::a9fe:a9fe]", "a cloud's metadata service"},
      {"[2002:a9fe:a9fe::1]", "a cloud's metadata service"},
      {"[fe80::a9fe:a9fe]", "link-local"},
      {"169.254.170.2", "a cloud's metadata service"},
      {"[::ffff:100.100.100.200]", "a cloud's metadata service"},
      {"[64:ff9b::168.63.129.16]", "a cloud's metadata service"},
      {"[fd00:0ec2:0:0:0:0:0:0254]", "a cloud's metadata service"},
      {"[::ffff:10.0.0.1]", "private"},
      {"[::ffff:c0a8:101]", "private"},
      {"[fd12:3456:789a::1]", "private"},
      {"[ff02::1]", "unusable"},
      {"255.255.255.255", "unusable"},
      {"[::ffff:0:127.0.0.1]", "unusable"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(KindOf(row.text) == row.want);
  }
}

TEST_CASE("address range: an address that embeds an IPv4 address is never public") {
  struct Row {
    std::string_view name;
    std::string_view loopback, private_one, public_one;
  };
  static constexpr Row kRows[] = {
      {"IPv4-compatible", "[::127.0.0.1]", "[::10.0.0.1]", "[::8.8.8.8]"},
      {"NAT64", "[64:ff9b::127.0.0.1]", "[64:ff9b::10.0.0.1]", "[64:ff9b::8.8.8.8]"},
      {"NAT64 of a local network", "[64:ff9b:1::127.0.0.1]", "[64:ff9b:1:fffe::10.0.0.1]",
       "[64:ff9b:1:fffe::8.8.8.8]"},
      {"6to4", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2002:808:808::808:808]"},
      {"6to4 with ISATAP: the outer address counts", "[2002:7f00:1::5efe:8.8.8.8]",
       "[2002:a00:1::5efe:8.8.8.8]", "[2002:808:808::5efe:10.0.0.1]"},
      {"Teredo: the inverted client", "[2001::80ff:fffe]", "[2001:0:7f00:1::f5ff:fffe]",
       "[2001:0:7f00:1::f7f7:f7f7]"},
      {"Teredo with a high server", "[2001:0:ffff:ffff::80ff:fffe]", "[2001:0:8000::f5ff:fffe]",
       "[2001:0:c000::f7f7:f7f7]"},
      {"Teredo that looks like ISATAP", "[2001:0:808:808:0:5efe:80ff:fffe]",
       "[2001:0:808:808:0:5efe:f5ff:fffe]", "[2001:0:808:808:0:5efe:f7f7:f7f7]"},
      {"ISATAP", "[2a00:1450::5efe:127.0.0.1]", "[2a00:1450:1:2::5efe:10.0.0.1]",
       "[2a00:1450::5efe:8.8.8.8]"},
      {"ISATAP with the global bit", "[2a00:1450::200:5efe:7f00:1]",
       "[2a00:1450::200:5efe:10.0.0.1]", "[2a00:1450::200:5efe:8.8.8.8]"},
      {"ISATAP in a local network", "[fe80::5efe:127.0.0.1]", "[fd00::5efe:10.0.0.1]",
       "[fe80::5efe:8.8.8.8]"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(KindOf(row.loopback) == "loopback");
    CHECK(KindOf(row.private_one) == "private");
    CHECK(KindOf(row.public_one) == "unusable");
  }
  CHECK(KindOf("[2a00:1450::100:5efe:127.0.0.1]") == "public");
  CHECK(KindOf("[2a00:1450::1:5efe:127.0.0.1]") == "public");
  CHECK(KindOf("[2a00:1450::5eff:127.0.0.1]") == "public");
  CHECK(KindOf("[ff02::5efe:10.0.0.1]") == "unusable");
}

TEST_CASE("address range: each kind has a name") {
  CHECK(AddressKindName(Kind::kPublic) == "public");
  CHECK(AddressKindName(Kind::kLoopback) == "loopback");
  CHECK(AddressKindName(Kind::kPrivate) == "private");
  CHECK(AddressKindName(Kind::kLinkLocal) == "link-local");
  CHECK(AddressKindName(Kind::kMetadata) == "a cloud's metadata service");
  CHECK(AddressKindName(Kind::kUnusable) == "unusable");
}

TEST_CASE("address range: a text becomes a range, and its canonical text") {
  struct Row {
    std::string_view text, want;
  };
  static constexpr Row kRows[] = {
      {"10.0.0.0/8", "10.0.0.0/8"},
      {"192.0.2.1", "192.0.2.1"},
      {"192.0.2.1/32", "192.0.2.1"},
      {"192.0.2.128/25", "192.0.2.128/25"},
      {"0.0.0.0/0", "0.0.0.0/0"},
      {"fd00::/8", "fd00::/8"},
      {"[fd00::]/8", "fd00::/8"},
      {"FD00:0::/16", "fd00::/16"},
      {"[fd00::1]", "[fd00::1]"},
      {"fd00::1", "[fd00::1]"},
      {"fd00::1/128", "[fd00::1]"},
      {"::/0", "::/0"},
      {"::/128", "[::]"},
      {"2000::/3", "2000::/3"},
      {"::ffff:10.0.0.0/104", "10.0.0.0/8"},
      {"::ffff:0:0/96", "0.0.0.0/0"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK(Canonical(row.text) == row.want);
    CHECK(ParseAddressRange(row.want) == ParseAddressRange(row.text));
  }
  CHECK(ParseAddressRange("10.0.0.0/8") ==
        AddressRange{.first = Parsed("10.0.0.0"), .prefix = 104});
}

TEST_CASE("address range: a text that is not plainly a range is refused") {
  for (const std::string_view text : {"",
                                      "/",
                                      "/8",
                                      "10.0.0.0/",
                                      "10.0.0.0/33",
                                      "10.0.0.0/08",
                                      "10.0.0.0/+8",
                                      "10.0.0.0/-1",
                                      "10.0.0.0/ 8",
                                      "10.0.0.0/8 ",
                                      "10.0.0.0/8/8",
                                      "10.0.0.0/256",
                                      "10.0.0.0/264",
                                      "10/8",
                                      "10.0.0/8",
                                      "010.0.0.0/8",
                                      "10.0.0.1/8",
                                      "10.128.0.0/8",
                                      "192.0.2.1/31",
                                      "10.0.0.0/255.0.0.0",
                                      "10.0.0.0-10.0.0.9",
                                      "fd00::/129",
                                      "fd00::1/8",
                                      "fd00::1/127",
                                      "fd00::/",
                                      "3000::/3",
                                      "[fd00::/8]",
                                      "[fd00::",
                                      "fd00::]",
                                      "fe80::%eth0/10",
                                      "::ffff:0:0/90",
                                      "::ffff:10.0.0.1/104",
                                      "forge.example",
                                      "forge.example/8",
                                      "*",
                                      "[10.0.0.0]/8"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseAddressRange(text));
  }
}

TEST_CASE("address range: it contains the addresses between its first and its last") {
  struct Row {
    std::string_view range, first, last;
  };
  static constexpr Row kRows[] = {
      {"10.0.0.0/8", "10.0.0.0", "10.255.255.255"},
      {"192.0.2.128/25", "192.0.2.128", "192.0.2.255"},
      {"192.0.2.4/30", "192.0.2.4", "192.0.2.7"},
      {"192.0.2.1", "192.0.2.1", "192.0.2.1"},
      {"fd00::/8", "[fd00::]", "[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]"},
      {"2001:db8:8::/45", "[2001:db8:8::]", "[2001:db8:f:ffff:ffff:ffff:ffff:ffff]"},
      {"[::1]", "[::1]", "[::1]"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.range);
    const AddressRange range = *ParseAddressRange(row.range);
    const Address first = Parsed(row.first), last = Parsed(row.last);
    CHECK(range.Contains(first));
    CHECK(range.Contains(last));
    CHECK_FALSE(range.Contains(Previous(first)));
    CHECK_FALSE(range.Contains(Next(last)));
  }
}

TEST_CASE("address range: all of IPv4 and all of IPv6 are apart") {
  CHECK(IsIn("0.0.0.0/0", "0.0.0.0"));
  CHECK(IsIn("0.0.0.0/0", "255.255.255.255"));
  CHECK(IsIn("0.0.0.0/0", "[::ffff:10.0.0.1]"));
  CHECK_FALSE(IsIn("0.0.0.0/0", "[::1]"));
  CHECK_FALSE(IsIn("0.0.0.0/0", "[::10.0.0.1]"));
  CHECK(IsIn("::/0", "[::]"));
  CHECK(IsIn("::/0", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]"));
  CHECK(IsIn("::/0", "[::10.0.0.1]"));
  CHECK_FALSE(IsIn("::/0", "10.0.0.1"));
  CHECK_FALSE(IsIn("::/64", "10.0.0.1"));
  CHECK(IsIn("::/64", "[::1]"));
}
