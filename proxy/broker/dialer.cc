#include "proxy/broker/dialer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace ringfence {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kStagger{250};
constexpr std::chrono::seconds kDialLimit{10};

// The error of a connection that is made or has failed: an errno value, or 0.
int SocketError(int socket) {
  int code = 0;
  socklen_t size = sizeof code;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno;
}

tcp::endpoint EndpointOf(const Address& address, uint16_t port) {
  const boost::asio::ip::address_v6 ipv6(address);
  if (!ipv6.is_v4_mapped()) return {ipv6, port};
  return {boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, ipv6), port};
}

// The result of connect(2) on a nonblocking socket, as far as it is known: EINPROGRESS if it is
// not. Hosts of this machine and its network answer at once.
int ConnectNow(const UniqueFd& socket, const tcp::endpoint& place) {
  if (!socket.valid()) return errno;
  const auto connect = [&] {
    return ::connect(socket.get(), place.data(), static_cast<socklen_t>(place.size())) == 0 ? 0
                                                                                            : errno;
  };
  const int code = connect();
  if (code != EINPROGRESS) return code;
  const int then = connect();  // the result of the first one
  return then == EALREADY ? EINPROGRESS : then;
}

}  // namespace

void Dialer::Dial(boost::asio::io_context& io, std::vector<Address> addresses, uint16_t port,
                  Handler handler) {
  const std::shared_ptr<Dialer> dialer(
      new Dialer(io, std::move(addresses), port, std::move(handler)));
  dialer->TryNext();
  if (dialer->finished_) return;
  dialer->deadline_.expires_after(kDialLimit);
  dialer->deadline_.async_wait([dialer](const error_code& error) {
    if (!error) dialer->Finish({{}, {}, "no answer within 10 seconds"});
  });
}

Dialer::Dialer(boost::asio::io_context& io, std::vector<Address> addresses, uint16_t port,
               Handler handler)
    : io_(io),
      addresses_(std::move(addresses)),
      handler_(std::move(handler)),
      port_(port),
      stagger_(io),
      deadline_(io) {}

void Dialer::TryNext() {
  while (!finished_ && next_ < addresses_.size()) {
    if (!Try(addresses_[next_++])) continue;
    if (next_ == addresses_.size()) return;
    stagger_.expires_after(kStagger);
    return stagger_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) self->TryNext();
    });
  }
  if (attempts_.empty()) Finish({{}, {}, error_});
}

bool Dialer::Try(const Address& address) {
  const tcp::endpoint place = EndpointOf(address, port_);
  UniqueFd socket(
      ::socket(place.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int code = ConnectNow(socket, place);
  if (code != EINPROGRESS) {
    Settle(std::move(socket), address, code);
    return false;
  }
  tcp::socket pending(io_);
  error_code failure;
  pending.assign(place.protocol(), socket.get(), failure);
  if (failure) {  // the kernel can watch nothing more
    Settle(std::move(socket), address, failure.value());
    return false;
  }
  socket.release();
  Await(attempts_.insert(attempts_.end(), {std::move(pending), address}));
  return true;
}

void Dialer::Await(std::list<Attempt>::iterator attempt) {
  attempt->socket.async_wait(tcp::socket::wait_write,
                             [self = shared_from_this(), attempt](const error_code& error) {
                               if (!error && !self->finished_) self->Take(attempt);
                             });
}

void Dialer::Take(std::list<Attempt>::iterator attempt) {
  pollfd state{.fd = attempt->socket.native_handle(), .events = POLLOUT, .revents = 0};
  if (::poll(&state, 1, 0) == 0) return Await(attempt);  // the event of a closed socket
  error_code ignored;
  UniqueFd socket(attempt->socket.release(ignored));
  const Address address = attempt->address;
  attempts_.erase(attempt);
  const int code = SocketError(socket.get());
  Settle(std::move(socket), address, code);
  stagger_.cancel();
  TryNext();
}

void Dialer::Settle(UniqueFd socket, const Address& address, int code) {
  if (code != 0) {
    error_ = error_code(code, boost::system::system_category()).message();
    return;
  }
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  Finish({std::move(socket), address, ""});
}

void Dialer::Finish(Outcome outcome) {
  if (finished_) return;
  finished_ = true;
  stagger_.cancel();
  deadline_.cancel();
  for (Attempt& attempt : attempts_) {
    error_code ignored;
    if (attempt.socket.is_open()) attempt.socket.close(ignored);
  }
  handler_(std::move(outcome));
}

}  // namespace ringfence
