// A program that speaks plain HTTP to the worker.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

#include "proxy/worker/http_exchange.h"
#include "tests/support/worker_bench.h"

namespace ringfence {

constexpr std::string_view kRequestHead = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
constexpr std::string_view kNoContent = "HTTP/1.1 204 No Content\r\n\r\n";

inline std::string RequestTo(const std::string& host) {
  return "GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

struct Exchange {
  WorkerBench bench;
  std::pair<TcpSocket, FarEnd> client = bench.Connection();
  FarEnd& program = client.second;

  explicit Exchange(std::string_view password = "",
                    RequestSource::Kind kind = RequestSource::Kind::kExplicit)
      : bench(password) {
    HttpExchange::Begin(bench.service(), {.client = std::move(client.first),
                                          .place = bench.service().Admit(),
                                          .kind = kind,
                                          .transparent = PlaceOf(kind)});
  }
  static Target PlaceOf(RequestSource::Kind kind) {
    if (kind == RequestSource::Kind::kExplicit) return {};
    return {kHttpProtocol, "a.example", 80};
  }
  bool Passes(FarEnd& host, std::string_view bytes) { return host.Take(bytes.size()) == bytes; }
  bool Returns(std::string_view bytes) { return program.Take(bytes.size()) == bytes; }

  // Sends a request, which the broker grants, and returns the host, which has it.
  FarEnd Ask(const std::string& request, std::string_view head) {
    program.Send(request);
    CHECK(bench.Heard() == "o 1 http a.example 80");
    FarEnd host = bench.Grant(1);
    CHECK(Passes(host, head));
    return host;
  }
  // The same for a whole exchange, after which the connections stay open.
  FarEnd Finish(const std::string& name, uint64_t id) {
    program.Send(RequestTo(name));
    CHECK(bench.Heard() == "o " + std::to_string(id) + " http " + name + " 80");
    FarEnd host = bench.Grant(id);
    CHECK(Passes(host, "GET / HTTP/1.1\r\nHost: " + name + "\r\n\r\n"));
    host.Send(kNoContent);
    CHECK(Returns(kNoContent));
    CHECK(bench.Heard().starts_with("d " + std::to_string(id) + " GET / 204 "));
    return host;
  }
};

}  // namespace ringfence
