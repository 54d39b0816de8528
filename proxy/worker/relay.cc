#include "proxy/worker/relay.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace ringfence {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr size_t kPiece = size_t{64} * 1024;  // bytes
constexpr int kMaxPieces = 4;                 // before other connections get their turn

}  // namespace

std::shared_ptr<Relay> Relay::Start(Ends ends, EndHandler ended) {
  std::shared_ptr<Relay> relay(
      new Relay(std::move(ends.client), std::move(ends.host), std::move(ended)));
  relay->check_ = std::move(ends.check);
  (relay->check_ ? relay->first_ : relay->host_.pending) = std::move(ends.to_host);
  relay->client_.pending = std::move(ends.to_client);
  relay->Pump(relay->client_, relay->host_);
  relay->Pump(relay->host_, relay->client_);
  return relay;
}

Relay::Relay(TcpSocket client, TcpSocket host, EndHandler ended)
    : client_{.socket = std::move(client)},
      host_{.socket = std::move(host)},
      ended_(std::move(ended)) {}

void Relay::Pump(Side& from, Side& to) {
  if (is_finished_) return;
  NoteActivity();
  if (Flush(to) && PassSome(from, to)) return AwaitData(from, to);
  if (!is_finished_ && !to.pending.empty()) AwaitRoom(from, to);
}

bool Relay::PassSome(Side& from, Side& to) {
  for (int i = 0; i < kMaxPieces; ++i) {
    const ssize_t got = ::recv(from.socket.native_handle(), ReadBuffer().data(), kPiece, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (got < 0) {
      Finish(true);
      return false;
    }
    const auto size = static_cast<size_t>(got);
    if (!Pass(from, to, size)) return false;
    if (size < kPiece) return true;
  }
  return true;
}

bool Relay::Pass(Side& from, Side& to, size_t size) {
  const bool is_checked = check_ && &from == &client_;
  if (is_checked && !PassFirst({ReadBuffer().data(), size}, size == 0)) return false;
  if (size == 0) {
    EndOf(from, to);
    return false;
  }
  return is_checked || Write(to, ReadBuffer().data(), size);
}

bool Relay::PassFirst(std::string_view bytes, bool has_ended) {
  first_ += bytes;
  if (first_.empty()) return true;
  const Progress progress = check_(first_, has_ended, refusal_);
  if (progress == Progress::kNeedsMore) return true;
  if (progress == Progress::kBad) {
    Finish(true);
    return false;
  }
  check_ = nullptr;
  host_.pending = std::exchange(first_, {});
  return Flush(host_);
}

void Relay::AwaitData(Side& from, Side& to) {
  from.socket.async_wait(tcp::socket::wait_read,
                         [self = shared_from_this(), &from, &to](const error_code& error) {
                           if (!error) self->Pump(from, to);
                         });
}

void Relay::AwaitRoom(Side& from, Side& to) {
  to.socket.async_wait(tcp::socket::wait_write,
                       [self = shared_from_this(), &from, &to](const error_code& error) {
                         if (!error) self->Pump(from, to);
                       });
}

bool Relay::Flush(Side& to) {
  if (to.pending.empty()) return true;
  std::string pending;
  pending.swap(to.pending);
  return Write(to, pending.data(), pending.size());
}

bool Relay::Write(Side& to, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(to.socket.native_handle(), data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) {
      Finish(true);
      return false;
    }
    if (sent < 0) {
      to.pending.assign(data, size);
      return false;
    }
    to.sent += static_cast<uint64_t>(sent);
    data += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

void Relay::EndOf(Side& from, Side& to) {
  from.has_ended = true;
  error_code ignored;
  to.socket.shutdown(tcp::socket::shutdown_send, ignored);
  if (to.has_ended) return Finish(false);
  if (&from == &client_) ProbeClient();
}

void Relay::ProbeClient() {
  const int socket = client_.socket.native_handle();
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &probe_seconds, sizeof probe_seconds);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &probe_seconds, sizeof probe_seconds);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  client_.socket.async_wait(tcp::socket::wait_error,
                            [self = shared_from_this()](const error_code& error) {
                              if (!error) self->Finish(true);
                            });
}

void Relay::Abort() {
  refusal_ = kIdleNote;
  Finish(true);
}

void Relay::Finish(bool is_reset) {
  if (std::exchange(is_finished_, true)) return;
  for (Side* side : {&client_, &host_}) {
    if (is_reset) ResetConnection(side->socket);
    error_code ignored;
    side->socket.close(ignored);
  }
  ended_({host_.sent, client_.sent, is_reset, std::move(refusal_)});
}

std::span<char> ReadBuffer() {
  static std::array<char, kPiece> buffer;
  return buffer;
}

bool HasHungUp(TcpSocket& socket) {
  pollfd state{.fd = socket.native_handle(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&state, 1, 0) == 1;
}

bool IsReset(TcpSocket& socket) {
  pollfd state{.fd = socket.native_handle(), .events = 0, .revents = 0};
  return ::poll(&state, 1, 0) == 1;  // POLLERR or POLLHUP
}

void ResetConnection(TcpSocket& socket) {
  error_code ignored;
  socket.set_option(boost::asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

}  // namespace ringfence
