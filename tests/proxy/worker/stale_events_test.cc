#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "proxy/worker/ingress.h"
#include "proxy/worker/tunnel.h"
#include "tests/support/stale_event.h"
#include "tests/support/wire_bytes.h"
#include "tests/support/worker_bench.h"

using namespace ringfence;

TEST_CASE("stale events: a host that has said nothing does not speak first") {
  WorkerBench bench;
  auto [client, program] = bench.Connection();
  TcpPair host = MakeTcpPair();
  const FarEnd server(bench.io(), std::move(host.other));
  const Target target{kConnectProtocol, "a.example", 8080};
  const uint64_t grant = bench.service().broker().Open(target, {});
  CHECK(bench.Heard() == "o 1 connect a.example 8080");
  const StaleEvent event(bench.io(), [&, &client = client] {
    Tunnel::Begin(bench.service(), {.client = std::move(client),
                                    .place = bench.service().Admit(),
                                    .host = bench.service().Adopt(std::move(host.own)),
                                    .grant = grant,
                                    .target = target,
                                    .received = "",
                                    .greeting = ""});
  });
  program.Send("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n");
  CHECK(program.Rest().starts_with("HTTP/1.1 421 "));
}

TEST_CASE("stale events: a program that has sent nothing yet is served") {
  WorkerBench bench;
  TcpPair pair = MakeTcpPair();
  FarEnd program(bench.io(), std::move(pair.other));
  const StaleEvent event(bench.io(), [&] {
    AcceptExplicit(bench.service(), bench.service().Adopt(std::move(pair.own)));
  });
  program.Send(FromHex("05 01 00"));
  CHECK(program.Take(2) == FromHex("05 00"));
}
