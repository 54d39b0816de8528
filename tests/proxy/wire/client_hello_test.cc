#include "proxy/wire/client_hello.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/proxy/wire/client_hello_samples.h"
#include "tests/support/wire_bytes.h"

using namespace ringfence;

namespace {

std::string Record(std::string_view payload, uint16_t version = 0x0301, uint8_t type = 22) {
  return BigEndian(type, 1) + BigEndian(version, 2) + Sized(payload, 2);
}

std::string Extension(uint16_t type, std::string_view content) {
  return BigEndian(type, 2) + Sized(content, 2);
}

std::string NameEntry(std::string_view name, uint8_t type = 0) {
  return BigEndian(type, 1) + Sized(name, 2);
}

// The server_name extension with this list of entries.
std::string NameList(std::string_view entries) { return Extension(0, Sized(entries, 2)); }

std::string Name(std::string_view name) { return NameList(NameEntry(name)); }

const std::string kRandom(32, 'r');
const std::string kFixed = FromHex("0303") + kRandom + FromHex("00 0004 13011302 0100");

std::string Message(std::string_view body, uint8_t type = 1) {
  return BigEndian(type, 1) + Sized(body, 3);
}

// The handshake message with these extensions.
std::string Hello(std::string_view extensions) { return Message(kFixed + Sized(extensions, 2)); }

// The same message in records of `size` bytes.
std::string InRecords(std::string_view message, size_t size) {
  std::string records;
  for (size_t at = 0; at < message.size(); at += size) records += Record(message.substr(at, size));
  return records;
}

// The result as text: "more", "bad: reason", or the name and "+ech".
std::string Parsed(std::string_view bytes) {
  ClientHello hello{.server_name = "untouched"};
  WireError error;
  switch (ParseClientHello(bytes, hello, error)) {
    case Progress::kNeedsMore:
      CHECK(hello.server_name == "untouched");
      return "more";
    case Progress::kBad:
      CHECK(hello.server_name == "untouched");
      CHECK_FALSE(error.reason.empty());
      return "bad: " + error.reason;
    case Progress::kDone:
      break;
  }
  return hello.server_name + (hello.has_ech ? " +ech" : "");
}

}  // namespace

TEST_CASE("client hello: the name in what programs send is found") {
  for (const HelloSample& sample : kHelloSamples) {
    CAPTURE(sample.name);
    const std::string bytes = FromHex(sample.hex);
    const std::string want = std::string(sample.server_name) + (sample.has_ech ? " +ech" : "");
    CHECK(Parsed(bytes) == want);
    CHECK(Parsed(bytes + "anything") == want);
  }
}

TEST_CASE("client hello: every part of a good one needs more") {
  for (const HelloSample& sample : kHelloSamples) {
    CAPTURE(sample.name);
    const std::string bytes = FromHex(sample.hex);
    for (size_t size = 0; size < sample.size; ++size) {
      CAPTURE(size);
      REQUIRE(Parsed(std::string_view(bytes).substr(0, size)) == "more");
      REQUIRE(LooksLikeTls(std::string_view(bytes).substr(0, size + 1)));
    }
    CHECK(Parsed(std::string_view(bytes).substr(0, sample.size)) != "more");
  }
}

TEST_CASE("client hello: it may be spread over records") {
  for (const HelloSample& sample : kHelloSamples) {
    CAPTURE(sample.name);
    const std::string whole = FromHex(sample.hex).substr(0, sample.size);
    const std::string message = whole.substr(5);
    for (const size_t size : {1u, 2u, 3u, 4u, 5u, 100u, 1000u}) {
      CAPTURE(size);
      CHECK(Parsed(InRecords(message, size)) == Parsed(whole));
    }
  }
  const std::string records = InRecords(Hello(Name("forge.example")), 1);
  for (size_t size = 0; size < records.size(); ++size) {
    REQUIRE(Parsed(std::string_view(records).substr(0, size)) == "more");
  }
  const std::string message = Hello(Name("forge.example"));
  CHECK(Parsed(Record(message.substr(0, 9), 0x0301) + Record(message.substr(9), 0x0303)) ==
        "forge.example");
}

