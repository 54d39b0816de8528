// A connection that the broker has granted: looks at the first bytes of the client, as far as rules
// concern them, and then relays.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "proxy/worker/service.h"

namespace ringfence {

// True if the bytes, at least three, can be the beginning of a request.
bool LooksLikeHttp(std::string_view bytes);

class Tunnel final : public Watched, public std::enable_shared_from_this<Tunnel> {
 public:
  struct Start {
    TcpSocket client;
    std::shared_ptr<void> place;  // Service::Admit()
    TcpSocket host;
    uint64_t grant = 0;
    Target target;
    std::string received;  // from the client
    std::string greeting;  // to be sent to the client first; "" for none
  };
  // At port 443, the client must begin with a TLS handshake that names the host. At port 80 it must
  // begin with that or with an HTTP request. At other ports a TLS handshake must not name another
  // host, and what looks like an HTTP request is treated as one. There the host may speak first;
  // then its bytes pass, and a request of the client is refused.
  static void Begin(Service& service, Start start);

  void Abort() override;

 private:
  Tunnel(Service& service, Start start);
  void Greet();
  void Look();
  void AwaitFirst();
  void AwaitHost();
  void HearHost();
  void ReadMore();
  void CheckHello();
  void StartRelay(Relay::FirstCheck check = nullptr);
  void RelayLate();
  void Refuse(const std::string& reason);
  void End(std::string_view note);
  // Reports the use and closes the host's side; returns false if that was done before.
  bool LeaveHost(std::string_view note);
  void BecomeExchange();

  Service& service_;
  Start start_;
  boost::asio::steady_timer limit_;
  bool is_over_ = false;
};

}  // namespace ringfence
