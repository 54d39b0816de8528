#include "proxy/worker/service.h"

#include <sys/socket.h>

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "proxy/link/messages.h"
#include "proxy/wire/credential.h"

namespace ringfence {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// Nanoseconds in which nothing passes.
constexpr int64_t kIdleLimit = int64_t{600} * 1'000'000'000;
constexpr int64_t kAbandonedLimit = int64_t{30} * 1'000'000'000;
constexpr int64_t kAbandonedLimitIfFull = int64_t{1} * 1'000'000'000;
// Looking at all connections takes time, and connections can come fast.
constexpr int64_t kFreePause = int64_t{100} * 1'000'000;
constexpr std::chrono::seconds kReplyLimit{5};

// Reads and drops what the client still sends: closing a socket with unread data would reset the
// connection, and the client would lose the reply.
class Closing : public std::enable_shared_from_this<Closing> {
 public:
  Closing(boost::asio::io_context& io, TcpSocket client, std::string reply,
          std::shared_ptr<void> place)
      : client_(std::move(client)),
        reply_(std::move(reply)),
        place_(std::move(place)),
        limit_(io, kReplyLimit) {}

  void Start() {
    limit_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) ResetConnection(self->client_);
    });
    boost::asio::async_write(client_, boost::asio::buffer(reply_),
                             [self = shared_from_this()](const error_code& error, size_t) {
                               if (error) return self->End();
                               error_code ignored;
                               self->client_.shutdown(tcp::socket::shutdown_send, ignored);
                               self->Drop();
                             });
  }

 private:
  void Drop() {
    client_.async_read_some(boost::asio::buffer(dropped_),
                            [self = shared_from_this()](const error_code& error, size_t) {
                              if (error) return self->End();
                              self->Drop();
                            });
  }
  void End() {
    limit_.cancel();
    error_code ignored;
    client_.close(ignored);
  }

  TcpSocket client_;
  std::string reply_;
  std::shared_ptr<void> place_;
  boost::asio::steady_timer limit_;
  std::array<char, 4096> dropped_{};
};

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 405:
      return "Method Not Allowed";
    case 407:
      return "Proxy Authentication Required";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Refused";
  }
}

}  // namespace

Service::Service(boost::asio::io_context& io, UniqueFd broker, std::string_view password)
    : io_(io),
      broker_(io, std::move(broker)),
      credential_(password.empty() ? "" : BasicCredential(kProxyUser, password)) {}

TcpSocket Service::Adopt(UniqueFd socket) {
  TcpSocket adopted(io_);
  error_code failure;
  // The family matters only to functions that make addresses.
  adopted.assign(tcp::v4(), socket.get(), failure);
  if (!failure) socket.release();
  return adopted;
}

TcpSocket Service::HostOf(uint64_t grant, BrokerAnswer& answer) {
  if (!answer.socket.valid()) return TcpSocket(io_);
  TcpSocket host = Adopt(std::move(answer.socket));
  if (!host.is_open()) {
    broker_.Done(grant, {.note = kUnwatchedSocket});
    answer = {.denial = DenialKind::kBusy, .sentence = std::string(kUnwatchedSocket)};
  }
  return host;
}

void Service::Join(uint64_t id, Relay::Ends ends, std::shared_ptr<void> place,
                   const Usage& before) {
  const auto ended = [this, id, place = std::move(place), status = before.status, up = before.up,
                      down = before.down, method = std::string(before.method),
                      path = std::string(before.path)](const Relay::Totals& totals) {
    const std::string_view end = totals.is_reset ? "reset" : "";
    broker_.Done(id, {.method = method,
                      .path = path,
                      .status = status,
                      .up = up + totals.up,
                      .down = down + totals.down,
                      .note = totals.refusal.empty() ? end : totals.refusal});
  };
  Watch(Relay::Start(std::move(ends), ended));
}

bool Service::IsLogin(std::string_view user, std::string_view password) const {
  return IsCredential(BasicCredential(user, password), credential_);
}

void Service::DropIdle(int64_t now) { Drop(now, kIdleLimit, kAbandonedLimit); }

void Service::Drop(int64_t now, int64_t limit, int64_t abandoned_limit) {
  for (auto at = watched_.begin(); at != watched_.end();) {
    const std::shared_ptr<Watched> connection = at->lock();
    const int64_t idle = connection == nullptr ? 0 : now - connection->active_at();
    if (idle > limit || (idle > abandoned_limit && connection->IsAbandoned())) {
      connection->Abort();
    }
    at = connection == nullptr ? watched_.erase(at) : std::next(at);
  }
}

void Service::EndWithReply(TcpSocket client, std::string reply, std::shared_ptr<void> place) {
  std::make_shared<Closing>(io_, std::move(client), std::move(reply), std::move(place))->Start();
}

std::shared_ptr<void> Service::Admit(int64_t now) {
  if (*count_ >= kMaxConnections && now - freed_at_ >= kFreePause) {
    freed_at_ = now;
    Drop(now, kIdleLimit, kAbandonedLimitIfFull);
  }
  if (*count_ >= kMaxConnections) return nullptr;
  ++*count_;
  return {count_.get(), [count = count_](void*) { --*count; }};
}

std::string ProxyResponse(int status, std::string_view sentence) {
  const std::string text = "ringfence: " + Printable(sentence);
  std::string response = "HTTP/1.1 " + std::to_string(status) + " " +
                         std::string(ReasonPhrase(status)) + "\r\nX-Ringfence: " + text +
                         "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " +
                         std::to_string(text.size() + 1);
  if (status == 407) response += "\r\nProxy-Authenticate: Basic realm=\"ringfence\"";
  return response + "\r\nConnection: close\r\n\r\n" + text + "\n";
}

int StatusOf(DenialKind denial) {
  switch (denial) {
    case DenialKind::kPolicy:
      return 403;
    case DenialKind::kNoAddress:
    case DenialKind::kUnreachable:
    case DenialKind::kUpstream:
      return 502;
    case DenialKind::kBusy:
      break;
  }
  return 503;
}

}  // namespace ringfence
