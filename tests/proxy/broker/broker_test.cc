#include "proxy/broker/broker.h"

#include <doctest/doctest.h>
#include <poll.h>

#include <string>
#include <string_view>
#include <thread>

#include "tests/proxy/broker/broker_bench.h"
#include "tests/support/loopback.h"

using namespace ringfence;

namespace {

std::string Allow(const std::string& hosts) { return "\"network\":{\"allow\":[" + hosts + "]}"; }

// A listener of the host, and a policy that lists it.
struct Listed {
  LoopbackListener listener;
  std::string port = std::to_string(listener.port());
  SessionDisk disk{Allow("\"host.ringfence:" + port + "\",\"a.example\"")};
};

std::string LineWith(const std::string& log, const std::string& path) {
  const size_t at = log.find(path);
  REQUIRE(at != std::string::npos);
  const size_t begin = log.rfind('\n', at) + 1;  // 0 for the first line
  return log.substr(begin, log.find('\n', at) - begin);
}

}  // namespace

TEST_CASE("broker: a listed host") {
  const Listed listed;
  SessionRequest request = listed.disk.Request();
  request.credential = "secret";
  BrokerBench broker(request);
  CHECK(broker.credential() == "secret");
  UniqueFd socket;
  CHECK(broker.Ask("host.ringfence", listed.port, &socket) == "g 1 127.0.0.1");
  REQUIRE(socket.valid());
  CHECK(::send(socket.get(), "x", 1, MSG_NOSIGNAL) == 1);
  const UniqueFd host = listed.listener.Accept();
  CHECK(host.valid());
  const std::string target = "host.ringfence:" + listed.port;
  CHECK(broker.Counts() == "t 1 1 0 0 0 " + target + " 1 0 0 0");
  broker.Send(WorkerMessage::kDone, {"1", "GET", "/p", "200", "5", "7", "12", "note\n"});
  CHECK(broker.Counts() == "t 0 1 0 5 7 " + target + " 1 0 5 7");
  CHECK(broker.ExitStatus() == 0);
  const std::string log = listed.disk.Log();
  for (const char* part :
       {R"("event":"Connection")", R"("session":"11111111-2222-3333-4444-555555555555")",
        R"("verdict":"permit")", R"("protocol":"tcp")", R"("method":"GET")", R"("path":"/p")",
        R"("status":200)", R"("up":5)", R"("down":7)", R"("address":"127.0.0.1")", R"(note\\n)",
        R"("pointer":"/network/allow")"}) {
    CHECK_MESSAGE(log.find(part) != std::string::npos, std::string(part) << " in " << log);
  }
}

TEST_CASE("broker: a host that is not listed") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  const std::string denied = broker.Ask("b.example", "443");
  CHECK(denied.starts_with("n 1 p connection to \"b.example:443\" refused: "));
  CHECK(denied.find("ringfence allow b.example") != std::string::npos);
  const std::string sentence = denied.substr(6);
  CHECK(broker.ToParent() == "d b.example:443 " + sentence + " " + sentence);
  CHECK(broker.Counts() == "t 0 0 1 0 0 b.example:443 0 1 0 0");
  broker.ExitStatus();
  CHECK(listed.disk.Log().find(R"("verdict":"deny")") != std::string::npos);
}

TEST_CASE("broker: a port that is not listed, and an address of the host's network") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  CHECK(broker.Ask("host.ringfence", "1").starts_with("n 1 p "));
  CHECK(broker.Ask("127.0.0.1", listed.port).starts_with("n 2 p "));
  CHECK(broker.Ask("[::1]", listed.port).starts_with("n 3 p "));
  CHECK_FALSE(listed.listener.Accept().valid());
}

TEST_CASE("broker: a name that leads to the host's own network") {
  LoopbackListener listener;
  const std::string port = std::to_string(listener.port());
  const SessionDisk disk(Allow("\"localhost:" + port + "\""));
  BrokerBench broker(disk.Request());
  CHECK(broker.Ask("localhost", port).starts_with("n 1 p connection to \"localhost:" + port));
  CHECK_FALSE(listener.Accept().valid());
}

TEST_CASE("broker: a port at which nobody listens") {
  std::string port;
  {
    LoopbackListener listener;
    port = std::to_string(listener.port());
  }
  const SessionDisk disk(Allow("\"host.ringfence:" + port + "\""));
  BrokerBench broker(disk.Request());
  const std::string want = "connection to \"host.ringfence:" + port +
                           "\" failed: it cannot be reached: Connection refused";
  CHECK(broker.Ask("host.ringfence", port) == "n 1 u " + want);
  broker.ExitStatus();
  CHECK(disk.Log().find("it cannot be reached: Connection refused") != std::string::npos);
}

