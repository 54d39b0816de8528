#include "proxy/worker/http_exchange.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "proxy/worker/tunnel.h"

namespace ringfence {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kNextRequestLimit{600};
constexpr int kMaxReadsInARow = 8;
constexpr int kMaxInterim = 16;  // 1xx responses before the final one
constexpr int kFirstFinal = 200;

// True if the host has sent nothing since its last response, not even its end. What it sent would
// be taken for the response to the next request.
bool IsQuiet(TcpSocket& host) {
  char byte = 0;
  return ::recv(host.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

}  // namespace

void HttpExchange::Begin(Service& service, Start start) {
  const std::shared_ptr<HttpExchange> exchange(new HttpExchange(service, std::move(start)));
  service.Watch(exchange);
  exchange->ReadRequest();
}

HttpExchange::HttpExchange(Service& service, Start start)
    : service_(service),
      client_(std::move(start.client)),
      place_(std::move(start.place)),
      kind_(start.kind),
      transparent_(std::move(start.transparent)),
      host_(std::move(start.host)),
      host_target_(transparent_),
      grant_(start.granted),
      opened_by_(start.granted),
      timer_(service.io()) {
  request_.in = std::move(start.received);
}

// --- the request ---

void HttpExchange::ReadRequest() {
  RequestHead head;
  WireError error;
  switch (ParseRequestHead(request_.in, head, error)) {
    case Progress::kNeedsMore:
      LimitHead();
      return Read(client_, request_, &HttpExchange::OnRequestBytes);
    case Progress::kBad:
      return Refuse(error);
    case Progress::kDone:
      timer_.cancel();
      limits_head_ = false;
      return HandleRequest(head);
  }
}

void HttpExchange::OnRequestBytes(Arrival arrival) {
  if (arrival != Arrival::kBytes) return Close();
  if (request_.ShouldParse()) return ReadRequest();
  LimitHead();
  Read(client_, request_, &HttpExchange::OnRequestBytes);
}

void HttpExchange::HandleRequest(const RequestHead& head) {
  const RequestSource source{.kind = kind_,
                             .host = transparent_.host,
                             .port = transparent_.port,
                             .credential = service_.credential()};
  WireError error;
  plan_ = {};
  if (!PlanHttpRequest(head, source, plan_, error)) return Refuse(error);
  client_minor_ = head.minor_version;
  request_.in.erase(0, head.size);
  request_.searched = 0;
  has_retried_ = false;
  Ask();
}

void HttpExchange::Ask() {
  const bool is_tunnel = plan_.kind == RequestPlan::Kind::kTunnel;
  const Target target{is_tunnel ? kConnectProtocol : kHttpProtocol, plan_.host, plan_.port};
  const auto answered = [self = shared_from_this()](BrokerAnswer answer) {
    self->HandleAnswer(std::move(answer));
  };
  const bool has_host =
      host_ && !is_tunnel && host_target_.IsSamePlace(target) && (grant_ != 0 || IsQuiet(*host_));
  if (!has_host) CloseHost();
  host_target_ = target;
  if (has_host && grant_ != 0) return SendRequest();  // granted together with the connection
  is_reused_ = has_host;
  grant_ = has_host ? service_.broker().Reuse(target, opened_by_) : 0;
  if (grant_ != 0) return SendRequest();
  grant_ = has_host ? service_.broker().Assess(target, opened_by_, answered)
                    : service_.broker().Open(target, answered);
}

void HttpExchange::HandleAnswer(BrokerAnswer answer) {
  TcpSocket host = service_.HostOf(grant_, answer);
  if (!answer.is_granted) {
    grant_ = 0;
    return Reply(StatusOf(answer.denial), answer.sentence);
  }
  if (plan_.kind == RequestPlan::Kind::kTunnel) return OpenTunnel(std::move(host));
  if (host.is_open()) {
    host_ = std::move(host);
    opened_by_ = grant_;
  }
  SendRequest();
}

void HttpExchange::OpenTunnel(TcpSocket host) {
  const uint64_t grant = std::exchange(grant_, 0);
  is_closed_ = true;
  Tunnel::Begin(service_, {.client = std::move(client_),
                           .place = std::move(place_),
                           .host = std::move(host),
                           .grant = grant,
                           .target = host_target_,
                           .received = std::move(request_.in),
                           .greeting = "HTTP/1.1 200 Connection established\r\n\r\n"});
}

void HttpExchange::SendRequest() {
  request_.out = plan_.head;
  request_.body.emplace(plan_.body);
  request_.chunked = plan_.body.kind == BodyFraming::Kind::kChunked;
  request_.is_done = false;
  host_refuses_rest_ = false;
  request_.passed = response_.passed = 0;
  interim_count_ = 0;
  response_.in.clear();
  if (!std::exchange(awaits_reset_, true)) AwaitReset();
  PassRequest();
  reads_in_a_row_ = kMaxReadsInARow;  // the response is hardly there
  if (!is_closed_) ReadResponse();
}

// Once for each client's connection; urgent data ends it, since it would be reported again and
// again. Does not keep the exchange alive: the connection may pass to a relay.
void HttpExchange::AwaitReset() {
  client_.async_wait(tcp::socket::wait_error, [weak = weak_from_this()](const error_code& error) {
    const std::shared_ptr<HttpExchange> self = weak.lock();
    if (error || !self || self->is_closed_) return;
    if (IsReset(self->client_)) self->Close();
  });
}

void HttpExchange::PassRequest() {
  if (is_closed_ || !TakeBody(request_)) return;
  if (!request_.out.empty()) return Write(*host_, request_, &HttpExchange::PassRequest);
  if (!request_.is_done) Read(client_, request_, &HttpExchange::OnRequestBody);
}

void HttpExchange::OnRequestBody(Arrival arrival) {
  if (arrival != Arrival::kBytes) return Close();
  PassRequest();
}

// --- the response ---

void HttpExchange::ReadResponse() {
  if (is_closed_) return;
  ResponseHead head;
  WireError error;
  switch (ParseResponseHead(response_.in, head, error)) {
    case Progress::kNeedsMore:
      return Read(*host_, response_, &HttpExchange::OnResponseBytes);
    case Progress::kBad:
      return FailHost("the response of the host " + error.reason);
    case Progress::kDone:
      return HandleResponse(head);
  }
}

void HttpExchange::OnResponseBytes(Arrival arrival) {
  const bool has_ended = arrival != Arrival::kBytes;
  if (!has_ended && response_.ShouldParse()) return ReadResponse();
  if (!has_ended) return Read(*host_, response_, &HttpExchange::OnResponseBytes);
  // A host may close an idle connection at any time.
  const bool can_retry = is_reused_ && !has_retried_ && response_.in.empty() && plan_.may_repeat;
  if (!can_retry) return FailHost("the host closed the connection without a response");
  has_retried_ = true;
  ReportUse("the host had closed the connection");
  CloseHost();
  Ask();
}

void HttpExchange::HandleResponse(const ResponseHead& head) {
  const ResponseContext context{.method = plan_.method,
                                .client_minor = client_minor_,
                                .client_keep_alive = plan_.keep_alive,
                                .asked_upgrade = plan_.is_upgrade};
  ResponsePlan plan;
  WireError error;
  if (!PlanHttpResponse(head, context, plan, error)) {
    return FailHost("the response of the host " + error.reason);
  }
  response_.in.erase(0, head.size);
  response_.searched = 0;
  status_ = plan.status;
  if (plan.is_switching) return Switch(plan.head);
  response_.out = plan.head;
  if (plan.is_interim) {
    if (++interim_count_ > kMaxInterim) return FailHost("the host sends no final response");
    return Write(client_, response_, &HttpExchange::ReadResponse);
  }
  response_.body.emplace(plan.body);
  response_.chunked = plan.send_chunked;
  response_.is_done = false;
  ends_with_host_ = plan.body.kind == BodyFraming::Kind::kUntilClose;
  client_keeps_alive_ = plan.client_keeps_alive;
  host_keeps_alive_ = plan.host_keeps_alive;
  PassResponse();
}

// Of the bytes after the switch, only the number is known.
void HttpExchange::Switch(const std::string& head) {
  is_closed_ = true;
  service_.Join(std::exchange(grant_, 0),
                {.client = std::move(client_),
                 .host = std::move(*host_),
                 .to_host = std::move(request_.in),
                 .to_client = head + response_.in},
                std::move(place_), UsageSoFar());
}

void HttpExchange::PassResponse() {
  if (is_closed_ || !TakeBody(response_)) return;
  if (!response_.out.empty()) return Write(client_, response_, &HttpExchange::PassResponse);
  if (response_.is_done) return EndResponse();
  Read(*host_, response_, &HttpExchange::OnResponseBody);
}

void HttpExchange::OnResponseBody(Arrival arrival) {
  if (arrival == Arrival::kBytes) return PassResponse();
  // A reset is no end of a response (RFC 9112, 8).
  if (arrival != Arrival::kEnd || !ends_with_host_) return Close();
  response_.is_done = true;
  response_.body.reset();
  host_keeps_alive_ = false;
  if (response_.chunked) response_.out = kLastChunk;
  PassResponse();
}

void HttpExchange::EndResponse() {
  ReportUse("");
  has_begun_response_ = false;
  const bool is_sent = request_.is_done && request_.out.empty();  // a host may answer early
  const bool is_over = !client_keeps_alive_ || !is_sent || host_refuses_rest_;
  if (is_over) {
    service_.EndWithReply(std::move(client_), "", std::move(place_));
    return Close();
  }
  if (!host_keeps_alive_ || !response_.in.empty()) CloseHost();
  plan_ = {};
  status_ = 0;
  reads_in_a_row_ = kMaxReadsInARow;  // the next request is hardly there
  ReadRequest();
}

// --- bytes ---

bool HttpExchange::TakeBody(HttpWay& way) {
  WireError error;
  if (way.TakeBody(error)) return true;
  &way == &request_ ? Refuse(error) : FailHost("the response of the host " + error.reason);
  return false;
}

void HttpExchange::Read(TcpSocket& socket, HttpWay& way, void (HttpExchange::*then)(Arrival)) {
  if (is_closed_) return;
  // Each read calls the next, so a host that is always ready must not keep the others waiting, nor
  // fill the stack.
  if (++reads_in_a_row_ < kMaxReadsInARow) {
    const Arrival arrival = way.ReadFrom(socket.native_handle());
    if (arrival == Arrival::kBytes) NoteActivity();
    if (arrival != Arrival::kNothing) return (this->*then)(arrival);
  }
  socket.async_wait(tcp::socket::wait_read,
                    [self = shared_from_this(), &socket, &way, then](const error_code& error) {
                      if (error) return;
                      self->reads_in_a_row_ = 0;
                      self->Read(socket, way, then);
                    });
}

void HttpExchange::Write(TcpSocket& socket, HttpWay& way, void (HttpExchange::*then)()) {
  if (is_closed_) return;
  const uint64_t passed = way.passed;
  const bool is_writable = way.WriteTo(socket.native_handle());
  if (way.passed > passed) NoteActivity();
  if (&way == &response_ && way.passed > passed) {
    has_begun_response_ = status_ >= kFirstFinal || !way.out.empty();
  }
  if (way.out.empty()) return (this->*then)();
  if (!is_writable) return WriteFailed(way);
  socket.async_wait(tcp::socket::wait_write,
                    [self = shared_from_this(), &socket, &way, then](const error_code& error) {
                      if (!error) self->Write(socket, way, then);
                    });
}

// A host that refuses the rest of a request may still have answered it.
void HttpExchange::WriteFailed(HttpWay& way) {
  if (&way == &response_) return Close();
  way.out.clear();
  way.is_done = true;
  host_refuses_rest_ = true;
}

// --- ends ---

void HttpExchange::Refuse(const WireError& error) {
  const bool is_transparent = kind_ == RequestSource::Kind::kTransparent;
  const Target target{kHttpProtocol, is_transparent ? transparent_.host : plan_.host,
                      is_transparent ? transparent_.port : plan_.port};
  if (!error.is_routine) service_.broker().Refused(target, "the request " + error.reason);
  Reply(error.status, "the request " + error.reason);
}

void HttpExchange::Reply(int status, const std::string& sentence) {
  ReportUse(sentence);
  if (has_begun_response_) return Close();
  service_.EndWithReply(std::move(client_), ProxyResponse(status, sentence), std::move(place_));
  Close();
}

void HttpExchange::FailHost(const std::string& why) { Reply(502, why); }

Usage HttpExchange::UsageSoFar(std::string_view note) const {
  return {.method = plan_.method,
          .path = plan_.path,
          .status = status_,
          .up = request_.passed,
          .down = response_.passed,
          .note = note};
}

void HttpExchange::ReportUse(std::string_view note) {
  if (grant_ != 0) service_.broker().Done(std::exchange(grant_, 0), UsageSoFar(note));
}

void HttpExchange::CloseHost() {
  if (!host_) return;
  error_code ignored;
  host_->close(ignored);
  host_.reset();
}

void HttpExchange::Abort() {
  ReportUse(EndNote());
  Close();
}

void HttpExchange::Close() {
  if (std::exchange(is_closed_, true)) return;
  ReportUse(kClientClosedNote);
  service_.broker().ReportNow();  // the session may end with its last connection
  timer_.cancel();
  CloseHost();
  place_.reset();
  // The client must not take half of a response for all of it.
  if (has_begun_response_) return ResetConnection(client_);
  error_code ignored;
  client_.close(ignored);
}

// The rest of a head must come soon; a client may take its time between two requests.
void HttpExchange::LimitHead() {
  const bool has_begun = !request_.in.empty();
  if (has_begun && limits_head_) return;
  limits_head_ = has_begun;
  timer_.expires_after(has_begun ? service_.head_limit : kNextRequestLimit);
  if (!has_begun) {
    request_.Release();
    response_.Release();
  }
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error) self->Close();
  });
}

}  // namespace ringfence