TEST_CASE("client hello: forms that are rare but right are read") {
  struct Row {
    std::string_view name;
    std::string bytes;
    std::string_view want;
  };
  const std::string session = Sized(std::string(32, 's'), 1);
  const std::string ciphers = FromHex("0002 1301 0100");
  const Row kRows[] = {
      {"no extensions at all", Record(Message(kFixed)), ""},
      {"an empty list of extensions", Record(Hello("")), ""},
      {"record version 0x0302", Record(Hello(Name("a.example")), 0x0302), "a.example"},
      {"record version 0x0303", Record(Hello(Name("a.example")), 0x0303), "a.example"},
      {"TLS 1.0", Record(Message(FromHex("0301") + kRandom + FromHex("00") + ciphers)), ""},
      {"a session id of 32 bytes",
       Record(Message(FromHex("0303") + kRandom + session + ciphers + Sized(Name("a.example"), 2))),
       "a.example"},
      {"ECH", Record(Hello(Extension(0xFE0D, "x") + Name("a.example"))), "a.example +ech"},
      {"ECH without an outer name", Record(Hello(Extension(0xFE0D, ""))), " +ech"},
      {"ESNI", Record(Hello(Extension(0xFFCE, "x") + Name("a.example"))), "a.example +ech"},
      {"a neighbour of ECH", Record(Hello(Extension(0xFE0C, "x"))), ""},
      {"GREASE", Record(Hello(Extension(0x0A0A, "") + Name("a.example") + Extension(0x3A3A, "x"))),
       "a.example"},
      {"a name as content of another extension",
       Record(Hello(Extension(7, Name("evil.example")) + Name("a.example"))), "a.example"},
      {"early data behind it", Record(Hello(Name("a.example"))) + Record("data", 0x0303, 23),
       "a.example"},
      {"text behind it", Record(Hello(Name("a.example"))) + "GET / HTTP/1.1\r\n", "a.example"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Parsed(row.bytes) == row.want);
  }
}

TEST_CASE("client hello: records that hold anything else are refused") {
  struct Row {
    std::string_view name;
    std::string bytes;
    std::string_view want;
  };
  const std::string good = Hello(Name("forge.example"));
  const std::string half = Record(good.substr(0, 20));
  constexpr std::string_view kNotTls = "bad: does not begin with a TLS handshake record";
  constexpr std::string_view kOtherRecord =
      "bad: has another TLS record, or an empty one, in its ClientHello";
  const Row kRows[] = {
      {"HTTP", "GET / HTTP/1.1\r\n", kNotTls},
      {"one letter of HTTP", "G", kNotTls},
      {"SSH", "SSH-2.0-OpenSSH_9.2\r\n", kNotTls},
      {"SSL 2", FromHex("802e 0100020015000000100100800200800300800400800500800600"), kNotTls},
      {"SSL 3", Record(good, 0x0300), kNotTls},
      {"record version 0x0304", Record(good, 0x0304), kNotTls},
      {"record version 0x0401", Record(good, 0x0401), kNotTls},
      {"DTLS", FromHex("16feff"), kNotTls},
      {"an alert", Record(FromHex("0100"), 0x0301, 21), kNotTls},
      {"application data", Record("data", 0x0303, 23), kNotTls},
      {"a change of cipher", Record("\x01", 0x0303, 20), kNotTls},
      {"an empty record", Record(""), kNotTls},
      {"a record of more than 16 KB", FromHex("160301 4001"), kNotTls},
      {"an empty record within", half + Record("") + Record(good.substr(20)), kOtherRecord},
      {"an alert within", half + Record("xx", 0x0301, 21), kOtherRecord},
      {"text within", half + "GET / HTTP/1.1\r\n", kOtherRecord},
      {"a ServerHello", Record(Message(kFixed, 2)),
       "bad: begins with a TLS handshake message other than ClientHello"},
      {"a HelloRequest", Record(Message("", 0)),
       "bad: begins with a TLS handshake message other than ClientHello"},
      {"another message in the same record", Record(good + Message("", 0)),
       "bad: has data behind the TLS ClientHello in its record"},
      {"a byte behind it in the same record", half + Record(good.substr(20) + "x"),
       "bad: has data behind the TLS ClientHello in its record"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Parsed(row.bytes) == row.want);
    CHECK(Parsed(row.bytes + "more") == row.want);
  }
}

