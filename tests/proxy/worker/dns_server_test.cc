#include "proxy/worker/dns_server.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/dns_queries.h"
#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

struct Serving {
  WorkerBench bench;
  NameMap names;
  DnsServer server{bench.service(), names};

  // The code of the reply and its records: "0" and an address, a name or nothing; "" for no reply.
  std::string Asked(std::string_view name, DnsType type = DnsType::kA) {
    const std::string query = DnsQueryBytes(name, type);
    const std::string reply = server.Answer(query);
    if (reply.empty()) return "";
    REQUIRE(reply.size() >= query.size());
    CHECK(reply.substr(0, 2) == query.substr(0, 2));
    const std::string code = std::to_string(reply[3] & 0xF);
    const std::string record = reply.substr(query.size());
    if (record.empty()) return code;
    constexpr size_t kRecordHead = 12;  // name, type, class, TTL, length
    std::string text = code;
    const std::string data = record.substr(kRecordHead);
    if (type == DnsType::kPtr) return text + (data == DnsLabels("a.example") ? " a.example" : "?");
    for (const char byte : data) {
      text += (text.size() == 1 ? " " : ".") + std::to_string(static_cast<uint8_t>(byte));
    }
    return text;
  }
};

// A datagram socket as the gateway has it, and one that asks.
struct Datagrams {
  UniqueFd server{::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  UniqueFd client;

  // A client of an address of this machine; it takes replies from there only.
  explicit Datagrams(const char* to) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    socklen_t size = sizeof address;
    const int on = 1;
    const int off = 0;
    void* const bytes = &address;
    REQUIRE(::setsockopt(server.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0);
    REQUIRE(::setsockopt(server.get(), IPPROTO_IP, IP_PKTINFO, &on, sizeof on) == 0);
    REQUIRE(::setsockopt(server.get(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on) == 0);
    REQUIRE(::bind(server.get(), SocketAddress(address), size) == 0);
    REQUIRE(::getsockname(server.get(), static_cast<sockaddr*>(bytes), &size) == 0);
    REQUIRE(::inet_pton(AF_INET6, to, &address.sin6_addr) == 1);
    client = UniqueFd(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    REQUIRE(::setsockopt(client.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0);
    REQUIRE(::connect(client.get(), SocketAddress(address), size) == 0);
  }
  void Send(const std::string& bytes) const {
    REQUIRE(::send(client.get(), bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()));
  }
  std::string Receive(boost::asio::io_context& io) const {
    std::array<char, 1024> buffer{};
    ssize_t got = -1;
    REQUIRE(RunUntil(io, [&] {
      got = ::recv(client.get(), buffer.data(), buffer.size(), 0);
      return got > 0;
    }));
    return {buffer.data(), static_cast<size_t>(got)};
  }
};

std::string Framed(const std::string& message) { return Sized(message, 2); }

}  // namespace

TEST_CASE("dns server: each name has an address, and each of these its name") {
  Serving serving;
  CHECK(serving.Asked("a.example") == "0 198.18.1.0");
  CHECK(serving.Asked("B.example") == "0 198.18.1.1");
  CHECK(serving.Asked("A.EXAMPLE") == "0 198.18.1.0");
  CHECK(serving.Asked("0.1.18.198.in-addr.arpa", DnsType::kPtr) == "0 a.example");
  CHECK(serving.Asked("9.1.18.198.in-addr.arpa", DnsType::kPtr) == "3");
  CHECK(serving.Asked("a.example", DnsType::kPtr) == "3");
}

TEST_CASE("dns server: names of its own") {
  Serving serving;
  CHECK(serving.Asked("localhost") == "0 127.0.0.1");
  CHECK(serving.Asked("a.localhost") == "0 127.0.0.1");
  CHECK(serving.Asked("alocalhost") == "0 198.18.1.0");
  CHECK(serving.Asked("localhost", DnsType::kAaaa) == "0");
  CHECK(serving.Asked("invalid") == "3");
  CHECK(serving.Asked("a.invalid") == "3");
  CHECK(serving.Asked("") == "0");
  CHECK(serving.Asked("1.2.3.4") == "3");
  CHECK(serving.names.size() == 1);
}

TEST_CASE("dns server: other records are empty, and those that a program may miss are reported") {
  Serving serving;
  for (const DnsType type : {DnsType::kAaaa, DnsType::kHttps, DnsType::kSvcb, DnsType::kCname,
                             static_cast<DnsType>(99)}) {
    CHECK(serving.Asked("a.example", type) == "0");
  }
  CHECK(serving.bench.HearsNothing());
  CHECK(serving.Asked("a.example", DnsType::kMx) == "0");
  CHECK(serving.bench.Heard() == "r dns a.example 0 the sandbox's resolver has no MX records");
  CHECK(serving.Asked("a.example", DnsType::kTxt) == "0");
  CHECK(serving.bench.Heard() == "r dns a.example 0 the sandbox's resolver has no TXT records");
  CHECK(serving.Asked("a.example", DnsType::kSrv) == "0");
  CHECK(serving.bench.Heard() == "r dns a.example 0 the sandbox's resolver has no SRV records");
  CHECK(serving.names.size() == 0);
}

TEST_CASE("dns server: no address is left for another name") {
  Serving serving;
  for (size_t i = 0; i < NameMap::kMaxNames; ++i) serving.names.AddressOf(std::to_string(i));
  CHECK(serving.Asked("a.example") == "5");
  CHECK(serving.bench.Heard() == "r dns a.example 0 this session has looked up too many names");
}

TEST_CASE("dns server: what cannot be reported now gets no reply") {
  Serving serving;
  serving.names.AddressOf("known.example");
  for (size_t i = 0; i < NameMap::kMaxNames; ++i) serving.names.AddressOf(std::to_string(i));
  BrokerClient& broker = serving.bench.service().broker();
  while (!broker.is_busy()) broker.Refused({kDnsProtocol, "b.example", 0}, "a flood");
  CHECK(serving.Asked("a.example") == "");
  CHECK(serving.Asked("a.example", DnsType::kMx) == "");
  CHECK(serving.Asked("known.example").starts_with("0 198.18."));
}

TEST_CASE("dns server: what is no query gets no reply") {
  Serving serving;
  CHECK(serving.server.Answer("").empty());
  CHECK(serving.server.Answer("x").empty());
  std::string response = DnsQueryBytes("a.example");
  response[2] = '\x81';
  CHECK(serving.server.Answer(response).empty());
}

TEST_CASE("dns server: datagrams") {
  Serving serving;
  const char* to = "";
  SUBCASE("IPv4") { to = "::ffff:127.0.0.2"; }
  SUBCASE("IPv6") { to = "::1"; }
  Datagrams datagrams(to);
  serving.server.ServeDatagrams(std::move(datagrams.server));
  datagrams.Send("not a query");
  datagrams.Send(std::string(kMaxDnsQuery + 1, 'x'));
  const std::string query = DnsQueryBytes("a.example");
  datagrams.Send(query);
  CHECK(datagrams.Receive(serving.bench.io()) == serving.server.Answer(query));
  // More than are answered at once.
  for (int i = 0; i < 100; ++i) datagrams.Send(query);
  for (int i = 0; i < 100; ++i) datagrams.Receive(serving.bench.io());
}

TEST_CASE("dns server: several queries on one connection") {
  Serving serving;
  auto [client, far] = serving.bench.Connection();
  serving.server.ServeStream(std::move(client));
  const std::string query = DnsQueryBytes("a.example");
  const std::string reply = Framed(serving.server.Answer(query));
  far.Send(Framed(query).substr(0, 1));
  far.Send(Framed(query).substr(1));
  CHECK(far.Take(reply.size()) == reply);
  far.Send(Framed(query) + Framed(query));
  CHECK(far.Take(2 * reply.size()) == reply + reply);
  CHECK(serving.bench.service().connections() == 1);
  far.HalfClose();
  CHECK(far.Rest().empty());
  CHECK(RunUntil(serving.bench.io(), [&] { return serving.bench.service().connections() == 0; }));
}

TEST_CASE("dns server: a connection with anything else ends") {
  Serving serving;
  auto [client, far] = serving.bench.Connection();
  serving.server.ServeStream(std::move(client));
  SUBCASE("too long") { far.Send(BigEndian(kMaxDnsQuery + 1, 2)); }
  SUBCASE("no query") { far.Send(Framed("not a query")); }
  SUBCASE("an empty message") { far.Send(Framed("")); }
  SUBCASE("half a query") {
    far.Send(Framed("half").substr(0, 4));
    far.HalfClose();
  }
  CHECK(far.Rest().empty());
}

TEST_CASE("dns server: a connection too many is reset") {
  Serving serving;
  std::vector<std::shared_ptr<void>> places;
  while (std::shared_ptr<void> place = serving.bench.service().Admit()) places.push_back(place);
  auto [client, far] = serving.bench.Connection();
  serving.server.ServeStream(std::move(client));
  CHECK(far.IsReset());
}
