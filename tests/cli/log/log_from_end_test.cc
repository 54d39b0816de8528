#include "cli/log/log_from_end.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/audit_log_file.h"

using namespace ringfence;

namespace {

using Texts = std::vector<std::string>;

constexpr uint64_t kAll = uint64_t{1} << 40;

Texts FromEnd(const AuditLogFile& log, uint64_t most = kAll) {
  LogFromEnd reader(log.path(), most);
  REQUIRE(reader.Open());
  Texts lines;
  for (;;) {
    const Result<std::optional<LogFromEnd::Line>> line = reader.Previous();
    REQUIRE(line.has_value());
    if (!*line) return lines;
    lines.emplace_back((*line)->text);
  }
}

}  // namespace

TEST_CASE("log from its end: a log that does not exist has no lines") {
  CHECK(FromEnd(AuditLogFile()) == Texts{});
}

TEST_CASE("log from its end: the last line first, also one without a newline") {
  const AuditLogFile log;
  log.File("state/log.jsonl", "one\n\ntwo\nthree");
  CHECK(FromEnd(log) == Texts{"three", "two", "", "one"});
  log.File("state/log.jsonl", "one\n");
  CHECK(FromEnd(log) == Texts{"", "one"});
}

TEST_CASE("log from its end: rotated files follow, each line once") {
  const AuditLogFile log;
  for (int i = 0; i < 40; ++i) REQUIRE(log.Append(std::to_string(i), 1000, kTime + i));
  REQUIRE(log.Files() > 3);
  Texts lines = FromEnd(log);
  std::erase(lines, "");
  REQUIRE(lines.size() == 40);
  for (size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i].starts_with(R"({"n":")" + std::to_string(39 - i) + "\""));
  }
}

TEST_CASE("log from its end: lines that lie across two pieces are whole") {
  const AuditLogFile log;
  std::string text;
  Texts expected{""};
  for (int i = 0; i < 3000; ++i) {
    expected.insert(expected.begin() + 1, std::string(1 + static_cast<size_t>(i) % 700, 'x'));
    text += expected[1] + "\n";
  }
  log.File("state/log.jsonl", text);
  CHECK(FromEnd(log) == expected);
}

TEST_CASE("log from its end: what is too long for a line takes no memory, and is passed over") {
  const AuditLogFile log;
  log.File("state/log.jsonl", "one\n" + std::string(3 << 20, 'x') + "\ntwo\n");
  const Texts lines = FromEnd(log);
  REQUIRE(lines.size() == 4);
  CHECK(lines[1] == "two");
  CHECK(lines[2].size() < 1 << 20);
  CHECK(lines[3] == "one");
}

TEST_CASE("log from its end: the bound ends it") {
  const AuditLogFile log;
  log.File("state/log.jsonl", "one\n" + std::string(1 << 20, '\n') + "two\n");
  LogFromEnd reader(log.path(), 1000);
  REQUIRE(reader.Open());
  Texts lines;
  for (auto line = reader.Previous(); line && *line; line = reader.Previous()) {
    if (!(*line)->text.empty()) lines.emplace_back((*line)->text);
  }
  CHECK(lines == Texts{"two"});
  CHECK(reader.has_reached_bound());
}

TEST_CASE("log from its end: a rotated file that has been removed is left out") {
  const AuditLogFile log;
  for (int i = 0; i < 3; ++i) REQUIRE(log.Append(std::to_string(i), 1, kTime + i));
  LogFromEnd reader(log.path(), kAll);
  REQUIRE(reader.Open());
  for (const auto& entry : std::filesystem::directory_iterator(log.At("state"))) {
    if (entry.path() != log.path().text()) std::filesystem::remove(entry.path());
  }
  Texts lines;
  for (auto line = reader.Previous(); line && *line; line = reader.Previous()) {
    if (!(*line)->text.empty()) lines.emplace_back((*line)->text);
  }
  CHECK(lines.size() == 1);
  CHECK_FALSE(reader.has_reached_bound());
}

TEST_CASE("log from its end: an error of the log is one of the reader") {
  const AuditLogFile log;
  log.Directory("state/log.jsonl");
  CHECK_FALSE(LogFromEnd(log.path(), kAll).Open());
}
