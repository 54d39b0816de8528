// The hook reads a host from a URL or from allowed_domains, and the proxy from the bytes of
// protocols. All decide alike, whatever the host, its spelling, the port and the policy.
// RINGFENCE_SEED repeats a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "policy/evaluate/evaluate_connection.h"
#include "policy/evaluate/evaluate_url.h"
#include "policy/sandbox_network.h"
#include "proxy/wire/dns_message.h"
#include "proxy/wire/http_authority.h"
#include "proxy/wire/socks.h"
#include "tests/support/host_rows.h"
#include "tests/support/mutate.h"
#include "tests/support/random_policy.h"
#include "tests/support/wire_bytes.h"

using namespace ringfence;

namespace {

constexpr int kPolicies = 500;
constexpr int kHosts = 20;

struct Read {
  std::string host;
  uint16_t port = 0;
};

std::optional<Read> FromAuthority(const std::string& host, uint16_t port) {
  HttpAuthority authority;
  WireError error;
  const std::string text = host + ":" + std::to_string(port);
  if (!ReadHttpAuthority(text, authority, error)) return {};
  return Read{authority.host, authority.port};
}

std::optional<Read> FromSocks(const std::string& host, uint16_t port) {
  if (host.empty() || host.size() > 255) return {};
  SocksRequest request;
  WireError error;
  SocksReply reply{};
  const std::string bytes = FromHex("05010003") + Sized(host, 1) + BigEndian(port, 2);
  if (ParseSocksRequest(bytes, request, error, reply) != Progress::kDone) return {};
  if (request.size != bytes.size()) return {};
  return Read{request.host, request.port};
}

// As a resolver library sends the name; the connection to its address brings the port.
std::optional<Read> FromDns(const std::string& host, uint16_t port) {
  std::string labels;
  std::string_view rest = host;
  if (rest.ends_with('.')) rest.remove_suffix(1);
  if (rest.ends_with('.')) return {};
  while (!rest.empty()) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    if (label.empty() || label.size() > 63) return {};
    labels += Sized(label, 1);
    rest.remove_prefix(std::min(label.size() + 1, rest.size()));
  }
  const std::string message = FromHex("123401000001000000000000") + labels + FromHex("0000010001");
  std::optional<DnsAnswer> refusal;
  const std::optional<DnsQuery> query = ParseDnsQuery(message, refusal);
  if (!query || refusal || query->name.empty()) return {};
  return Read{query->name, port};
}

using Reader = std::optional<Read> (*)(const std::string& host, uint16_t port);
constexpr Reader kReaders[] = {&FromAuthority, &FromSocks, &FromDns};

std::string Respelled(RandomPolicies& random, std::string host) {
  for (char& c : host) {
    if (IsLower(c) && random.OneIn(2)) c = static_cast<char>(c - 'a' + 'A');
  }
  return host + (host.front() != '[' && random.OneIn(3) ? "." : "");
}

std::string OddlySpelled(const std::string& host, std::mt19937& random) {
  static constexpr std::string_view kWords[] = {
      "%2e", "%41", "\xE3\x80\x82", "\xEF\xBC\x91", "@",   ":80", "[",   "]",   " ",  "\\",
      "/",   "..",  "xn--",         "0x7f",         "017", "::1", "1.2", "%00", "\t", "#"};
  return Mutate(host, kWords, random);
}

struct RandomPolicy {
  World world;
  Policy policy;
  Policy inside;  // that of a sandbox

  explicit RandomPolicy(RandomPolicies& random) {
    nlohmann::json network = random.Network();
    if (random.OneIn(2)) network["allow"].push_back("host.ringfence:8080");
    const std::string users = nlohmann::json{{"network", network}}.dump();
    policy = inside = PolicyOfUser(world, users.substr(1, users.size() - 2));
    inside.network = SandboxNetwork(policy, false);
    REQUIRE(inside.network);
  }
};

std::string UrlOf(const std::string& host, uint16_t port) {
  return "https://" + host + ":" + std::to_string(port) + "/";
}

}  // namespace

