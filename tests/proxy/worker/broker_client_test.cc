#include "proxy/worker/broker_client.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

struct Asking {
  WorkerBench bench;
  BrokerClient& broker = bench.service().broker();
  std::optional<BrokerAnswer> answer;
  int answers = 0;

  uint64_t Open() { return broker.Open({kTcpProtocol, "a.example", 22}, Taking()); }
  uint64_t Assess() { return broker.Assess({kHttpProtocol, "a.example", 80}, 7, Taking()); }
  bool Answered() {
    return RunUntil(bench.io(), [this] { return answer.has_value(); });
  }

 private:
  BrokerClient::Handler Taking() {
    return [this](BrokerAnswer given) {
      answer = std::move(given);
      ++answers;
    };
  }
};

}  // namespace

TEST_CASE("broker client: a granted connection comes with its socket") {
  Asking asking;
  const uint64_t id = asking.Open();
  CHECK(asking.bench.Heard() == "o 1 tcp a.example 22");
  FarEnd host = asking.bench.Grant(id);
  REQUIRE(asking.Answered());
  CHECK(asking.answer->is_granted);
  CHECK(asking.answer->socket.valid());
  asking.answer->socket = UniqueFd();
  CHECK(host.Rest().empty());
  asking.broker.Done(
      id, {.method = "GET", .path = "/a", .status = 200, .up = 3, .down = 4, .note = "a note"});
  CHECK(asking.bench.Heard() == "d 1 GET /a 200 3 4 a note");
  asking.broker.Done(id, {});
  CHECK(asking.bench.HearsNothing());
}

TEST_CASE("broker client: a question about a connection that exists needs no socket") {
  Asking asking;
  const uint64_t id = asking.Assess();
  CHECK(asking.bench.Heard() == "a 1 http a.example 80 7");
  asking.bench.Permit(id);
  REQUIRE(asking.Answered());
  CHECK(asking.answer->is_granted);
  CHECK_FALSE(asking.answer->socket.valid());
}

TEST_CASE("broker client: a denial has its kind and its sentence") {
  Asking asking;
  const uint64_t id = asking.Open();
  asking.bench.Deny(id, DenialKind::kUnreachable, "it cannot be reached");
  REQUIRE(asking.Answered());
  CHECK_FALSE(asking.answer->is_granted);
  CHECK(asking.answer->denial == DenialKind::kUnreachable);
  CHECK(asking.answer->sentence == "it cannot be reached");
  CHECK(asking.bench.Heard() == "o 1 tcp a.example 22");
  asking.broker.Done(id, {});
  CHECK(asking.bench.HearsNothing());
}

TEST_CASE("broker client: a grant whose descriptor got lost is a denial, and is reported") {
  Asking asking;
  const uint64_t id = asking.Open();
  asking.bench.Permit(id);
  REQUIRE(asking.Answered());
  CHECK_FALSE(asking.answer->is_granted);
  CHECK(asking.answer->denial == DenialKind::kBusy);
  CHECK(asking.answer->sentence == "the proxy has no descriptor left");
  CHECK(asking.bench.Heard() == "o 1 tcp a.example 22");
  CHECK(asking.bench.Heard() == "d 1 - - 0 0 0 the proxy has no descriptor left");
}

TEST_CASE("broker client: each question has one answer") {
  Asking asking;
  const uint64_t id = asking.Open();
  asking.bench.Send(WorkerMessage::kGranted, {});
  asking.bench.Send(WorkerMessage::kGranted, {"x", ""});
  asking.bench.Send(WorkerMessage::kGranted, {"99", ""});
  // Without kind and sentence, it is the policy.
  asking.bench.Send(WorkerMessage::kDenied, {std::to_string(id)});
  asking.bench.Permit(id);
  REQUIRE(asking.Answered());
  asking.bench.Send(WorkerMessage::kListen, {});
  CHECK(RunUntil(asking.bench.io(), [&] { return asking.bench.listened() == 1; }));
  CHECK(asking.answers == 1);
  CHECK_FALSE(asking.answer->is_granted);
  CHECK(asking.answer->denial == DenialKind::kPolicy);
  CHECK(asking.answer->sentence.empty());
}

TEST_CASE("broker client: a denial of an empty kind") {
  Asking asking;
  const uint64_t id = asking.Open();
  asking.bench.Send(WorkerMessage::kDenied, {std::to_string(id), "", "why"});
  REQUIRE(asking.Answered());
  CHECK(asking.answer->denial == DenialKind::kPolicy);
}

TEST_CASE("broker client: a program that gives up before the answer") {
  Asking asking;
  const uint64_t id = asking.Open();
  CHECK(asking.bench.Heard() == "o 1 tcp a.example 22");
  asking.broker.Done(id, {.note = "gone"});
  CHECK(asking.bench.Heard() == "d 1 - - 0 0 0 gone");
  asking.bench.Deny(id, DenialKind::kPolicy, "late");
  asking.bench.Send(WorkerMessage::kListen, {});
  CHECK(RunUntil(asking.bench.io(), [&] { return asking.bench.listened() == 1; }));
  CHECK(asking.answers == 0);
}

