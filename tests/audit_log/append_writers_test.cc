// Concurrent writers of one audit log that hold its lock or are killed.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "audit_log/append.h"
#include "base/sha256.h"
#include "base/unique_fd.h"
#include "tests/support/audit_log_file.h"

using namespace ringfence;

namespace {

bool HasWritten(pid_t writer) {
  int status = 0;
  REQUIRE(::waitpid(writer, &status, 0) == writer);
  return status == 0;
}

}  // namespace

TEST_CASE("audit: many rotating writers leave complete lines and one chain") {
  constexpr int kWriters = 6;
  constexpr int kLines = 40;
  const AuditLogFile log;
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      int failed = 0;
      for (int i = 0; i < kLines; ++i) {
        const std::string name = std::to_string(w) + "-" + std::to_string(i);
        failed += log.Append(name, 4000, Now()).has_value() ? 0 : 1;
      }
      ::_exit(failed == 0 ? 0 : 1);
    }
    writers.push_back(child);
  }
  for (const pid_t writer : writers) CHECK(HasWritten(writer));
  const std::vector<std::string> lines = log.Lines();
  CHECK(lines.size() == kWriters * kLines);
  CHECK(ChainLength(lines) == kWriters * kLines);
  CHECK(log.Files() > 3);
}

TEST_CASE("audit: after kill -9 every line but the last is complete, and the next one follows it") {
  for (int round = 0; round < 8; ++round) {
    const AuditLogFile log;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (int i = 0;; ++i) (void)log.Append(std::to_string(i), 3000, Now()).has_value();
    }
    ::usleep(static_cast<useconds_t>(15000 + 3000 * round));
    REQUIRE(::kill(child, SIGKILL) == 0);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    REQUIRE(log.Append("after", 3000, Now()).has_value());
    std::set<std::string> lines;
    for (const std::string& line : log.Lines()) {
      lines.insert(line);
      CHECK(nlohmann::json::accept(line));
    }
    CHECK(ChainLength({lines.begin(), lines.end()}) == lines.size());
  }
}

TEST_CASE("audit: a writer waits half a second for another one, then writes the line") {
  const AuditLogFile log;
  REQUIRE(log.Append("1").has_value());
  const UniqueFd holder(::open(log.path().text().c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  const int64_t start = Now();
  CHECK(log.Append("2", 10).has_value());  // and the file is not rotated
  CHECK(Now() - start < 5'000'000'000);
  REQUIRE(::flock(holder.get(), LOCK_UN) == 0);
  CHECK(log.Append("3").has_value());
  const std::vector<std::string> lines = log.Lines();
  CHECK(ChainLength(lines) == 3);
  CHECK(log.Files() == 1);
  CHECK(lines[1].starts_with(R"({"n":"2","unlocked":true,"chain":")"));
  CHECK(IsUnlocked(lines[1]));
  CHECK_FALSE(IsUnlocked(lines[2]));
}

TEST_CASE("audit: lines that come together wait once for the lock") {
  const AuditLogFile log;
  REQUIRE(log.Append("1").has_value());
  const UniqueFd holder(::open(log.path().text().c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  std::vector<NewAuditLine> lines;
  for (int i = 2; i < 102; ++i) lines.push_back({"{\"n\":\"" + std::to_string(i) + "\"", kTime});
  const Result<size_t> count = AppendToAudit(log.path(), Quiet(), lines);
  REQUIRE(count.has_value());
  CHECK(*count == lines.size());
  CHECK(ChainLength(log.Lines()) == 101);
  CHECK(IsUnlocked(log.Lines().back()));
}

TEST_CASE("audit: a torn line is closed without the lock, too") {
  const AuditLogFile log;
  REQUIRE(log.Append("1").has_value());
  const std::string torn = log.Text() + "{\"torn";
  log.File("state/log.jsonl", torn);
  const UniqueFd holder(::open(log.path().text().c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  CHECK(log.Append("2").has_value());
  CHECK(log.Text() ==
        torn + "\n" + R"({"n":"2","unlocked":true,"chain":")" + Sha256Hex(torn) + "\"}\n");
}

TEST_CASE("audit: many writers without the lock lose no line and tear none") {
  constexpr int kWriters = 8;
  const AuditLogFile log;
  REQUIRE(log.Append("1").has_value());
  const UniqueFd holder(::open(log.path().text().c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(log.Append(std::to_string(w)).has_value() ? 0 : 1);
    writers.push_back(child);
  }
  for (const pid_t writer : writers) CHECK(HasWritten(writer));
  const std::vector<std::string> lines = log.Lines();
  CHECK(lines.size() == kWriters + 1);
  for (const std::string& line : lines) CHECK(nlohmann::json::accept(line));
}
