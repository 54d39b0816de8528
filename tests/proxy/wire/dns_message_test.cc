#include "proxy/wire/dns_message.h"

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "policy/rules/domain.h"
#include "tests/support/dns_queries.h"
#include "tests/support/wire_bytes.h"

using namespace ringfence;

namespace {

using Kind = DnsAnswer::Kind;

struct Header {
  unsigned flags = 0x0100;
  unsigned questions = 1, answers = 0, authorities = 0, additional = 0;
};

std::string Head(const Header& header) {
  std::string head = FromHex("abcd") + BigEndian(header.flags, 2);
  for (const unsigned count :
       {header.questions, header.answers, header.authorities, header.additional}) {
    head += BigEndian(count, 2);
  }
  return head;
}

std::string Question(std::string_view labels, unsigned type = 1, unsigned dns_class = 1) {
  return std::string(labels) + BigEndian(type, 2) + BigEndian(dns_class, 2);
}

const std::string kForge = Question(DnsLabels("forge.example"));
const std::string kEdns = FromHex("00 0029 04d0 00000000 0000");

// The result as text: "nothing", or the name, the type, and the refusal.
std::string Parsed(std::string_view message) {
  std::optional<DnsAnswer> refusal = DnsAnswer{};
  const std::optional<DnsQuery> query = ParseDnsQuery(message, refusal);
  if (!query) {
    CHECK_FALSE(refusal);
    return "nothing";
  }
  std::string text = query->name + " " + std::to_string(query->type);
  if (!refusal) return text;
  if (refusal->kind == Kind::kRefused) return text + " refused";
  if (refusal->kind == Kind::kNotImplemented) return text + " not implemented";
  return text + (refusal->kind == Kind::kNoName ? " no name" : " ?");
}

DnsQuery Query(std::string_view message) {
  std::optional<DnsAnswer> refusal;
  const std::optional<DnsQuery> query = ParseDnsQuery(message, refusal);
  REQUIRE(query);
  return *query;
}

}  // namespace

TEST_CASE("dns: the questions of resolvers are read") {
  struct Row {
    std::string_view name;
    std::string_view hex, want;
  };
  static constexpr Row kRows[] = {
      {"glibc", "620b01000001000000000000 05676c696263 05666f726765 076578616d706c65 00 0001 0001",
       "glibc.forge.example 1"},
      {"glibc, AAAA",
       "f20601000001000000000000 05676c696263 05666f726765 076578616d706c65 00 001c 0001",
       "glibc.forge.example 28"},
      {"glibc with edns0 and trust-ad",
       "b11f01200001000000000001 0465646e73 05666f726765 076578616d706c65 00 0001 0001"
       "00 0029 04b0 00000000 0000",
       "edns.forge.example 1"},
      {"musl", "3f9401000001000000000000 046d75736c 05666f726765 076578616d706c65 00 0001 0001",
       "musl.forge.example 1"},
      {"c-ares, MX",
       "ef3301000001000000000000 056361726573 05666f726765 076578616d706c65 00 000f 0001",
       "cares.forge.example 15"},
      {"c-ares, SRV",
       "d16801000001000000000000 085f6d6f6e676f6462 045f746370 05666f726765 076578616d706c65 00"
       "0021 0001",
       "_mongodb._tcp.forge.example 33"},
      {"c-ares with a cookie",
       "3c8601000001000000000001 056361726573 05666f726765 076578616d706c65 00 0001 0001"
       "00 0029 04d0 00000000 000c 000a0008 0123456789abcdef",
       "cares.forge.example 1"},
      {"Java", "463101000001000000000000 044a617661 05666f726765 076578616d706c65 00 0001 0001",
       "java.forge.example 1"},
      {"Go, with AD and EDNS",
       "1c0401200001000000000001 02676f 05666f726765 076578616d706c65 00 0001 0001"
       "00 0029 04d0 00000000 0000",
       "go.forge.example 1"},
      {"Chromium, HTTPS",
       "3aaa01000001000000000000 086368726f6d69756d 05666f726765 076578616d706c65 00 0041 0001",
       "chromium.forge.example 65"},
      {"a reverse name",
       "8bfd01000001000000000000 0130 0131 023138 03313938 07696e2d61646472 0461727061 00"
       "000c 0001",
       "0.1.18.198.in-addr.arpa 12"},
      {"mixed case", "000101000001000000000000 05466f526745 076578414d506c45 00 0001 0001",
       "forge.example 1"},
      {"without recursion", "000100000001000000000000 05666f726765 00 0001 0001", "forge 1"},
      {"the root", "000101000001000000000000 00 0002 0001", " 2"},
      {"any type", "000101000001000000000000 05666f726765 00 00ff 0001", "forge 255"},
      {"two additional records, one with a compressed owner",
       "000101000001000000000002 05666f726765 00 0001 0001"
       "00 0029 1000 00000000 0000  c00c 0010 0001 00000000 0002 0161",
       "forge 1"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Parsed(FromHex(row.hex)) == row.want);
  }
}

