#include "proxy/worker/service.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

class Connection final : public Watched {
 public:
  explicit Connection(bool is_abandoned, std::shared_ptr<void> place = nullptr)
      : is_abandoned_(is_abandoned), place_(std::move(place)) {}
  bool IsAbandoned() override { return is_abandoned_; }
  void Abort() override {
    ++aborts_;
    place_.reset();
  }
  int aborts() const { return aborts_; }

 private:
  bool is_abandoned_;
  std::shared_ptr<void> place_;
  int aborts_ = 0;
};

constexpr int64_t kSecond = 1'000'000'000;

}  // namespace

TEST_CASE("service: a response of the proxy has the sentence in its body and in a header") {
  CHECK(ProxyResponse(403, "no\nway") ==
        "HTTP/1.1 403 Forbidden\r\nX-Ringfence: ringfence: no\\nway\r\n"
        "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 19\r\nConnection: close\r\n\r\n"
        "ringfence: no\\nway\n");
  CHECK(ProxyResponse(407, "x").find("\r\nProxy-Authenticate: Basic realm=\"ringfence\"\r\n") !=
        std::string::npos);
  for (const int status : {400, 403, 405, 407, 413, 421, 431, 501, 502, 503, 504, 505}) {
    CHECK(ProxyResponse(status, "x").find(" Refused\r\n") == std::string::npos);
  }
  CHECK(ProxyResponse(418, "x").starts_with("HTTP/1.1 418 Refused\r\n"));
}

TEST_CASE("service: the status of a denial") {
  CHECK(StatusOf(DenialKind::kPolicy) == 403);
  CHECK(StatusOf(DenialKind::kNoAddress) == 502);
  CHECK(StatusOf(DenialKind::kUnreachable) == 502);
  CHECK(StatusOf(DenialKind::kUpstream) == 502);
  CHECK(StatusOf(DenialKind::kBusy) == 503);
  CHECK(StatusOf(static_cast<DenialKind>('?')) == 503);
}

TEST_CASE("service: a credential is asked for only if there is one") {
  WorkerBench without;
  CHECK(without.service().credential().empty());
  CHECK_FALSE(without.service().IsLogin("ringfence", ""));
  WorkerBench with("secret");
  CHECK(with.service().credential() == "Basic cmluZ2ZlbmNlOnNlY3JldA==");
  CHECK(with.service().IsLogin("ringfence", "secret"));
  CHECK_FALSE(with.service().IsLogin("ringfence", "Secret"));
  CHECK_FALSE(with.service().IsLogin("ringfence", ""));
  CHECK_FALSE(with.service().IsLogin("", "secret"));
  CHECK(WorkerBench("secret1").service().credential() == "Basic cmluZ2ZlbmNlOnNlY3JldDE=");
  CHECK(WorkerBench("secret12").service().credential() == "Basic cmluZ2ZlbmNlOnNlY3JldDEy");
}

TEST_CASE("service: there is a largest number of connections") {
  WorkerBench bench;
  std::vector<std::shared_ptr<void>> places;
  for (size_t i = 0; i < Service::kMaxConnections; ++i) {
    places.push_back(bench.service().Admit());
    REQUIRE(places.back() != nullptr);
  }
  CHECK(bench.service().connections() == Service::kMaxConnections);
  CHECK(bench.service().Admit() == nullptr);
  places.pop_back();
  CHECK(bench.service().Admit() != nullptr);
}

TEST_CASE("service: those who have hung up lose their places to others") {
  WorkerBench bench;
  const auto waiting = std::make_shared<Connection>(false, bench.service().Admit());
  const auto abandoned = std::make_shared<Connection>(true, bench.service().Admit());
  bench.service().Watch(waiting);
  bench.service().Watch(abandoned);
  std::vector<std::shared_ptr<void>> places;
  while (std::shared_ptr<void> place = bench.service().Admit()) places.push_back(place);
  const int64_t begin = waiting->active_at();
  CHECK(bench.service().Admit(begin + kSecond / 2) == nullptr);
  CHECK(abandoned->aborts() == 0);
  CHECK(bench.service().Admit(begin + 2 * kSecond) != nullptr);
  CHECK(abandoned->aborts() == 1);
  CHECK(waiting->aborts() == 0);
  while (std::shared_ptr<void> place = bench.service().Admit()) places.push_back(place);
  const auto late = std::make_shared<Connection>(true);
  bench.service().Watch(late);
  // It has just been looked at all of them.
  CHECK(bench.service().Admit(begin + 2 * kSecond + 1) == nullptr);
  CHECK(late->aborts() == 0);
  CHECK(bench.service().Admit(begin + 4 * kSecond) == nullptr);
  CHECK(late->aborts() == 1);
}

