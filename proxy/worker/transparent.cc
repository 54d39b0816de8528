#include <sys/socket.h>

#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "policy/rules/address.h"
#include "proxy/wire/client_hello.h"
#include "proxy/worker/http_exchange.h"
#include "proxy/worker/ingress.h"
#include "proxy/worker/tunnel.h"

namespace ringfence {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;
// How long a refused client has to show that it speaks HTTP, and so can read a reason. At port 80
// it most likely does.
constexpr std::chrono::milliseconds kReasonWait{100};
constexpr std::chrono::seconds kHttpReasonWait{3};

// Where the program believes to be connected; `is_known` if it may be, since no name has the other
// addresses of the range.
Target TargetOf(const TcpSocket& client, const NameMap& names, bool& is_known) {
  error_code error;
  const tcp::endpoint local = client.local_endpoint(error);
  Target target{kTcpProtocol, "", local.port()};
  if (error) return target;
  if (target.port == kHttpPort) target.protocol = kHttpProtocol;
  if (target.port == kHttpsPort) target.protocol = kTlsProtocol;
  Address address{};
  if (local.address().is_v6()) {
    address = local.address().to_v6().to_bytes();
  } else {
    address = boost::asio::ip::make_address_v6(boost::asio::ip::v4_mapped, local.address().to_v4())
                  .to_bytes();
  }
  const bool is_ipv4 = AddressText(address).front() != '[';
  const Ipv4 ipv4 = {address[12], address[13], address[14], address[15]};
  const bool is_name = is_ipv4 && NameMap::IsInRange(ipv4);
  const std::string* const name = is_name ? names.NameOf(ipv4) : nullptr;
  target.host = name != nullptr ? *name : AddressText(address);
  is_known = !is_name || name != nullptr;
  return target;
}

// Asks the broker for the connection, while the client may already speak.
class TransparentConnection final : public Watched,
                                    public std::enable_shared_from_this<TransparentConnection> {
 public:
  TransparentConnection(Service& service, TcpSocket client, Target target,
                        std::shared_ptr<void> place)
      : service_(service),
        client_(std::move(client)),
        target_(std::move(target)),
        place_(std::move(place)),
        wait_(service.io()) {}

  void Start() {
    grant_ = service_.broker().Open(target_, [self = shared_from_this()](BrokerAnswer answer) {
      self->HandleAnswer(std::move(answer));
    });
    service_.Watch(shared_from_this());
  }

  bool IsAbandoned() override { return HasHungUp(client_); }
  void Abort() override {
    service_.broker().Done(grant_, {.note = EndNote()});
    ResetConnection(client_);
  }

 private:
  void HandleAnswer(BrokerAnswer answer) {
    TcpSocket host = service_.HostOf(grant_, answer);
    if (!answer.is_granted) return Explain(answer);
    if (target_.port == kHttpPort) {
      return HttpExchange::Begin(service_, {.client = std::move(client_),
                                            .place = std::move(place_),
                                            .kind = RequestSource::Kind::kTransparent,
                                            .transparent = target_,
                                            .granted = grant_,
                                            .host = std::move(host)});
    }
    Tunnel::Begin(service_, {.client = std::move(client_),
                             .place = std::move(place_),
                             .host = std::move(host),
                             .grant = grant_,
                             .target = target_});
  }

  // A client that speaks HTTP gets the reason; any other is reset.
  void Explain(const BrokerAnswer& answer) {
    if (target_.port == kHttpsPort) return ResetConnection(client_);
    reply_ = ProxyResponse(StatusOf(answer.denial), answer.sentence);
    wait_.expires_after(target_.port == kHttpPort ? kHttpReasonWait : kReasonWait);
    wait_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) ResetConnection(self->client_);
    });
    client_.async_wait(tcp::socket::wait_read,
                       [self = shared_from_this()](const error_code& error) {
                         if (!error) self->ReplyIfHttp();
                       });
  }

  void ReplyIfHttp() {
    wait_.cancel();
    const std::span<char> buffer = ReadBuffer();
    const ssize_t got = ::recv(client_.native_handle(), buffer.data(), buffer.size(), 0);
    const bool is_http = got > 0 && LooksLikeHttp({buffer.data(), static_cast<size_t>(got)});
    if (!is_http) return ResetConnection(client_);
    service_.EndWithReply(std::move(client_), std::move(reply_), std::move(place_));
  }

  Service& service_;
  TcpSocket client_;
  Target target_;
  std::shared_ptr<void> place_;
  boost::asio::steady_timer wait_;
  uint64_t grant_ = 0;
  std::string reply_;
};

}  // namespace

void AcceptTransparent(Service& service, const NameMap& names, TcpSocket client) {
  std::shared_ptr<void> place = service.Admit();
  bool is_known = false;
  Target target = TargetOf(client, names, is_known);
  if (place == nullptr) {
    service.broker().Refused(target, "the session has too many connections");
    return ResetConnection(client);
  }
  if (!is_known) {
    const auto refused = std::make_shared<TcpSocket>(std::move(client));
    return service.broker().Refused(target, "no name has this address; look the name up again",
                                    [refused, place] { ResetConnection(*refused); });
  }
  std::make_shared<TransparentConnection>(service, std::move(client), std::move(target),
                                          std::move(place))
      ->Start();
}

}  // namespace ringfence
