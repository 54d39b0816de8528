#include "proxy/broker/connector.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "policy/evaluate/evaluate_connection.h"
#include "policy/evaluate/evaluate_host.h"
#include "policy/evaluate/upstream_route.h"
#include "policy/rules/domain.h"
#include "proxy/broker/dialer.h"
#include "proxy/broker/upstream_tunnel.h"

namespace ringfence {
namespace {

using boost::system::error_code;

constexpr std::chrono::seconds kLookupLimit{10};

const Upstream* UpstreamOf(const Policy& policy) {
  const bool has_one = policy.network && policy.network->upstream;
  return has_one ? &*policy.network->upstream : nullptr;
}

Connection Failed(DenialKind kind, std::string error) {
  Connection failed;
  failed.kind = kind;
  failed.error = std::move(error);
  return failed;
}

Connection Denied(NameDecision decision) {
  Connection denied;
  denied.denied = std::move(decision);
  return denied;
}

// The error continues a sentence that begins with the name.
Resolver::Found Explained(Resolver::Found found) {
  if (!found.error.empty()) found.error.insert(0, "does not resolve: ");
  return found;
}

Connection FailedAt(const std::string& proxy, const std::string& error) {
  Connection failed = Failed(DenialKind::kUpstream,
                             "the proxy of network.upstream, " + Quote(proxy) + ", " + error);
  failed.upstream = proxy;
  return failed;
}

}  // namespace

Connection WithoutPolicy(const Error& error) {
  return Failed(DenialKind::kPolicy, "the policy cannot be used: " + error.text());
}

// Checks the policy again only after a wait: checking its files costs as much as everything else.
void Connector::Connect(const std::string& host, uint16_t port, const Policy& policy,
                        Handler handler) {
  const Result<std::string> plain = PlainHost(host);
  if (!plain) return handler(Failed(DenialKind::kPolicy, "it " + plain.error().what));
  const auto wanted = std::make_shared<const Wanted>(Wanted{*plain, port, std::move(handler)});
  if (IsLeftToUpstream(wanted->host, port, policy)) {
    return GoUpstream(wanted, *policy.network->upstream);
  }
  if (const std::optional<Resolver::Found> known = Known(wanted->host)) {
    return Take(wanted, *known, policy);
  }
  LookUp(wanted->host, [this, wanted](const Resolver::Found& found) {
    const Result<const Policy*> now = policy_.Current();
    if (!now) return wanted->handler(WithoutPolicy(now.error()));
    NameDecision decision = EvaluateConnection(wanted->host, wanted->port, **now);
    if (decision.verdict != Verdict::kPermit) return wanted->handler(Denied(std::move(decision)));
    Take(wanted, found, **now);
  });
}

std::optional<Resolver::Found> Connector::Known(const std::string& host) {
  if (const std::optional<Address> literal = ParseAddress(host)) return {{{*literal}, ""}};
  if (host == kHostLoopback) {
    return {{{*ParseAddress("127.0.0.1"), *ParseAddress("[::1]")}, ""}};
  }
  const Resolver::Found* known = resolver_.Known(host);
  if (known == nullptr) return std::nullopt;
  return Explained(*known);
}

void Connector::LookUp(const std::string& host, Resolver::Handler handler) {
  if (const std::optional<Resolver::Found> known = Known(host)) return handler(*known);
  auto timer = std::make_shared<boost::asio::steady_timer>(io_, kLookupLimit);
  auto once = std::make_shared<Resolver::Handler>(std::move(handler));
  timer->async_wait([timer, once](const error_code& error) {
    if (error || !*once) return;
    std::exchange(*once, {})({{}, "did not resolve within 10 seconds"});
  });
  resolver_.Resolve(host, [timer, once](const Resolver::Found& found) {
    if (!*once) return;
    timer->cancel();
    std::exchange(*once, {})(Explained(found));
  });
}

void Connector::Take(const Request& wanted, const Resolver::Found& found, const Policy& policy) {
  if (found.addresses.empty()) {
    return wanted->handler(Failed(DenialKind::kNoAddress, "it " + found.error));
  }
  const Upstream* upstream = UpstreamOf(policy);
  // It could be the proxy of network.upstream itself.
  const bool may_be_upstream = upstream != nullptr && upstream->port == wanted->port;
  if (!may_be_upstream) return CheckAddresses(wanted, found.addresses, {}, policy);
  LookUpUpstream(wanted, found.addresses, {upstream->host, upstream->port});
}

void Connector::LookUpUpstream(const Request& wanted, std::vector<Address> addresses,
                               const Proxy& proxy) {
  LookUp(proxy.host,
         [this, wanted, proxy, addresses = std::move(addresses)](const Resolver::Found& found) {
           if (found.addresses.empty()) return wanted->handler(FailedAt(proxy.text(), found.error));
           const Result<const Policy*> now = policy_.Current();
           if (!now) return wanted->handler(WithoutPolicy(now.error()));
           CheckAddresses(wanted, addresses, found.addresses, **now);
         });
}

// Takes those of the addresses that the policy permits for this name.
void Connector::CheckAddresses(const Request& wanted, const std::vector<Address>& addresses,
                               const std::vector<Address>& of_upstream, const Policy& policy) {
  const Upstream* upstream = UpstreamOf(policy);
  std::vector<Address> permitted;
  std::optional<NameDecision> refused;
  for (const Address& address : addresses) {
    if (upstream != nullptr && MayLeadTo(of_upstream, address)) {
      return wanted->handler(
          Denied(DeniedUpstream(wanted->host, wanted->port, address, *upstream)));
    }
    NameDecision decision = Evaluate(*wanted, address, policy);
    if (decision.verdict == Verdict::kPermit) {
      permitted.push_back(address);
    } else if (!refused) {
      refused = std::move(decision);
    }
  }
  if (permitted.empty()) return wanted->handler(Denied(std::move(*refused)));
  std::erase_if(permitted,
                [&](const Address& address) { return IsBeyondUpstream(address, policy); });
  if (permitted.empty()) return GoUpstream(wanted, *upstream);
  Dial(wanted, std::move(permitted));
}

// What listens at one address of this machine may listen at all of them.
bool Connector::MayLeadTo(const std::vector<Address>& others, const Address& address) {
  if (std::ranges::find(others, address) != others.end()) return true;
  const auto is_here = [this](const Address& one) {
    if (KindOfAddress(one) == AddressKind::kLoopback) return true;
    const Result<bool> is_own = own_addresses_.Contains(one);
    return !is_own || *is_own;
  };
  return is_here(address) && std::ranges::any_of(others, is_here);
}

NameDecision Connector::Evaluate(const Wanted& wanted, const Address& address,
                                 const Policy& policy) {
  NameDecision decision = EvaluateAddress(wanted.host, wanted.port, address, policy);
  // Loopback addresses are refused, or host.ringfence has them.
  const bool is_checked =
      decision.verdict != Verdict::kPermit || KindOfAddress(address) == AddressKind::kLoopback;
  if (is_checked) return decision;
  const Result<bool> is_own = own_addresses_.Contains(address);
  if (!is_own) {
    NameDecision denied{Verdict::kDeny, Cause{"", "the addresses of this machine cannot be read: " +
                                                      is_own.error().text()}};
    NameConnection(denied, wanted.target());
    return denied;
  }
  return *is_own ? EvaluateOwnAddress(wanted.host, wanted.port, address, policy) : decision;
}

void Connector::Dial(const Request& wanted, std::vector<Address> addresses) {
  Dialer::Dial(io_, std::move(addresses), wanted->port, [wanted](Dialer::Outcome outcome) {
    if (!outcome.socket.valid()) {
      return wanted->handler(
          Failed(DenialKind::kUnreachable, "it cannot be reached: " + outcome.error));
    }
    Connection made;
    made.socket = std::move(outcome.socket);
    made.address = AddressText(outcome.address);
    wanted->handler(std::move(made));
  });
}

// The user names the proxy, so its addresses may be private, or this machine's.
void Connector::GoUpstream(const Request& wanted, const Upstream& upstream) {
  const Proxy proxy{upstream.host, upstream.port};
  LookUp(proxy.host, [this, wanted, proxy](const Resolver::Found& found) {
    if (found.addresses.empty()) return wanted->handler(FailedAt(proxy.text(), found.error));
    Dialer::Dial(io_, found.addresses, proxy.port, [this, wanted, proxy](Dialer::Outcome outcome) {
      if (!outcome.socket.valid()) {
        return wanted->handler(FailedAt(proxy.text(), "cannot be reached: " + outcome.error));
      }
      OpenTunnel(wanted, proxy, std::move(outcome.socket));
    });
  });
}

void Connector::OpenTunnel(const Request& wanted, const Proxy& proxy, UniqueFd socket) {
  UpstreamTunnel::Open(io_, std::move(socket), wanted->target(),
                       [wanted, proxy](UpstreamTunnel::Outcome outcome) {
                         if (!outcome.socket.valid()) {
                           return wanted->handler(FailedAt(proxy.text(), outcome.error));
                         }
                         Connection made;
                         made.socket = std::move(outcome.socket);
                         made.upstream = proxy.text();
                         wanted->handler(std::move(made));
                       });
}

}  // namespace ringfence