TEST_CASE("dns: a query keeps what its reply needs") {
  const DnsQuery query =
      Query(Head({.additional = 1}) + Question(DnsLabels("FoRge.exAMPle")) + kEdns);
  CHECK(query.id == 0xABCD);
  CHECK(query.opcode == 0);
  CHECK(query.wants_recursion);
  CHECK(query.question == Question(DnsLabels("FoRge.exAMPle")));
  CHECK_FALSE(Query(Head({.flags = 0}) + kForge).wants_recursion);
  CHECK(Query(Head({.flags = 0x2800}) + kForge).opcode == 5);
}

TEST_CASE("dns: to what is no query there is no reply") {
  struct Row {
    std::string_view name;
    std::string bytes;
  };
  const Row kRows[] = {
      {"nothing", ""},
      {"a response", Head({.flags = 0x8180}) + kForge},
      {"a response without a question", Head({.flags = 0x8180, .questions = 0})},
      {"no question", Head({.questions = 0})},
      {"EDNS without a question", Head({.questions = 0, .additional = 1}) + kEdns},
      {"HTTP", "GET / HTTP/1.1\r\n\r\n"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Parsed(row.bytes) == "nothing");
  }
  const std::string whole = Head({}) + kForge;
  for (size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(Parsed(whole.substr(0, size)) == "nothing");
  }
  CHECK(Parsed(whole) == "forge.example 1");
}

TEST_CASE("dns: what is not served is refused, with its question if it has one") {
  struct Row {
    std::string_view name;
    std::string bytes, question;
    std::string_view want;
  };
  const std::string chaos = Question(DnsLabels("version.bind"), 16, 3);
  const std::string pointer_to_itself = FromHex("c00c 0001 0001");
  const std::string label64 = Sized(std::string(64, 'a'), 1) + FromHex("00 0001 0001");
  const std::string compressed = Sized("forge", 1) + FromHex("c00c 0001 0001");
  const std::string bit_string = FromHex("41 0801 00 0001 0001");
  const Row kRows[] = {
      {"class CH", Head({}) + chaos, chaos, "version.bind 16 refused"},
      {"class ANY", Head({}) + Question(DnsLabels("a"), 1, 255), Question(DnsLabels("a"), 1, 255),
       "a 1 refused"},
      {"class 0", Head({}) + Question(DnsLabels("a"), 1, 0), Question(DnsLabels("a"), 1, 0),
       "a 1 refused"},
      {"two questions", Head({.questions = 2}) + kForge + kForge, kForge,
       "forge.example 1 refused"},
      {"one question instead of two", Head({.questions = 2}) + kForge, kForge,
       "forge.example 1 refused"},
      {"an answer", Head({.answers = 1}) + kForge, kForge, "forge.example 1 refused"},
      {"an authority", Head({.authorities = 1}) + kForge, kForge, "forge.example 1 refused"},
      {"cut", Head({.flags = 0x0300}) + kForge, kForge, "forge.example 1 refused"},
      {"a byte behind it", Head({}) + kForge + "x", kForge, "forge.example 1 refused"},
      {"a record that is not counted", Head({}) + kForge + kEdns, kForge,
       "forge.example 1 refused"},
      {"a missing record", Head({.additional = 1}) + kForge, kForge, "forge.example 1 refused"},
      {"65535 missing records", Head({.additional = 65535}) + kForge + kEdns, kForge,
       "forge.example 1 refused"},
      {"a cut record", Head({.additional = 1}) + kForge + kEdns.substr(1), kForge,
       "forge.example 1 refused"},
      {"a record with data beyond the end",
       Head({.additional = 1}) + kForge + FromHex("00 0029 04d0 00000000 0001"), kForge,
       "forge.example 1 refused"},
      {"a record with an owner beyond the end",
       Head({.additional = 1}) + kForge + FromHex("0a00 0001 00000000 0000"), kForge,
       "forge.example 1 refused"},
      {"a record with half a pointer", Head({.additional = 1}) + kForge + FromHex("c0"), kForge,
       "forge.example 1 refused"},
      {"a record with a label of 64 bytes",
       Head({.additional = 1}) + kForge + Sized(std::string(64, 'a'), 1) + kEdns, kForge,
       "forge.example 1 refused"},
      {"513 bytes",
       Head({.additional = 1}) + kForge + FromHex("00 0029 04d0 00000000") +
           Sized(std::string(kMaxDnsQuery + 1 - 12 - 19 - 11, 'x'), 2),
       kForge, "forge.example 1 refused"},
      {"a pointer to itself", Head({}) + pointer_to_itself, "", " 0 refused"},
      {"a pointer to the header", Head({}) + FromHex("c000 0001 0001"), "", " 0 refused"},
      {"a pointer beyond the end", Head({}) + FromHex("ffff 0001 0001"), "", " 0 refused"},
      {"half a pointer", Head({}) + FromHex("c0"), "", " 0 refused"},
      {"a label, and a pointer in a loop", Head({}) + compressed, "", " 0 refused"},
      {"a label of 64 bytes", Head({}) + label64, "", " 0 refused"},
      {"a bit string (RFC 2673)", Head({}) + bit_string, "", " 0 refused"},
      {"a length of 128", Head({}) + FromHex("80"), "", " 0 refused"},
      {"IQUERY", Head({.flags = 0x0800}) + kForge, kForge, "forge.example 1 not implemented"},
      {"STATUS", Head({.flags = 0x1000}) + kForge, kForge, "forge.example 1 not implemented"},
      {"NOTIFY", Head({.flags = 0x2000}) + kForge, kForge, "forge.example 1 not implemented"},
      {"UPDATE", Head({.flags = 0x2800, .authorities = 1}) + kForge, kForge,
       "forge.example 1 not implemented"},
      {"opcode 15", Head({.flags = 0x7800}) + kForge, kForge, "forge.example 1 not implemented"},
      {"a pointer in UPDATE", Head({.flags = 0x2800}) + pointer_to_itself, "",
       " 0 not implemented"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Parsed(row.bytes) == row.want);
    CHECK(Query(row.bytes).question == row.question);
  }
}