TEST_CASE("client hello: lengths that do not agree are refused") {
  struct Row {
    std::string_view name;
    std::string body;
  };
  const std::string version = FromHex("0303");
  const std::string start = version + kRandom;
  const std::string name = Name("forge.example");
  const Row kRows[] = {
      {"an empty message", ""},
      {"only a version", version},
      {"a cut random", version + kRandom.substr(1)},
      {"no session id", start},
      {"a session id of 33 bytes",
       start + Sized(std::string(33, 's'), 1) + FromHex("0002 1301 0100")},
      {"a session id beyond the end", start + FromHex("20 0002 1301 0100")},
      {"no ciphers", start + FromHex("00 0000 0100")},
      {"half a cipher", start + FromHex("00 0003 130113 0100")},
      {"ciphers beyond the end", start + FromHex("00 0010 1301 0100")},
      {"no compression methods", start + FromHex("00 0002 1301 00")},
      {"compression methods beyond the end", start + FromHex("00 0002 1301 02 00")},
      {"a byte of extensions", kFixed + FromHex("00")},
      {"fewer extensions than they say", kFixed + FromHex("0005") + FromHex("00170000")},
      {"more than the extensions", kFixed + Sized(name, 2) + "x"},
      {"a byte in place of an extension", kFixed + Sized(FromHex("00"), 2)},
      {"an extension without a length", kFixed + Sized(FromHex("0017"), 2)},
      {"an extension beyond the list", kFixed + Sized(FromHex("0017 0001"), 2)},
      {"a version of SSL 3", FromHex("0300") + kFixed.substr(2)},
      {"a version beyond TLS 1.2", FromHex("0304") + kFixed.substr(2)},
      {"a server name without content", kFixed + Sized(Extension(0, ""), 2)},
      {"an empty list of server names", kFixed + Sized(NameList(""), 2)},
      {"a list longer than its extension",
       kFixed + Sized(Extension(0, BigEndian(20, 2) + NameEntry("forge.example")), 2)},
      {"a list shorter than its extension",
       kFixed + Sized(Extension(0, Sized(NameEntry("forge.example"), 2) + "x"), 2)},
      {"an entry longer than its list", kFixed + Sized(NameList(FromHex("00 0009") + "a"), 2)},
      {"an entry that is only a type", kFixed + Sized(NameList(FromHex("00")), 2)},
      {"an entry of another type", kFixed + Sized(NameList(NameEntry("forge.example", 1)), 2)},
      {"two names in a list",
       kFixed + Sized(NameList(NameEntry("forge.example") + NameEntry("evil.example")), 2)},
      {"a byte behind the name", kFixed + Sized(NameList(NameEntry("forge.example") + "x"), 2)},
      {"two server name extensions", kFixed + Sized(name + Name("evil.example"), 2)},
      {"the same server name twice", kFixed + Sized(name + name, 2)},
      {"another extension twice", kFixed + Sized(Extension(23, "") + name + Extension(23, ""), 2)},
      {"ECH twice", kFixed + Sized(Extension(0xFE0D, "") + Extension(0xFE0D, ""), 2)},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Parsed(Record(Message(row.body))).starts_with("bad: "));
    // Also if it does not come at once.
    CHECK(Parsed(InRecords(Message(row.body), 1)) == Parsed(Record(Message(row.body))));
  }
}

