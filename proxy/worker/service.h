// What all connections of a worker share.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/not_copied.h"
#include "proxy/worker/broker_client.h"
#include "proxy/worker/relay.h"

namespace ringfence {

class Service : NotCopied {
 public:
  // `password` is that of kProxyUser for the explicit proxy; "" if it asks for none.
  Service(boost::asio::io_context& io, UniqueFd broker, std::string_view password);

  boost::asio::io_context& io() { return io_; }
  BrokerClient& broker() { return broker_; }
  // The value of Proxy-Authorization that explicit clients must send; "" for none.
  const std::string& credential() const { return credential_; }
  // True for this user name and password.
  bool IsLogin(std::string_view user, std::string_view password) const;

  // Returns a closed socket if the kernel can watch no further one.
  TcpSocket Adopt(UniqueFd socket);
  // The same for the socket that came with a grant. If it cannot be watched, `answer` becomes a
  // denial, and the grant has been reported as done. A closed socket if there was none.
  TcpSocket HostOf(uint64_t grant, BrokerAnswer& answer);

  // Relays until both sides have ended, and then reports the use of the grant `id`, together with
  // what it was used for `before`. `place` is held until then.
  void Join(uint64_t id, Relay::Ends ends, std::shared_ptr<void> place, const Usage& before = {});

  // Ends the connection once nothing has passed for 10 minutes, or for 30 seconds if the client has
  // abandoned it.
  void Watch(std::weak_ptr<Watched> connection) { watched_.push_back(std::move(connection)); }
  // To be called now and then. `now`: nanoseconds, CLOCK_MONOTONIC.
  void DropIdle(int64_t now);

  // Sends `reply` to the client, and then closes so that the client can still read it. `place` is
  // held until then; it may be null.
  void EndWithReply(TcpSocket client, std::string reply, std::shared_ptr<void> place);

  // In which the rest of an HTTP request's head must come; a test sets another one.
  std::chrono::milliseconds head_limit{10'000};

  // The number of connections; a new one is refused at kMaxConnections.
  static constexpr size_t kMaxConnections = 1024;
  // If all places are taken, connections that their clients have closed, or half closed, and on
  // which nothing has passed for a second lose theirs. Null if there are still too many. `now`:
  // as for DropIdle().
  std::shared_ptr<void> Admit(int64_t now = Nanoseconds(CLOCK_MONOTONIC));
  size_t connections() const { return *count_; }

 private:
  void Drop(int64_t now, int64_t limit, int64_t abandoned_limit);

  boost::asio::io_context& io_;
  BrokerClient broker_;
  std::string credential_;
  std::list<std::weak_ptr<Watched>> watched_;
  int64_t freed_at_ = 0;  // when Admit() looked for places last
  std::shared_ptr<size_t> count_ = std::make_shared<size_t>(0);
};

// Why a connection is refused whose socket cannot be watched (epoll(7)).
inline constexpr std::string_view kUnwatchedSocket =
    "the programs of this user leave the kernel no room to watch a connection "
    "(fs.epoll.max_user_watches)";

// A response of the proxy's own, with a sentence for people and models in its body and, since
// clients show no body of a refused CONNECT, in a header.
std::string ProxyResponse(int status, std::string_view sentence);
// The status for a denial (RFC 9110).
int StatusOf(DenialKind denial);

}  // namespace ringfence
