#include "run/host_reports.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/socket_pair.h"
#include "base/syscall.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

// The reports of a run of `command`, as a program that starts it reads them.
class Reported {
 public:
  explicit Reported(bool is_agent) {
    Result<Policy> policy = MergePolicies(world_.sources, "", world_.places, {});
    REQUIRE(policy);
    request_.policy = *policy;
    request_.command.is_agent = is_agent;
    Result<SocketPair> pair = MakeSocketPair(SOCK_STREAM);
    REQUIRE(pair);
    reader_ = std::move(pair->own);
    Result<RunReport> report = RunReport::To(std::to_string(::dup(pair->other.get())));
    REQUIRE(report);
    report_ = std::move(*report);
  }

  HostReports Hosts() { return {request_, report_}; }
  // The lines so far.
  std::string Text() {
    std::string text(1 << 20, '\0');
    const ssize_t size = ::recv(reader_.get(), text.data(), text.size(), MSG_DONTWAIT);
    text.resize(size > 0 ? static_cast<size_t>(size) : 0);
    return text;
  }

 private:
  World world_;
  RunRequest request_;
  UniqueFd reader_;
  RunReport report_;
};

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void Refuse(HostReports& hosts, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string target = "h" + std::to_string(i) + ".example:443";
    hosts.Refused(target, "refused " + target, "inside " + target);
    hosts.Refused(target, "refused " + target, "inside " + target);
  }
}

constexpr const char* kLost = "cannot reach its service";
constexpr const char* kService = "api.anthropic.com:443";

}  // namespace

TEST_CASE("host reports: after twenty hosts, one line counts the rest") {
  for (const bool is_agent : {false, true}) {
    CAPTURE(is_agent);
    Reported reported(is_agent);
    HostReports hosts = reported.Hosts();
    Refuse(hosts, 20);
    hosts.ReportRest();
    std::string text = reported.Text();
    CHECK(Count(text, "host_refused") == 20);
    CHECK(Count(text, "more host") == 0);
    Refuse(hosts, 21);
    hosts.ReportRest();
    text = reported.Text();
    CHECK(Count(text, "host_refused") == 0);
    CHECK(Count(text, "1 more host was refused or not reached") == 1);
    Refuse(hosts, 25);
    hosts.Failed("down.example:443", "failed");
    hosts.ReportRest();
    CHECK(Count(reported.Text(), "6 more hosts were refused or not reached") == 1);
    Refuse(hosts, 1200);
    hosts.ReportRest();
    CHECK(Count(reported.Text(), "at least 980 more hosts were refused or not reached") == 1);
  }
}

TEST_CASE("host reports: the agent's service is reported however many hosts are refused") {
  for (const int refused : {25, 1200}) {
    Reported reported(true);
    HostReports hosts = reported.Hosts();
    Refuse(hosts, refused);
    hosts.Failed(kService, "it is down");
    CHECK(Count(reported.Text(), kLost) == 1);
    CHECK(hosts.lacks_service());
    hosts.Reached(kService);
    CHECK_FALSE(hosts.lacks_service());
  }
}

TEST_CASE("host reports: an agent's model hears of the latest hosts, by the latest reason") {
  Reported reported(true);
  HostReports hosts = reported.Hosts();
  const int64_t begin = Nanoseconds(CLOCK_MONOTONIC);
  hosts.Failed("a.example:443", "it is down");
  hosts.Failed("b.example:443", "it is down");
  hosts.Refused("a.example:443", "refused", "inside");
  hosts.Refused("http-intake.logs.us5.datadoghq.com:443", "refused", "inside");  // in vain anyway
  const std::vector<UnreachedHost> expected{{true, "a.example:443", "inside"},
                                            {false, "b.example:443", "it is down"}};
  CHECK(hosts.Since(begin, true) == expected);
  CHECK(hosts.Since(begin, true).empty());
  CHECK(hosts.Since(begin, false) == expected);
  CHECK(hosts.Since(Nanoseconds(CLOCK_MONOTONIC) + 1, false).empty());
  CHECK(hosts.WhyRefused("a.example:443") == "inside");
  CHECK(hosts.WhyRefused("b.example:443").empty());
  CHECK(hosts.WhyRefused("c.example:443").empty());
  hosts.Reached("a.example:443");
  CHECK(hosts.Since(begin, false).size() == 1);
}

TEST_CASE("host reports: a flood of hosts hides no later one from the model") {
  Reported reported(true);
  HostReports hosts = reported.Hosts();
  const int64_t begin = Nanoseconds(CLOCK_MONOTONIC);
  Refuse(hosts, 1200);
  hosts.Refused("needed.example:443", "refused", "inside");
  const std::vector<UnreachedHost> told = hosts.Since(begin, false);
  REQUIRE(told.size() == 5);
  CHECK(told.front().target == "needed.example:443");
  CHECK(told.back().sentence.starts_with("at least "));
  CHECK(hosts.WhyRefused("needed.example:443") == "inside");
}

TEST_CASE("host reports: the model hears that the proxy has ended") {
  Reported reported(true);
  HostReports hosts = reported.Hosts();
  hosts.Lost("it has ended");
  const std::vector<UnreachedHost> expected{{false, "", "it has ended"}};
  CHECK(hosts.Since(0, false) == expected);
  CHECK(hosts.Since(0, true).empty());
}
