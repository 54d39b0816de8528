#include <sys/socket.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "proxy/wire/socks.h"
#include "proxy/worker/http_exchange.h"
#include "proxy/worker/ingress.h"
#include "proxy/worker/tunnel.h"

namespace ringfence {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kLimit{10};
constexpr char kSocksVersion = 5;

SocksReply ReplyFor(DenialKind denial) {
  switch (denial) {
    case DenialKind::kPolicy:
      return SocksReply::kNotAllowed;
    case DenialKind::kNoAddress:
      return SocksReply::kHostUnreachable;
    case DenialKind::kUnreachable:
      return SocksReply::kRefused;
    case DenialKind::kUpstream:
    case DenialKind::kBusy:
      break;
  }
  return SocksReply::kFailure;
}

class SocksConnection final : public Watched, public std::enable_shared_from_this<SocksConnection> {
 public:
  SocksConnection(Service& service, TcpSocket client, std::shared_ptr<void> place)
      : service_(service),
        client_(std::move(client)),
        place_(std::move(place)),
        limit_(service.io(), kLimit) {}

  void Start() {
    limit_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) ResetConnection(self->client_);
    });
    Read();
  }

  // From its question to the broker on.
  bool IsAbandoned() override { return HasHungUp(client_); }
  void Abort() override {
    service_.broker().Done(grant_, {.note = EndNote()});
    ResetConnection(client_);
  }

 private:
  enum class Step : uint8_t { kGreeting, kLogin, kRequest };

  void Read() {
    client_.async_wait(tcp::socket::wait_read,
                       [self = shared_from_this()](const error_code& error) {
                         if (!error) self->Take();
                       });
  }

  void Take() {
    const std::span<char> buffer = ReadBuffer();
    const ssize_t got = ::recv(client_.native_handle(), buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Read();
    if (got <= 0) return End();
    received_.append(buffer.data(), static_cast<size_t>(got));
    Parse();
  }

  void Parse() {
    switch (step_) {
      case Step::kGreeting:
        return ParseGreeting();
      case Step::kLogin:
        return ParseLogin();
      case Step::kRequest:
        return ParseRequest();
    }
  }

  void ParseGreeting() {
    SocksGreeting greeting;
    WireError error;
    const Progress progress = ParseSocksGreeting(received_, greeting, error);
    if (progress == Progress::kNeedsMore) return Read();
    if (progress == Progress::kBad) return Refuse(error.reason, "");
    received_.erase(0, greeting.size);
    const bool needs_login = !service_.credential().empty();
    if (needs_login ? !greeting.offers_password : !greeting.offers_none) {
      constexpr uint8_t kNoMethod = 0xFF;
      return Refuse("offers no method of authentication that fits", SocksMethodReply(kNoMethod));
    }
    step_ = needs_login ? Step::kLogin : Step::kRequest;
    Send(SocksMethodReply(needs_login ? 2 : 0));
  }

  void ParseLogin() {
    SocksLogin login;
    WireError error;
    const Progress progress = ParseSocksLogin(received_, login, error);
    if (progress == Progress::kNeedsMore) return Read();
    const bool is_right =
        progress == Progress::kDone && service_.IsLogin(login.user, login.password);
    if (!is_right) return Refuse("has a wrong user name or password", SocksLoginReply(false));
    received_.erase(0, login.size);
    step_ = Step::kRequest;
    Send(SocksLoginReply(true));
  }

  void ParseRequest() {
    SocksRequest request;
    WireError error;
    SocksReply reply = SocksReply::kFailure;
    const Progress progress = ParseSocksRequest(received_, request, error, reply);
    if (progress == Progress::kNeedsMore) return Read();
    if (progress == Progress::kBad) return Refuse(error.reason, WriteSocksReply(reply));
    received_.erase(0, request.size);
    limit_.cancel();
    target_ = {kSocksProtocol, request.host, request.port};
    grant_ = service_.broker().Open(target_, [self = shared_from_this()](BrokerAnswer answer) {
      self->HandleAnswer(std::move(answer));
    });
    service_.Watch(shared_from_this());
  }

  void HandleAnswer(BrokerAnswer answer) {
    TcpSocket host = service_.HostOf(grant_, answer);
    if (!answer.is_granted) {
      return service_.EndWithReply(std::move(client_), WriteSocksReply(ReplyFor(answer.denial)),
                                   std::move(place_));
    }
    Tunnel::Begin(service_, {.client = std::move(client_),
                             .place = std::move(place_),
                             .host = std::move(host),
                             .grant = grant_,
                             .target = target_,
                             .received = std::move(received_),
                             .greeting = WriteSocksReply(SocksReply::kSucceeded)});
  }

  // Then goes on with what has been received, or reads more.
  void Send(std::string reply) {
    reply_ = std::move(reply);
    boost::asio::async_write(client_, boost::asio::buffer(reply_),
                             [self = shared_from_this()](const error_code& error, size_t) {
                               if (error) return self->End();
                               error_code ignored;
                               self->client_.native_non_blocking(true, ignored);
                               self->Parse();
                             });
  }

  void Refuse(const std::string& reason, const std::string& reply) {
    limit_.cancel();
    service_.broker().Refused(
        {kSocksProtocol, "", 0}, "the SOCKS request " + reason, [self = shared_from_this(), reply] {
          if (reply.empty()) return ResetConnection(self->client_);
          self->service_.EndWithReply(std::move(self->client_), reply, std::move(self->place_));
        });
  }

  void End() {
    limit_.cancel();
    error_code ignored;
    client_.close(ignored);
  }

  Service& service_;
  TcpSocket client_;
  std::shared_ptr<void> place_;
  boost::asio::steady_timer limit_;
  Step step_ = Step::kGreeting;
  std::string received_;
  std::string reply_;
  Target target_;
  uint64_t grant_ = 0;
};