TEST_CASE("broker: further requests on a connection are assessed") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  UniqueFd socket;
  broker.Send(WorkerMessage::kAssess, {"7", "http", "a.example", "80"});
  CHECK(broker.ToWorker(&socket) == "g 7 -");
  CHECK_FALSE(socket.valid());
  broker.Send(WorkerMessage::kAssess, {"8", "http", "b.example", "80"});
  CHECK(broker.ToWorker().starts_with("n 8 p "));
}

TEST_CASE("broker: further requests are logged with the address of their connection") {
  const Listed listed;
  struct Row {
    const char* path;
    std::string port, connection;
    bool has_address;
  };
  const Row rows[] = {{"/on-it", listed.port, "1", true},
                      {"/on-another", listed.port, "77", false},
                      {"/elsewhere", "80", "1", false}};
  {
    BrokerBench broker(listed.disk.Request());
    UniqueFd socket;
    CHECK(broker.Ask("host.ringfence", listed.port, &socket) == "g 1 127.0.0.1");
    int id = 1;
    for (const Row& row : rows) {
      const std::string number = std::to_string(++id);
      const std::string host = row.port == "80" ? "a.example" : "host.ringfence";
      broker.Send(WorkerMessage::kAssess, {number, "http", host, row.port, row.connection});
      CHECK(broker.ToWorker().starts_with("g " + number));
      broker.Send(WorkerMessage::kDone, {number, "GET", row.path, "200", "1", "1", "1", ""});
    }
    broker.Send(WorkerMessage::kReuse, {"9", "http", "host.ringfence", listed.port, "1"});
    broker.Send(WorkerMessage::kDone, {"9", "GET", "/again", "200", "1", "1", "1", ""});
    broker.ExitStatus();
  }
  const std::string log = listed.disk.Log();
  const auto has_address = [&log](const std::string& path) {
    return LineWith(log, path).find(R"("address":"127.0.0.1")") != std::string::npos;
  };
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK(has_address(row.path) == row.has_address);
  }
  CHECK(has_address("/again"));
}

TEST_CASE("broker: requests that rely on an earlier permission are logged") {
  const Listed listed;
  {
    BrokerBench broker(listed.disk.Request());
    broker.Send(WorkerMessage::kReuse, {"1", "http", "a.example", "80"});
    broker.Send(WorkerMessage::kDone, {"1", "GET", "/early", "200", "1", "1", "1", ""});
    broker.Send(WorkerMessage::kAssess, {"2", "http", "a.example", "80"});
    CHECK(broker.ToWorker() == "g 2 -");
    broker.Send(WorkerMessage::kReuse, {"3", "http", "a.example", "80"});
    broker.Send(WorkerMessage::kDone, {"3", "GET", "/reused", "200", "1", "1", "1", ""});
    listed.disk.Policy(Allow("\"b.example\""));
    broker.Send(WorkerMessage::kAssess, {"4", "http", "a.example", "80"});
    CHECK(broker.ToWorker().starts_with("n 4 p "));
    broker.Send(WorkerMessage::kReuse, {"5", "http", "a.example", "80"});
    broker.Send(WorkerMessage::kDone, {"5", "GET", "/late", "200", "1", "1", "1", ""});
    broker.Send(WorkerMessage::kAssess, {"6", "http", "b.example", "80"});
    CHECK(broker.ToWorker() == "g 6 -");
  }
  const std::string log = listed.disk.Log();
  CHECK(log.find("/early") == std::string::npos);  // no decision, and so no log, came before
  for (const char* path : {"/reused", "/late"}) {
    CHECK(LineWith(log, path).find(R"("verdict":"permit")") != std::string::npos);
  }
  CHECK(LineWith(log, "/reused").find(R"("pointer":"/network/allow")") != std::string::npos);
}

TEST_CASE("broker: it ends at a reuse that no worker sends") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  broker.Send(WorkerMessage::kReuse, {"1", "http", "a.example"});
  CHECK(broker.Wait() == 0);
  BrokerBench other(listed.disk.Request());
  other.Send(WorkerMessage::kReuse, {"1", "http", "a.example", "80", "x"});
  CHECK(other.Wait() == 0);
}

TEST_CASE("broker: a refusal is in the log before the worker hears of it") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  CHECK(broker.Ask("b.example", "443").starts_with("n 1 p "));
  CHECK(listed.disk.Log().find("b.example:443") != std::string::npos);
}

