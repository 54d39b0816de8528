// Plain HTTP: reads requests from a client one after the other, asks the broker about each, and
// passes it and its response on, both rewritten.
#pragma once

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/wire/http_request.h"
#include "proxy/wire/http_response.h"
#include "proxy/worker/http_way.h"
#include "proxy/worker/service.h"

namespace ringfence {

class HttpExchange final : public Watched, public std::enable_shared_from_this<HttpExchange> {
 public:
  struct Start {
    TcpSocket client;
    std::shared_ptr<void> place;  // Service::Admit()
    RequestSource::Kind kind = RequestSource::Kind::kExplicit;
    Target transparent;    // for kTransparent: where the client believes to be connected
    std::string received;  // from the client
    uint64_t granted = 0;  // if the connection to the host exists: its grant
    std::optional<TcpSocket> host = {};
  };
  static void Begin(Service& service, Start start);

  // Nothing is read from the client while the host takes its time. A reset ends the exchange at
  // once. A client that has only closed its half of the connection still waits, so it keeps some
  // time to do so (Service::DropIdle(), Admit()).
  bool IsAbandoned() override { return HasHungUp(client_); }
  void Abort() override;

 private:
  HttpExchange(Service& service, Start start);

  void ReadRequest();
  void HandleRequest(const RequestHead& head);
  void Ask();
  void HandleAnswer(BrokerAnswer answer);
  void OpenTunnel(TcpSocket host);
  void SendRequest();

  // Requests: from the client to the host. Responses: the other way.
  void PassRequest();
  void AwaitReset();
  void ReadResponse();
  void HandleResponse(const ResponseHead& head);
  void Switch(const std::string& head);
  void PassResponse();
  void EndResponse();

  // Moves what is understood. Returns false for a broken body, which ends the exchange.
  bool TakeBody(HttpWay& way);
  void Read(TcpSocket& socket, HttpWay& way, void (HttpExchange::*then)(Arrival));
  void Write(TcpSocket& socket, HttpWay& way, void (HttpExchange::*then)());
  void WriteFailed(HttpWay& way);
  void OnRequestBytes(Arrival arrival);
  void OnRequestBody(Arrival arrival);
  void OnResponseBytes(Arrival arrival);
  void OnResponseBody(Arrival arrival);

  void Refuse(const WireError& error);
  void Reply(int status, const std::string& sentence);
  void FailHost(const std::string& why);
  Usage UsageSoFar(std::string_view note = "") const;
  void ReportUse(std::string_view note);
  void CloseHost();
  void Close();
  void LimitHead();

  Service& service_;
  TcpSocket client_;
  std::shared_ptr<void> place_;
  RequestSource::Kind kind_;
  Target transparent_;
  std::optional<TcpSocket> host_;
  Target host_target_;           // of host_
  uint64_t grant_ = 0;           // of the current request; 0 for none
  uint64_t opened_by_ = 0;       // the grant of host_
  bool is_reused_ = false;       // host_ has served another request
  bool has_retried_ = false;     // the current request
  bool ends_with_host_ = false;  // the response's body, when the host closes
  bool limits_head_ = false;     // timer_ runs for the rest of a head
  RequestPlan plan_;
  int client_minor_ = 1;
  int status_ = 0;  // of the response that has begun; 0 for none
  int interim_count_ = 0;
  int reads_in_a_row_ = 0;
  bool client_keeps_alive_ = true;
  bool host_keeps_alive_ = true;
  bool host_refuses_rest_ = false;  // of the request
  // The client has bytes of the final response, or half of another.
  bool has_begun_response_ = false;
  bool awaits_reset_ = false;
  bool is_closed_ = false;
  HttpWay request_, response_;
  boost::asio::steady_timer timer_;
};

}  // namespace ringfence