// Looks at the first byte without taking it.
class ProtocolProbe : public std::enable_shared_from_this<ProtocolProbe> {
 public:
  ProtocolProbe(Service& service, TcpSocket client, std::shared_ptr<void> place)
      : service_(service),
        client_(std::move(client)),
        place_(std::move(place)),
        limit_(service.io(), kLimit) {}

  void Start() {
    limit_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) ResetConnection(self->client_);
    });
    Await();
  }

 private:
  void Await() {
    client_.async_wait(tcp::socket::wait_read,
                       [self = shared_from_this()](const error_code& error) {
                         if (!error) self->Look();
                       });
  }

  void Look() {
    char first = 0;
    const ssize_t got = ::recv(client_.native_handle(), &first, 1, MSG_PEEK);
    if (got < 0 && errno == EAGAIN) return Await();  // as in Tunnel::HearHost()
    limit_.cancel();
    if (got != 1) {
      error_code ignored;
      client_.close(ignored);
      return;
    }
    if (first == kSocksVersion) {
      return std::make_shared<SocksConnection>(service_, std::move(client_), std::move(place_))
          ->Start();
    }
    HttpExchange::Begin(service_, {.client = std::move(client_),
                                   .place = std::move(place_),
                                   .kind = RequestSource::Kind::kExplicit});
  }

  Service& service_;
  TcpSocket client_;
  std::shared_ptr<void> place_;
  boost::asio::steady_timer limit_;
};

}  // namespace

void AcceptExplicit(Service& service, TcpSocket client) {
  std::shared_ptr<void> place = service.Admit();
  if (place == nullptr) {
    service.broker().Refused({kConnectProtocol, "", 0}, "the session has too many connections");
    return service.EndWithReply(
        std::move(client), ProxyResponse(503, "the session has too many connections"), nullptr);
  }
  std::make_shared<ProtocolProbe>(service, std::move(client), std::move(place))->Start();
}

}  // namespace ringfence