TEST_CASE("property: what the proxy reads and decides is what the hook decides of the URL") {
  RandomPolicies random(TestSeed() + 12);
  MESSAGE("RINGFENCE_SEED=" << TestSeed());
  int counts[3] = {};
  int unread = 0;
  for (int i = 0; i < kPolicies; ++i) {
    const RandomPolicy drawn(random);
    const Policy& policy = drawn.policy;
    for (int n = 0; n < kHosts; ++n) {
      const std::string spelled = Respelled(random, random.Host());
      const uint16_t port = random.Port();
      const Verdict of_url = EvaluateUrl(UrlOf(spelled, port), policy).verdict;
      ++counts[static_cast<size_t>(of_url)];
      CAPTURE(UrlOf(spelled, port));
      for (const Reader reader : kReaders) {
        const std::optional<Read> read = reader(spelled, port);
        if (!read) {  // an address in a DNS query
          const bool is_dns = reader == &FromDns;
          CHECK(is_dns);
          ++unread;
          continue;
        }
        REQUIRE(read->port == port);
        const Verdict connected = EvaluateConnection(read->host, read->port, drawn.inside).verdict;
        // An address is evaluated as an address, too: the loopback's are refused.
        const bool may_differ = ParseAddress(read->host) && of_url == Verdict::kPermit;
        CHECK((may_differ || (connected == Verdict::kPermit) == (of_url == Verdict::kPermit)));
      }
    }
  }
  for (const int count : counts) CHECK(count > kPolicies * kHosts / 50);
  CHECK(unread < kPolicies * kHosts / 2);
}

// Bash asks for hosts, and then connects to any of them at ports 80 and 443, or at the one it
// named.
TEST_CASE("property: the hook permits in allowed_domains what the proxy permits to connect to") {
  RandomPolicies random(TestSeed() + 15);
  int permitted = 0;
  int refused = 0;
  for (int i = 0; i < kPolicies; ++i) {
    const RandomPolicy drawn(random);
    const Policy& policy = drawn.policy;
    const auto connects = [&](const std::string& host, uint16_t port) {
      return EvaluateConnection(host, port, drawn.inside).verdict == Verdict::kPermit;
    };
    for (int n = 0; n < kHosts; ++n) {
      const std::string host = random.Host();
      const bool has_port = random.OneIn(2) || host == kHostLoopback;
      const uint16_t port = has_port ? random.Port() : uint16_t{0};
      const std::string at = has_port ? ":" + std::to_string(port) : "";
      const auto asked = [&](const std::string& entry) {
        return EvaluateHosts(entry, policy).verdict == Verdict::kPermit;
      };
      const auto reached = [&](const std::string& name) {
        return has_port ? connects(name, port) : connects(name, 80) && connects(name, 443);
      };
      CAPTURE(host + at);
      CHECK(asked(host + at) == reached(host));
      ++(reached(host) ? permitted : refused);
      // A pattern is permitted only with all that it covers.
      if (asked("*." + host + at)) CHECK(reached("a." + host));
      if (asked("*" + at)) CHECK(reached("any.invalid"));
    }
  }
  CHECK(permitted > kPolicies);
  CHECK(refused > kPolicies);
}

TEST_CASE("property: no spelling of a host gets past the proxy that the hook refuses") {
  RandomPolicies random(TestSeed() + 13);
  std::mt19937 bytes(TestSeed() + 14);
  int permitted = 0;
  for (int i = 0; i < kPolicies; ++i) {
    const RandomPolicy drawn(random);
    const Policy& policy = drawn.policy;
    for (int n = 0; n < kHosts; ++n) {
      const std::string spelled = OddlySpelled(random.Host(), bytes);
      const uint16_t port = random.Port();
      for (const Reader reader : kReaders) {
        const std::optional<Read> read = reader(spelled, port);
        if (!read ||
            EvaluateConnection(read->host, read->port, drawn.inside).verdict != Verdict::kPermit)
          continue;
        ++permitted;
        CAPTURE(UrlOf(spelled, port));
        CHECK(EvaluateUrl(UrlOf(spelled, read->port), policy).verdict == Verdict::kPermit);
        CHECK(EvaluateUrl(UrlOf(read->host, read->port), policy).verdict == Verdict::kPermit);
      }
    }
  }
  CHECK(permitted > kPolicies);
}