TEST_CASE("broker: the policy may change meanwhile") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  CHECK(broker.Ask("host.ringfence", listed.port).starts_with("g 1 "));
  listed.disk.Policy(Allow("\"a.example\""));
  CHECK(broker.Ask("host.ringfence", listed.port).starts_with("n 2 p "));
  listed.disk.Policy("");
  CHECK(broker.Ask("host.ringfence", listed.port) ==
        "n 3 p connection to \"host.ringfence:" + listed.port +
            "\" refused: the policy permits no network.");
  listed.disk.File(kUserPolicyFile, "{");
  CHECK(broker.Ask("host.ringfence", listed.port)
            .starts_with("n 4 p connection to \"host.ringfence:" + listed.port +
                         "\" refused: the policy cannot be used: "));
  listed.disk.Policy(Allow("\"host.ringfence:" + listed.port + "\""));
  CHECK(broker.Ask("host.ringfence", listed.port).starts_with("g 5 "));
}

TEST_CASE("broker: the policy may change while a connection is made") {
  const LoopbackListener upstream;
  const auto network = [&upstream](const std::string& hosts) {
    return "\"network\":{\"allow\":[" + hosts +
           "],\"upstream\":\"http://127.0.0.1:" + std::to_string(upstream.port()) + "\"}";
  };
  const SessionDisk disk{network("\"a.example\"")};
  BrokerBench broker(disk.Request());
  broker.Send(WorkerMessage::kOpen, {"1", "tls", "a.example", "443"});
  pollfd waits{.fd = upstream.fd(), .events = POLLIN, .revents = 0};
  REQUIRE(::poll(&waits, 1, kPatience) == 1);
  const UniqueFd proxy = upstream.Accept();
  std::string answer = "g 1 -";
  SUBCASE("but did not") {}
  SUBCASE("and lists the host no more") {
    disk.Policy(network("\"b.example\""));
    answer = "n 1 p connection to \"a.example:443\" refused: the host \"a.example\" is not listed";
  }
  SUBCASE("and cannot be used") {
    disk.File(kUserPolicyFile, "{");
    answer = "n 1 p connection to \"a.example:443\" refused: the policy cannot be used: ";
  }
  std::this_thread::sleep_for(2 * kReliedOn);
  constexpr std::string_view kTunnel = "HTTP/1.1 200 OK\r\n\r\n";
  REQUIRE(::send(proxy.get(), kTunnel.data(), kTunnel.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(kTunnel.size()));
  CHECK(broker.ToWorker().starts_with(answer));
}

TEST_CASE("broker: an agent's own sandbox reaches the agent's service") {
  const SessionDisk disk("");
  SessionRequest request = disk.Request();
  request.is_agent = true;
  BrokerBench broker(request);
  broker.Send(WorkerMessage::kAssess, {"1", "tls", "api.anthropic.com", "443"});
  CHECK(broker.ToWorker() == "g 1 -");
  broker.Send(WorkerMessage::kAssess, {"2", "tls", "a.example", "443"});
  CHECK(broker.ToWorker().starts_with("n 2 p "));
}

TEST_CASE("broker: a log that is required and cannot be written stops new connections") {
  const Listed listed;
  listed.disk.File("home/file");
  listed.disk.File(kUserPolicyFile, "{\"version\":1,\"audit\":{\"required\":true,\"file\":\"" +
                                        listed.disk.At("home/file/log") + "\"}," +
                                        Allow("\"a.example\"") + "}");
  BrokerBench broker(listed.disk.Request());
  // The log is written by a thread, so it takes some lines until the failure is known.
  std::string answer;
  for (int i = 1; i < 10'000 && !answer.starts_with('n'); ++i) {
    const std::string id = std::to_string(i);
    broker.Send(WorkerMessage::kAssess, {id, "http", "a.example", "80"});
    answer = broker.ToWorker();
    if (answer.starts_with('g')) {
      broker.Send(WorkerMessage::kDone, {id, "", "", "", "", "", "", ""});
    }
  }
  CHECK(answer.find("the audit log, which the policy requires, cannot be written: ") !=
        std::string::npos);
}

TEST_CASE("broker: a trial leaves no log") {
  const Listed listed;
  SessionRequest request = listed.disk.Request();
  request.is_trial = true;
  BrokerBench broker(request);
  CHECK(broker.Ask("b.example", "443").starts_with("n 1 p "));
  broker.ExitStatus();
  CHECK(listed.disk.Log().empty());
}

TEST_CASE("broker: connections that are open at the end are in the log") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  CHECK(broker.Ask("host.ringfence", listed.port).starts_with("g 1 "));
  SUBCASE("the parent ends") { CHECK(broker.ExitStatus() == 0); }
  SUBCASE("the worker ends") {
    broker.CloseWorker();
    CHECK(broker.Wait() == 0);
  }
  CHECK(listed.disk.Log().find("it ended with the session") != std::string::npos);
}

