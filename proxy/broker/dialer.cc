#include "proxy/broker/dialer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ringfence {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kStagger{250};
constexpr std::chrono::seconds kDialLimit{10};

tcp::endpoint EndpointOf(const Address& address, uint16_t port) {
  const boost::asio::ip::address_v6 ipv6(address);
  if (!ipv6.is_v4_mapped()) return {ipv6, port};
  return {boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, ipv6), port};
}

}  // namespace

void Dialer::Dial(boost::asio::io_context& io, std::vector<Address> addresses, uint16_t port,
                  Handler handler) {
  const std::shared_ptr<Dialer> dialer(new Dialer(io, std::move(addresses), std::move(handler)));
  dialer->Begin(port);
}

Dialer::Dialer(boost::asio::io_context& io, std::vector<Address> addresses, Handler handler)
    : io_(io),
      addresses_(std::move(addresses)),
      handler_(std::move(handler)),
      stagger_(io),
      deadline_(io) {}

void Dialer::Begin(uint16_t port) {
  port_ = port;
  deadline_.expires_after(kDialLimit);
  deadline_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error) self->Finish({{}, {}, "no answer within 10 seconds"});
  });
  TryNext();
}

void Dialer::TryNext() {
  if (finished_) return;
  if (next_ == addresses_.size()) {
    if (attempts_.empty()) Finish({{}, {}, error_});
    return;
  }
  const Address address = addresses_[next_++];
  const auto attempt = attempts_.insert(attempts_.end(), {tcp::socket(io_), address});
  attempt->socket.async_connect(EndpointOf(address, port_),
                                [self = shared_from_this(), attempt](const error_code& error) {
                                  self->Take(attempt, error);
                                });
  if (next_ == addresses_.size()) return;
  stagger_.expires_after(kStagger);
  stagger_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error) self->TryNext();
  });
}

void Dialer::Take(std::list<Attempt>::iterator attempt, const error_code& error) {
  if (finished_) return;
  if (error) {
    error_ = error.message();
    attempts_.erase(attempt);
    stagger_.cancel();
    return TryNext();
  }
  error_code ignored;
  attempt->socket.native_non_blocking(true, ignored);
  attempt->socket.set_option(tcp::no_delay(true), ignored);
  Outcome outcome{UniqueFd(attempt->socket.release(ignored)), attempt->address, ""};
  Finish(std::move(outcome));
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