TEST_CASE("client hello: the name must be a host name") {
  using namespace std::string_view_literals;
  const std::string label(63, 'a');
  const std::string most = label + "." + label + "." + label + "." + std::string(61, 'a');
  for (const std::string& name : {std::string("a"), std::string("_a-b.example"),
                                  std::string("xn--bcher-kva.example"), label + ".example", most}) {
    CAPTURE(name);
    CHECK(Parsed(Record(Hello(Name(name)))) == name);
  }
  CHECK(Parsed(Record(Hello(Name("FORGE.Example")))) == "forge.example");
  const std::string_view kBad[] = {
      ""sv,
      "."sv,
      "forge.example."sv,
      ".forge.example"sv,
      "forge..example"sv,
      "forge.example\0"sv,
      "forge.example\0.evil.example"sv,
      "\0"sv,
      "forge .example"sv,
      " forge.example"sv,
      "forge.example\n"sv,
      "forge.example:443"sv,
      "https://forge.example"sv,
      "*.example"sv,
      "me@forge.example"sv,
      "%66orge.example"sv,
      "forge.example%00"sv,
      "b\xC3\xBC"
      "cher.example"sv,
      "forge\xE3\x80\x82"
      "example"sv,
      "\xEF\xBC\x91.1.1.1"sv,
      "192.0.2.1"sv,
      "127.1"sv,
      "0x7f.1"sv,
      "2130706433"sv,
      "forge.1"sv,
      "[::1]"sv,
      "::1"sv,
      "fe80::1%eth0"sv,
  };
  for (const std::string_view name : kBad) {
    CAPTURE(name);
    CHECK(Parsed(Record(Hello(Name(name)))) ==
          "bad: has a TLS server name that is not a host name");
  }
  for (const std::string& name : {label + "a.example", most + "a"}) {
    CAPTURE(name);
    CHECK(Parsed(Record(Hello(Name(name)))).starts_with("bad: "));
  }
}

TEST_CASE("client hello: it has at most 16 KB on the wire") {
  constexpr std::string_view kTooLong = "bad: has a TLS ClientHello of more than 16 KB";
  const std::string name = Name("forge.example");
  const size_t others = 5 + Hello(name + Extension(21, "")).size();
  const std::string longest = Hello(name + Extension(21, std::string(kMaxClientHello - others, 0)));
  REQUIRE(Record(longest).size() == kMaxClientHello);
  CHECK(Parsed(Record(longest)) == "forge.example");
  const std::string too_long =
      Hello(name + Extension(21, std::string(kMaxClientHello - others + 1, 0)));
  CHECK(Parsed(Record(too_long)) == kTooLong);
  // A second record costs five bytes more.
  CHECK(Parsed(InRecords(longest, 9000)) == kTooLong);
  CHECK(Parsed(InRecords(longest.substr(0, 3), 1)) == "more");
  const std::string shorter =
      Hello(name + Extension(21, std::string(kMaxClientHello - others - 5, 0)));
  REQUIRE(InRecords(shorter, 9000).size() == kMaxClientHello);
  CHECK(Parsed(InRecords(shorter, 9000)) == "forge.example");
  // It is refused as soon as its header says so.
  CHECK(Parsed(Record(too_long).substr(0, 5)) == kTooLong);
  CHECK(Parsed(InRecords(longest, 9000).substr(0, 8)) == "more");
  CHECK(Parsed(InRecords(longest, 9000).substr(0, 9)) == kTooLong);
  CHECK(Parsed(Record(FromHex("01ffffff"))) == kTooLong);
}

TEST_CASE("client hello: a first byte tells whether it may be TLS") {
  CHECK_FALSE(LooksLikeTls(""));
  CHECK(LooksLikeTls("\x16"));
  CHECK(LooksLikeTls(FromHex("1603")));
  CHECK(LooksLikeTls(FromHex("160301")));
  CHECK(LooksLikeTls(FromHex("16030140")));
  CHECK(LooksLikeTls(FromHex("160301 4000")));
  CHECK(LooksLikeTls(FromHex("160303 0001 ff")));
  for (const std::string_view other : {"15", "80", "47455420", "1602", "160300", "160304",
                                       "16030141", "1603014001", "1603010000"}) {
    CAPTURE(other);
    CHECK_FALSE(LooksLikeTls(FromHex(other)));
  }
}