TEST_CASE("broker: what the worker refused itself is told and logged") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  broker.Send(WorkerMessage::kRefused, {"0", "tls", "a.example", "443", "names\nnothing"});
  const auto expect = [&](const std::string& target, const std::string& sentence) {
    CHECK(broker.ToParent() == "d " + target + " " + sentence + " " + sentence);
  };
  expect("a.example:443", R"(connection to "a.example:443" refused: names\nnothing)");
  broker.Send(WorkerMessage::kRefused, {"0", "dns", "a.example", "0", "has no MX"});
  expect("a.example", R"(connection to "a.example" refused: has no MX)");
  broker.Send(WorkerMessage::kRefused, {"7", "socks5", "", "0", "is broken"});
  CHECK(broker.ToWorker() == "t 7");
  expect("-", "a connection was refused: is broken");
  broker.ExitStatus();
  CHECK(listed.disk.Log().find(R"(names\\nnothing)") != std::string::npos);
  CHECK(listed.disk.Log().find(":0\"") == std::string::npos);
}

TEST_CASE("broker: there is a largest number of connections") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  constexpr int kMost = 2048;
  for (int i = 1; i <= kMost; ++i) {
    broker.Send(WorkerMessage::kAssess, {std::to_string(i), "http", "a.example", "80"});
    REQUIRE(broker.ToWorker().starts_with("g "));
  }
  broker.Send(WorkerMessage::kAssess, {"5000", "http", "a.example", "80"});
  CHECK(broker.ToWorker() ==
        "n 5000 b connection to \"a.example:80\" refused: the proxy has too many connections");
  broker.Send(WorkerMessage::kDone, {"1", "", "", "", "", "", "", ""});
  broker.Send(WorkerMessage::kAssess, {"5001", "http", "a.example", "80"});
  CHECK(broker.ToWorker() == "g 5001 -");
}

TEST_CASE("broker: it ends with a worker that makes no sense") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  SUBCASE("no number") { broker.Send(WorkerMessage::kOpen, {"x", "tcp", "a.example", "80"}); }
  SUBCASE("no port") { broker.Send(WorkerMessage::kOpen, {"1", "tcp", "a.example", ""}); }
  SUBCASE("port 0") { broker.Send(WorkerMessage::kOpen, {"1", "tcp", "a.example", "0"}); }
  SUBCASE("port 65536") { broker.Send(WorkerMessage::kOpen, {"1", "tcp", "a.example", "65536"}); }
  SUBCASE("too few fields") { broker.Send(WorkerMessage::kOpen, {"1", "tcp", "a.example"}); }
  SUBCASE("a number twice") {
    broker.Send(WorkerMessage::kAssess, {"1", "tcp", "a.example", "80"});
    broker.Send(WorkerMessage::kAssess, {"1", "tcp", "a.example", "80"});
  }
  SUBCASE("an end of too few fields") { broker.Send(WorkerMessage::kDone, {"1"}); }
  SUBCASE("an end without a number") {
    broker.Send(WorkerMessage::kDone, {"", "", "", "", "", "", "", ""});
  }
  SUBCASE("a refusal of too few fields") { broker.Send(WorkerMessage::kRefused, {"tcp"}); }
  SUBCASE("a refusal without a port") {
    broker.Send(WorkerMessage::kRefused, {"1", "a", "b", "c", "d"});
  }
  CHECK(broker.Wait() == 0);
}

TEST_CASE("broker: other messages of the worker do nothing") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  for (const WorkerMessage type :
       {WorkerMessage::kReady, WorkerMessage::kListen, WorkerMessage::kGranted,
        WorkerMessage::kDenied, WorkerMessage::kNoted}) {
    broker.Send(type, {});
  }
  broker.Send(static_cast<WorkerMessage>('?'), {"1"});
  broker.Send(WorkerMessage::kDone, {"99", "", "", "", "", "", "", ""});
  broker.Send(WorkerMessage::kAssess, {"1", "http", "a.example", "80"});
  CHECK(broker.ToWorker() == "g 1 -");
}

TEST_CASE("broker: listeners pass to the worker") {
  const Listed listed;
  BrokerBench broker(listed.disk.Request());
  broker.SendAsParent('?', {"x"});
  broker.SendAsParent('n', {"80"}, listed.listener.fd());
  UniqueFd socket;
  CHECK(broker.ToWorker(&socket) == "l 80");
  CHECK(socket.valid());
}

TEST_CASE("broker: without a session there is none") {
  BrokerBench broker;
  SUBCASE("another message") { broker.SendAsParent('x', {"key", "", "", "", "", ""}); }
  SUBCASE("not a session") { broker.SendAsParent('s', {"key"}); }
  SUBCASE("not a launcher's words") {
    broker.SendAsParent('s', {"key", "", "", "", "", "", "--unknown", "x"});
  }
  SUBCASE("the parent has gone") { broker.CloseParent(); }
  CHECK(broker.Wait() == 1);
}