TEST_CASE("dns: a query with a cut record is refused") {
  const std::string start = Head({.additional = 1}) + kForge;
  const std::string record =
      DnsLabels("owner.example") + FromHex("00fa 00ff 00000000 0004 01020304");
  for (size_t size = 0; size < record.size(); ++size) {
    CAPTURE(size);
    CHECK(Parsed(start + record.substr(0, size)) == "forge.example 1 refused");
  }
  CHECK(Parsed(start + record) == "forge.example 1");
  CHECK(Parsed(start + Sized(std::string(63, 'a'), 1) + kEdns) == "forge.example 1");
}

TEST_CASE("dns: 512 bytes with padding are served") {
  const size_t padding = kMaxDnsQuery - 12 - kForge.size() - 11;
  CHECK(Parsed(Head({.additional = 1}) + kForge + FromHex("00 0029 04d0 00000000") +
               Sized(std::string(padding, 'x'), 2)) == "forge.example 1");
}

TEST_CASE("dns: labels have only plain characters") {
  using namespace std::string_view_literals;
  const std::string_view kBad[] = {
      "\0"sv, "a\0"sv,   "a.b"sv,       "a b"sv, "%61"sv, "a\\"sv, "\xC3\xBC"sv,
      "*"sv,  "a\x7F"sv, "127.0.0.1"sv, "["sv,   ":"sv,   "a\n"sv, "@"sv,
  };
  for (const std::string_view label : kBad) {
    CAPTURE(label);
    const std::string question = Question(Sized(label, 1) + DnsLabels("example"));
    CHECK(Parsed(Head({}) + question) == " 1 refused");
    CHECK(Query(Head({}) + question).question == question);
  }
}

TEST_CASE("dns: a name that other programs read as an address does not exist") {
  for (const std::string name : {"192.0.2.1", "127.1", "2130706433", "0x7f.1", "a.0x7f", "forge.1",
                                 "010.0.0.1", "1password"}) {
    CAPTURE(name);
    CHECK(Parsed(Head({}) + Question(DnsLabels(name))) == name + " 1 no name");
  }
  CHECK(Parsed(Head({}) + Question(DnsLabels("1password.example"))) == "1password.example 1");
}

TEST_CASE("dns: a name has at most 255 bytes") {
  const std::string label(63, 'a');
  const std::string most = label + "." + label + "." + label + "." + std::string(61, 'a');
  REQUIRE(DnsLabels(most).size() == 255);
  const DnsQuery query = Query(Head({}) + Question(DnsLabels(most)));
  CHECK(query.name == most);
  CHECK(*PlainHost(query.name) == most);
  CHECK(WriteDnsReply(query, {.kind = Kind::kAddress}).size() < kMaxDnsQuery);
  CHECK(Parsed(Head({}) + Question(DnsLabels(most + "a"))) == " 0 refused");
  std::string many;
  for (int i = 0; i < 127; ++i) many += "a.";
  CHECK(Query(Head({}) + Question(DnsLabels(many))).name.size() == 253);
  CHECK(Parsed(Head({}) + Question(DnsLabels(many + "a."))) == " 0 refused");
}

