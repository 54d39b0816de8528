#include "proxy/broker/connection_log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "base/syscall.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

struct Logged {
  TemporaryTree disk;
  AuditRules rules;
  Path file = *Path::Parse(disk.At("log.jsonl"));

  std::string Text() const {
    std::ifstream stream(file.text());
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  size_t Lines() const {
    const std::string text = Text();
    return static_cast<size_t>(std::ranges::count(text, '\n'));
  }
};

AuditEntry EntryTo(const std::string& host) {
  AuditEntry entry;
  entry.host = host;
  entry.verdict = LoggedVerdict::kPermit;
  return entry;
}

}  // namespace

TEST_CASE("connection log: all that is queued is written in the end, in order") {
  Logged logged;
  {
    boost::asio::io_context io;
    ConnectionLog log(io);
    log.SetFile(logged.file, logged.rules);
    for (int i = 0; i < 100; ++i) log.Add(EntryTo("h" + std::to_string(i) + ":443"));
    CHECK_FALSE(log.IsFull());
  }
  const std::string text = logged.Text();
  CHECK(logged.Lines() == 100);
  CHECK(text.find("\"event\":\"Connection\"") != std::string::npos);
  CHECK(text.find("h9:443") < text.find("h99:443"));
}

TEST_CASE("connection log: entries go to the log that counted when they came") {
  Logged logged;
  Logged other;
  {
    boost::asio::io_context io;
    ConnectionLog log(io);
    log.Add(EntryTo("none:1"));
    log.SetFile(logged.file, logged.rules);
    log.Add(EntryTo("a:1"));
    log.SetFile(other.file, other.rules);
    log.Add(EntryTo("b:1"));
    log.SetFile(std::nullopt, other.rules);
    log.Add(EntryTo("c:1"));
  }
  CHECK(logged.Lines() == 1);
  CHECK(logged.Text().find("a:1") != std::string::npos);
  CHECK(other.Lines() == 1);
  CHECK(other.Text().find("b:1") != std::string::npos);
}

TEST_CASE("connection log: a failure is known until a line is written") {
  Logged logged;
  logged.disk.File("file");
  boost::asio::io_context io;
  ConnectionLog log(io);
  CHECK(log.failure().empty());
  const auto await = [&log](bool fails) {
    for (int i = 0; i < 30'000 && log.failure().empty() == fails; ++i) {
      const timespec moment{.tv_sec = 0, .tv_nsec = 1'000'000};
      ::nanosleep(&moment, nullptr);
    }
    return !log.failure().empty();
  };
  log.SetFile(Path::Parse(logged.disk.At("file/log")), logged.rules);
  log.Add(EntryTo("a:1"));
  CHECK(await(true));
  log.SetFile(logged.file, logged.rules);
  log.Add(EntryTo("b:1"));
  CHECK_FALSE(await(false));
}

TEST_CASE("connection log: a handler hears that its line is written") {
  Logged logged;
  boost::asio::io_context io;
  ConnectionLog log(io);
  int calls = 0;
  log.Add(EntryTo("none:1"), [&] { ++calls; });
  CHECK(calls == 1);
  log.SetFile(logged.file, logged.rules);
  log.Add(EntryTo("a:1"));
  log.Add(EntryTo("b:1"), [&] {
    ++calls;
    CHECK(logged.Lines() >= 2);
  });
  log.Add(EntryTo("c:1"), [&] { ++calls; });
  const auto guard = boost::asio::make_work_guard(io);
  while (calls < 3) io.run_one();
  CHECK(logged.Lines() == 3);
}

TEST_CASE("connection log: it is full while lines cannot be written") {
  Logged logged;
  logged.disk.File("log.jsonl");
  UniqueFd held = OpenFile(logged.file.text().c_str(), O_RDWR);
  REQUIRE(::flock(held.get(), LOCK_EX) == 0);
  boost::asio::io_context io;
  ConnectionLog log(io);
  log.SetFile(logged.file, logged.rules);
  // Each line waits half a second for the lock.
  for (int i = 0; i < 4200; ++i) log.Add(EntryTo("a:1"));
  CHECK(log.IsFull());
  AuditEntry refusal = EntryTo("a:1");
  refusal.verdict = LoggedVerdict::kDeny;
  bool is_told = false;
  log.Add(refusal, [&] { is_told = true; });
  CHECK(is_told);
  log.Add(refusal);
  held = UniqueFd();
}