TEST_CASE("service: a client reads its last reply although it still sends") {
  WorkerBench bench;
  auto [client, far] = bench.Connection();
  far.Send(std::string(20'000, 'x'));
  bench.service().EndWithReply(std::move(client), "no", nullptr);
  CHECK(far.Take(2) == "no");
  far.Send("more");
  CHECK(far.Rest().empty());
  CHECK_FALSE(far.IsReset());
}

TEST_CASE("service: a place is held until the last reply is read") {
  WorkerBench bench;
  auto [client, far] = bench.Connection();
  bench.service().EndWithReply(std::move(client), "no", bench.service().Admit());
  CHECK(far.Take(2) == "no");
  CHECK(bench.service().connections() == 1);
  far.Close();
  CHECK(RunUntil(bench.io(), [&] { return bench.service().connections() == 0; }));
}

TEST_CASE("service: a client that has gone gets no reply") {
  WorkerBench bench;
  auto [client, far] = bench.Connection();
  far.Reset();
  bench.service().EndWithReply(std::move(client), "no", nullptr);
  CHECK(bench.HearsNothing());
}

TEST_CASE("service: a client that never closes is reset after its last reply") {
  WorkerBench bench;
  auto [client, far] = bench.Connection();
  bench.service().EndWithReply(std::move(client), "no", nullptr);
  CHECK(far.Take(2) == "no");
  CHECK(RunUntil(bench.io(), [&far = far] {
    return ::send(far.fd(), "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN;
  }));
}

TEST_CASE("service: connections on which nothing passes are ended") {
  WorkerBench bench;
  const auto idle = std::make_shared<Connection>(false);
  const auto abandoned = std::make_shared<Connection>(true);
  bench.service().Watch(idle);
  bench.service().Watch(abandoned);
  {
    const auto ended = std::make_shared<Connection>(true);
    bench.service().Watch(ended);
  }
  const int64_t begin = idle->active_at();
  bench.service().DropIdle(begin + 29 * kSecond);
  CHECK(abandoned->aborts() == 0);
  bench.service().DropIdle(begin + 31 * kSecond);
  CHECK(abandoned->aborts() == 1);
  CHECK(idle->aborts() == 0);
  bench.service().DropIdle(begin + 599 * kSecond);
  CHECK(idle->aborts() == 0);
  bench.service().DropIdle(begin + 601 * kSecond);
  CHECK(idle->aborts() == 1);
}

TEST_CASE("service: the use of a grant is reported at the end of the relay") {
  WorkerBench bench;
  auto [client, program] = bench.Connection();
  auto [host, server] = bench.Connection();
  const uint64_t id = bench.service().broker().Open({kTcpProtocol, "a.example", 22}, {});
  CHECK(bench.Heard() == "o 1 tcp a.example 22");
  std::shared_ptr<void> place = bench.service().Admit();
  bench.service().Join(id, {.client = std::move(client), .host = std::move(host)},
                       std::move(place));
  CHECK(bench.service().connections() == 1);
  program.Send("12345");
  CHECK(server.Take(5) == "12345");
  SUBCASE("an orderly end") {
    program.Close();
    server.Close();
    CHECK(bench.Heard() == "d 1 - - 0 5 0 -");
  }
  SUBCASE("a reset") {
    program.Reset();
    CHECK(bench.Heard() == "d 1 - - 0 5 0 reset");
  }
  CHECK(RunUntil(bench.io(), [&] { return bench.service().connections() == 0; }));
}
