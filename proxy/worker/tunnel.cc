#include "proxy/worker/tunnel.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "policy/rules/address.h"
#include "proxy/wire/client_hello.h"
#include "proxy/worker/http_exchange.h"

namespace ringfence {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr uint16_t kWebPort = 80;
constexpr uint16_t kTlsPort = 443;
constexpr std::chrono::seconds kHelloLimit{10};
constexpr size_t kTellingBytes = 3;  // of a request, tell it from other protocols

constexpr std::string_view kMethods[] = {"GET ",     "HEAD ",    "POST ",  "PUT ",   "DELETE ",
                                         "OPTIONS ", "CONNECT ", "PATCH ", "TRACE ", "PRI "};

bool BeginsMethod(std::string_view bytes) {
  return std::ranges::any_of(kMethods, [bytes](std::string_view method) {
    return bytes.starts_with(method.substr(0, bytes.size()));
  });
}

bool HasMethod(std::string_view bytes) {
  return std::ranges::any_of(
      kMethods, [bytes](std::string_view method) { return bytes.starts_with(method); });
}

// Servers skip empty lines before a request (RFC 9112, 2.2).
std::string_view WithoutEmptyLines(std::string_view bytes) {
  return bytes.substr(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
}

// True for a request with any method, even an unknown one, if its first line is there.
bool HasRequestLine(std::string_view bytes) {
  const size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return false;
  std::string_view line = bytes.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line.ends_with("HTTP/1.1") || line.ends_with("HTTP/1.0");
}

// Why a handshake is refused; "" if it is not.
std::string ProblemOf(const ClientHello& hello, const Target& target) {
  // Browsers send the extension even without a hidden name; the two cannot be told apart.
  if (hello.has_ech) return "the TLS handshake hides the name of its host (ECH)";
  const bool is_web = target.port == kWebPort || target.port == kTlsPort;
  if (hello.server_name.empty()) {
    return is_web && !ParseAddress(target.host) ? "the TLS handshake names no host (SNI)" : "";
  }
  if (hello.server_name == target.host) return "";
  return "the TLS handshake names another host: " + Quote(hello.server_name);
}

Progress EvaluateHello(std::string_view bytes, const Target& target, std::string& reason) {
  ClientHello hello;
  WireError error;
  const Progress progress = ParseClientHello(bytes, hello, error);
  if (progress == Progress::kBad) reason = "the TLS handshake " + error.reason;
  if (progress == Progress::kDone) reason = ProblemOf(hello, target);
  return reason.empty() ? progress : Progress::kBad;
}

// Checks the first bytes of a client whose host spoke first. HTTP/1 servers never do; HTTP/2
// servers may.
Progress EvaluateLate(std::string_view bytes, bool has_ended, const Target& target,
                      std::string& reason) {
  if (LooksLikeTls(bytes)) {
    const Progress progress = EvaluateHello(bytes, target, reason);
    return progress == Progress::kNeedsMore && has_ended ? Progress::kBad : progress;
  }
  const std::string_view request = WithoutEmptyLines(bytes);
  if (HasMethod(request) || HasRequestLine(request)) {
    reason = "the host speaks first, and then the program sends an HTTP request";
    return Progress::kBad;
  }
  const bool can_be_http = !request.empty() && BeginsMethod(request);
  return can_be_http && !has_ended ? Progress::kNeedsMore : Progress::kDone;
}

}  // namespace

bool LooksLikeHttp(std::string_view bytes) {
  const std::string_view request = WithoutEmptyLines(bytes);
  return request.size() >= kTellingBytes && (BeginsMethod(request) || HasRequestLine(request));
}

void Tunnel::Begin(Service& service, Start start) {
  const std::shared_ptr<Tunnel> tunnel(new Tunnel(service, std::move(start)));
  service.Watch(tunnel);
  tunnel->Greet();
}

Tunnel::Tunnel(Service& service, Start start)
    : service_(service), start_(std::move(start)), limit_(service.io()) {}

void Tunnel::Greet() {
  if (start_.greeting.empty()) return Look();
  boost::asio::async_write(start_.client, boost::asio::buffer(start_.greeting),
                           [self = shared_from_this()](const error_code& error, size_t) {
                             if (error) return self->Refuse("");
                             error_code ignored;
                             self->start_.client.native_non_blocking(true, ignored);
                             self->Look();
                           });
}

void Tunnel::Look() {
  if (start_.target.port == kTlsPort) {
    limit_.expires_after(kHelloLimit);
    limit_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) self->Refuse("no TLS handshake came within 10 seconds");
    });
    return CheckHello();
  }
  if (start_.received.empty()) return AwaitFirst();
  if (LooksLikeTls(start_.received)) return CheckHello();
  // At a web server, no beginning of a request is too short or too odd to be read as one.
  if (start_.target.port == kWebPort || LooksLikeHttp(start_.received)) return BecomeExchange();
  const std::string_view request = WithoutEmptyLines(start_.received);
  const bool can_be_http =
      !request.empty() && request.size() < kTellingBytes && BeginsMethod(request);
  can_be_http ? AwaitFirst() : StartRelay();
}

