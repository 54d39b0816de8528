// Makes the connections that the policy permits: looks names up, checks their addresses, and dials,
// or asks the proxy of network.upstream for a tunnel.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/not_copied.h"
#include "base/unique_fd.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/rules/address.h"
#include "proxy/broker/live_policy.h"
#include "proxy/broker/own_addresses.h"
#include "proxy/broker/resolver.h"
#include "proxy/ipc.h"

namespace ringfence {

struct Connection {
  UniqueFd socket;       // nonblocking; invalid if there is no connection
  std::string address;   // to which it leads; "" through a proxy
  std::string upstream;  // "host:port" of the proxy that makes it, or should have; "" for none
  // If there is no connection: the policy's denial, or what failed.
  std::optional<NameDecision> denied;
  DenialKind kind = DenialKind::kUnreachable;
  std::string error;  // a clause: "it cannot be reached: ..."
};

// For a policy that cannot be used.
Connection WithoutPolicy(const Error& error);

class Connector : NotCopied {
 public:
  using Handler = std::function<void(Connection)>;

  Connector(boost::asio::io_context& io, LivePolicy& policy)
      : io_(io), policy_(policy), resolver_(io) {}

  // `host` is one that EvaluateHost() permits by `policy`, which LivePolicy::Current() has just
  // returned. After a lookup, the name is evaluated again, and its addresses, by the policy as it
  // is then. Calls `handler` once, maybe before it returns; a denial is of LivePolicy::last().
  void Connect(const std::string& host, uint16_t port, const Policy& policy, Handler handler);

  // True while a lookup runs: then the destructor waits for its end.
  bool is_looking_up() const { return resolver_.is_busy(); }

 private:
  struct Wanted {
    std::string host;  // canonical
    uint16_t port = 0;
    Handler handler;

    std::string target() const { return host + ":" + std::to_string(port); }
  };
  using Request = std::shared_ptr<const Wanted>;
  struct Proxy {
    std::string host;
    uint16_t port = 0;

    std::string text() const { return host + ":" + std::to_string(port); }
  };

  // The addresses of a host that needs no lookup. Errors continue a sentence that begins with the
  // name, here and below.
  std::optional<Resolver::Found> Known(const std::string& host);
  // Gives up after a while.
  void LookUp(const std::string& host, Resolver::Handler handler);
  void Take(const Request& wanted, const Resolver::Found& found, const Policy& policy);
  void LookUpUpstream(const Request& wanted, std::vector<Address> addresses, const Proxy& proxy);
  void CheckAddresses(const Request& wanted, const std::vector<Address>& addresses,
                      const std::vector<Address>& of_upstream, const Policy& policy);
  bool MayLeadTo(const std::vector<Address>& others, const Address& address);
  NameDecision Evaluate(const Wanted& wanted, const Address& address, const Policy& policy);
  void Dial(const Request& wanted, std::vector<Address> addresses);
  void GoUpstream(const Request& wanted, const Upstream& upstream);
  void OpenTunnel(const Request& wanted, const Proxy& proxy, UniqueFd socket);

  boost::asio::io_context& io_;
  LivePolicy& policy_;
  Resolver resolver_;
  OwnAddresses own_addresses_;
};

}  // namespace ringfence