TEST_CASE("broker client: a permission counts for further requests to its target for a while") {
  Asking asking;
  const Target target{kHttpProtocol, "a.example", 80};
  asking.broker.RelyOnPermissionsFor(std::chrono::hours(1));
  CHECK(asking.broker.Reuse(target, 7) == 0);
  const uint64_t first = asking.Assess();
  CHECK(asking.bench.Heard() == "a 1 http a.example 80 7");
  CHECK(asking.broker.Reuse(target, 7) == 0);
  asking.bench.Permit(first);
  REQUIRE(asking.Answered());
  const uint64_t second = asking.broker.Reuse(target, 7);
  CHECK(second == 2);
  asking.broker.Done(second, {.method = "GET", .path = "/", .status = 200});
  CHECK(asking.broker.Reuse({kHttpProtocol, "a.example", 81}, 7) == 0);
  CHECK(asking.broker.Reuse({kHttpProtocol, "b.example", 80}, 7) == 0);
  CHECK(asking.bench.Heard() == "u 2 http a.example 80 7");
  CHECK(asking.bench.Heard() == "d 2 GET / 200 0 0 -");
  asking.broker.RelyOnPermissionsFor(std::chrono::nanoseconds(-1));
  CHECK(asking.broker.Reuse(target, 7) == 0);
}

TEST_CASE("broker client: a denial ends what was permitted before") {
  Asking asking;
  asking.broker.RelyOnPermissionsFor(std::chrono::hours(1));
  asking.bench.Permit(asking.Assess());
  REQUIRE(asking.Answered());
  asking.answer.reset();
  asking.bench.Deny(asking.Assess(), DenialKind::kPolicy, "no");
  REQUIRE(asking.Answered());
  CHECK(asking.broker.Reuse({kHttpProtocol, "a.example", 80}, 7) == 0);
}

TEST_CASE("broker client: permissions for many targets") {
  Asking asking;
  asking.broker.RelyOnPermissionsFor(std::chrono::hours(1));
  for (uint16_t port = 1; port <= 65; ++port) {
    asking.answer.reset();
    asking.bench.Permit(
        asking.broker.Assess({kHttpProtocol, "a.example", port}, 7,
                             [&asking](BrokerAnswer given) { asking.answer = std::move(given); }));
    REQUIRE(asking.Answered());
  }
  CHECK(asking.broker.Reuse({kHttpProtocol, "a.example", 64}, 7) == 0);
  CHECK(asking.broker.Reuse({kHttpProtocol, "a.example", 65}, 7) != 0);
}

TEST_CASE("broker client: what is not urgent goes before the next message, or at a word") {
  Asking asking;
  asking.broker.RelyOnPermissionsFor(std::chrono::hours(1));
  asking.bench.Permit(asking.Assess());
  REQUIRE(asking.Answered());
  CHECK(asking.bench.Heard() == "a 1 http a.example 80 7");
  const Target target{kHttpProtocol, "a.example", 80};
  asking.broker.Reuse(target, 7);
  asking.broker.ReportNow();
  CHECK(asking.bench.Heard() == "u 2 http a.example 80 7");
  asking.broker.Reuse(target, 7);
  asking.Open();
  CHECK(asking.bench.Heard() == "u 3 http a.example 80 7");
  CHECK(asking.bench.Heard() == "o 4 tcp a.example 22");
}

TEST_CASE("broker client: a refusal that is to be answered") {
  Asking asking;
  int noted = 0;
  asking.broker.Refused({kTcpProtocol, "a.example", 22}, "x", [&noted] { ++noted; });
  const std::string id = asking.bench.Receive().fields.front();
  asking.bench.Send(WorkerMessage::kNoted, {"99"});  // of no refusal
  CHECK(asking.bench.HearsNothing());
  CHECK(noted == 0);
  asking.bench.Send(WorkerMessage::kNoted, {id});
  asking.bench.Send(WorkerMessage::kNoted, {id});
  CHECK(asking.bench.HearsNothing());
  CHECK(noted == 1);
}

TEST_CASE("broker client: refusals for the form, and the end of the broker") {
  Asking asking;
  asking.broker.Refused({kDnsProtocol, "a.example", 0}, "has no form");
  CHECK(asking.bench.Receive().fields ==
        std::vector<std::string>{"0", "dns", "a.example", "0", "has no form"});
  CHECK_FALSE(asking.bench.has_ended());
  asking.bench.CloseBroker();
  CHECK(RunUntil(asking.bench.io(), [&] { return asking.bench.has_ended(); }));
}
