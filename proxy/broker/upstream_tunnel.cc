#include "proxy/broker/upstream_tunnel.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/syscall.h"

namespace ringfence {
namespace {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

constexpr std::chrono::seconds kAnswerLimit{10};

}  // namespace

void UpstreamTunnel::Open(boost::asio::io_context& io, UniqueFd proxy, const std::string& target,
                          Handler handler) {
  const std::shared_ptr<UpstreamTunnel> tunnel(new UpstreamTunnel(io, std::move(handler)));
  tunnel->Begin(std::move(proxy), target);
}

UpstreamTunnel::UpstreamTunnel(boost::asio::io_context& io, Handler handler)
    : proxy_(io), handler_(std::move(handler)), limit_(io) {}

void UpstreamTunnel::Begin(UniqueFd proxy, const std::string& target) {
  error_code failure;
  proxy_.assign(proxy.get(), failure);
  if (failure) return Fail("cannot be watched: " + failure.message());
  proxy.release();
  is_https_ = target.ends_with(":443");
  const std::string request = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
  const ssize_t sent = ::send(proxy_.native_handle(), request.data(), request.size(), MSG_NOSIGNAL);
  // The socket is new, and its buffer larger than any request.
  if (sent < 0) return Fail("ended the connection: " + ErrnoName(errno));
  if (static_cast<size_t>(sent) < request.size()) return Fail("took no request");
  limit_.expires_after(kAnswerLimit);
  limit_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error) self->Fail("did not answer within 10 seconds");
  });
  AwaitAnswer();
}

void UpstreamTunnel::AwaitAnswer() {
  proxy_.async_wait(stream_descriptor::wait_read,
                    [self = shared_from_this()](const error_code& error) {
                      if (!error) self->ReadAnswer();
                    });
}

// Looks first and then takes what belongs to the answer: the rest stays for whoever gets the
// socket.
void UpstreamTunnel::ReadAnswer() {
  if (!handler_) return;
  std::array<char, ConnectAnswer::kMaxSize> buffer;
  const int proxy = proxy_.native_handle();
  const ssize_t seen = ::recv(proxy, buffer.data(), buffer.size(), MSG_PEEK);
  if (seen < 0 && (errno == EAGAIN || errno == EINTR)) return AwaitAnswer();
  if (seen < 0) return Fail("ended the connection: " + ErrnoName(errno));
  if (seen == 0) return Fail("closed the connection without an answer");
  const size_t own = answer_.Take({buffer.data(), static_cast<size_t>(seen)});
  if (::recv(proxy, buffer.data(), own, 0) != static_cast<ssize_t>(own)) {
    return Fail("ended the connection");
  }
  UseAnswer();
}

void UpstreamTunnel::UseAnswer() {
  if (answer_.state() == ConnectAnswer::State::kNeedsMore) return AwaitAnswer();
  if (answer_.state() == ConnectAnswer::State::kBad) {
    return Fail("gave an answer that is not HTTP/1, or longer than 8 KB");
  }
  constexpr int kNeedsPassword = 407;
  if (answer_.status() == kNeedsPassword) {
    return Fail("asks for a password (status 407), and ringfence has none for it");
  }
  if (!answer_.is_tunnel()) {
    return Fail("refused it with status " + std::to_string(answer_.status()) +
                (is_https_ ? "" : "; many proxies permit tunnels to port 443 only"));
  }
  limit_.cancel();
  std::exchange(handler_, {})({UniqueFd(proxy_.release()), ""});
}

void UpstreamTunnel::Fail(std::string error) {
  if (!handler_) return;
  limit_.cancel();
  error_code ignored;
  proxy_.close(ignored);
  std::exchange(handler_, {})({{}, std::move(error)});
}

}  // namespace ringfence