// Whoever speaks first shows what kind of protocol this is.
void Tunnel::AwaitFirst() {
  start_.client.async_wait(tcp::socket::wait_read,
                           [self = shared_from_this()](const error_code& error) {
                             if (!error && !self->is_over_) self->ReadMore();
                           });
  if (start_.target.port == kWebPort) return;  // a web server has nothing to say first
  AwaitHost();
}

void Tunnel::AwaitHost() {
  start_.host.async_wait(tcp::socket::wait_read,
                         [self = shared_from_this()](const error_code& error) {
                           if (!error && !self->is_over_ && !LooksLikeTls(self->start_.received)) {
                             self->HearHost();
                           }
                         });
}

// The loop can report a socket that is not readable: an event of a closed one reaches its
// successor.
void Tunnel::HearHost() {
  char first = 0;
  const ssize_t got = ::recv(start_.host.native_handle(), &first, 1, MSG_PEEK);
  if (got < 0 && errno == EAGAIN) return AwaitHost();
  RelayLate();
}

void Tunnel::ReadMore() {
  const std::span<char> buffer = ReadBuffer();
  const ssize_t got = ::recv(start_.client.native_handle(), buffer.data(), buffer.size(), 0);
  if (got > 0) {
    start_.received.append(buffer.data(), static_cast<size_t>(got));
    return start_.target.port == kTlsPort ? CheckHello() : Look();
  }
  if (got == 0) {
    const bool needs_more = start_.target.port == kTlsPort || LooksLikeTls(start_.received);
    return needs_more ? Refuse("") : StartRelay();
  }
  if (errno != EAGAIN && errno != EINTR) return Refuse("");
  start_.client.async_wait(tcp::socket::wait_read,
                           [self = shared_from_this()](const error_code& error) {
                             if (!error && !self->is_over_) self->ReadMore();
                           });
}

void Tunnel::CheckHello() {
  if (!start_.received.empty() && !LooksLikeTls(start_.received)) {
    return Refuse("what comes to port 443 is not TLS");
  }
  std::string reason;
  const Progress progress = EvaluateHello(start_.received, start_.target, reason);
  if (progress == Progress::kNeedsMore) return ReadMore();
  progress == Progress::kDone ? StartRelay() : Refuse(reason);
}

void Tunnel::StartRelay(Relay::FirstCheck check) {
  is_over_ = true;
  limit_.cancel();
  service_.Join(start_.grant,
                {.client = std::move(start_.client),
                 .host = std::move(start_.host),
                 .to_host = std::move(start_.received),
                 .check = std::move(check)},
                std::move(start_.place));
}

// The host has spoken first: its bytes pass, while those of the client are not checked yet.
void Tunnel::RelayLate() {
  StartRelay([&service = service_, target = start_.target](std::string_view first, bool has_ended,
                                                           std::string& reason) {
    const Progress progress = EvaluateLate(first, has_ended, target, reason);
    if (!reason.empty()) service.broker().Refused(target, reason);
    return progress;
  });
}

void Tunnel::BecomeExchange() {
  is_over_ = true;
  HttpExchange::Begin(service_, {.client = std::move(start_.client),
                                 .place = std::move(start_.place),
                                 .kind = RequestSource::Kind::kTransparent,
                                 .transparent = start_.target,
                                 .received = std::move(start_.received),
                                 .granted = start_.grant,
                                 .host = std::move(start_.host)});
}

void Tunnel::Abort() { End(kIdleNote); }

// `reason` is "" if the client has gone.
void Tunnel::Refuse(const std::string& reason) {
  if (is_over_) return;
  if (reason.empty()) return End("");
  LeaveHost(reason);
  service_.broker().Refused(start_.target, reason,
                            [self = shared_from_this()] { ResetConnection(self->start_.client); });
}

void Tunnel::End(std::string_view note) {
  if (LeaveHost(note)) ResetConnection(start_.client);
}

bool Tunnel::LeaveHost(std::string_view note) {
  if (std::exchange(is_over_, true)) return false;
  limit_.cancel();
  service_.broker().Done(start_.grant, {.note = note});
  error_code ignored;
  start_.host.close(ignored);
  return true;
}

}  // namespace ringfence