TEST_CASE("dns: the reply repeats the question and answers it") {
  std::string too_long = "a";
  for (int i = 0; i < 127; ++i) too_long += ".a";
  struct Row {
    std::string_view name;
    DnsAnswer answer;
    std::string_view flags, records;  // hexadecimal
  };
  const Row kRows[] = {
      {"an address",
       {.kind = Kind::kAddress, .address = {198, 18, 1, 9}},
       "8180",
       "c00c 0001 0001 00000005 0004 c6120109"},
      {"no data", {.kind = Kind::kNoData}, "8180", ""},
      {"a name",
       {.kind = Kind::kName, .name = "a.example"},
       "8180",
       "c00c 000c 0001 00000005 000b 0161076578616d706c6500"},
      {"no such name", {.kind = Kind::kNoName}, "8183", ""},
      {"not implemented", {.kind = Kind::kNotImplemented}, "8184", ""},
      {"refused", {.kind = Kind::kRefused}, "8185", ""},
      {"a name that cannot be written", {.kind = Kind::kName, .name = "a..b"}, "8180", ""},
      {"a name with too long a label",
       {.kind = Kind::kName, .name = std::string(64, 'a')},
       "8180",
       ""},
      {"too long a name", {.kind = Kind::kName, .name = too_long}, "8180", ""},
  };
  const std::string question = Question(DnsLabels("FoRGe.example"));
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const std::string counts = row.records.empty() ? "0001 0000 00000000" : "0001 0001 00000000";
    CHECK(WriteDnsReply(Query(Head({}) + question), row.answer) ==
          FromHex("abcd") + FromHex(row.flags) + FromHex(counts) + question + FromHex(row.records));
  }
}

TEST_CASE("dns: a reply holds the longest names") {
  const std::string label(63, 'a');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'a');
  const std::string reply =
      WriteDnsReply(Query(Head({}) + kForge), {.kind = Kind::kName, .name = longest});
  CHECK(reply.ends_with(FromHex("00ff") + DnsLabels(longest)));
}

TEST_CASE("dns: the reply repeats opcode and recursion, but no question that is none") {
  const DnsAnswer refused{.kind = Kind::kRefused};
  CHECK(WriteDnsReply(Query(Head({.flags = 0}) + kForge), refused) ==
        FromHex("abcd 8085 0001 0000 0000 0000") + kForge);
  CHECK(WriteDnsReply(Query(Head({.flags = 0x2820}) + kForge), refused) ==
        FromHex("abcd a885 0001 0000 0000 0000") + kForge);
  const DnsQuery malformed = Query(Head({}) + FromHex("c00c 0001 0001"));
  CHECK(WriteDnsReply(malformed, refused) == FromHex("abcd 8185 0000 0000 0000 0000"));
  CHECK(WriteDnsReply(malformed, {.kind = Kind::kAddress}) ==
        FromHex("abcd 8180 0000 0000 0000 0000"));
}

TEST_CASE("dns: a reverse name gives its address") {
  CHECK(AddressOfReverseName("9.0.18.198.in-addr.arpa") == std::array<uint8_t, 4>{198, 18, 0, 9});
  CHECK(AddressOfReverseName("255.0.0.1.in-addr.arpa") == std::array<uint8_t, 4>{1, 0, 0, 255});
  for (const std::string_view name :
       {"", "in-addr.arpa", ".in-addr.arpa", "198.in-addr.arpa", "0.18.198.in-addr.arpa",
        "1.9.0.18.198.in-addr.arpa", "09.0.18.198.in-addr.arpa", "256.0.18.198.in-addr.arpa",
        "9.0.18.198in-addr.arpa", "9.0.18.198.in-addr.arpa.example", "9.0.18.198.ip6.arpa",
        "9.0.18.198", "a.0.18.198.in-addr.arpa", "9..18.198.in-addr.arpa",
        "9.0.18.198..in-addr.arpa", "0-7.9.0.18.198.in-addr.arpa", "+9.0.18.198.in-addr.arpa",
        "[::1].in-addr.arpa", "[::ffff:1.2.3.4].in-addr.arpa"}) {
    CAPTURE(name);
    CHECK_FALSE(AddressOfReverseName(name));
  }
}
