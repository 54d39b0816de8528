#include "audit_log/entry.h"

#include <doctest/doctest.h>

#include <utility>

using namespace ringfence;

namespace {

AuditEntry Whole() {
  return {.time = "2026-10-14T17:46:40.123Z",
          .event = "PreToolUse",
          .session = "s \n\"",
          .agent_id = "a1",
          .agent_type = "Explore",
          .tool = "ReadMcpResourceTool",
          .profile = "p",
          .paths = {"/a", "/b\\"},
          .verdict = LoggedVerdict::kDeny,
          .rule = AuditEntry::Rule{"policy.json", 6, "/read/deny"},
          .why = "why",
          .server = "team",
          .host = "x.example",
          .microseconds = 12};
}

}  // namespace

TEST_CASE("audit entry: an entry survives being written and read") {
  const AuditEntry entry = Whole();
  std::optional<AuditEntry> again = ReadAuditEntry(AuditText(entry) + "}");
  REQUIRE(again.has_value());
  again->microseconds = entry.microseconds;  // read only by people
  CHECK(AuditText(*again) == AuditText(entry));
  CHECK(again->rule->label() == "policy.json:6 /read/deny");
  CHECK(again->paths == entry.paths);
  CHECK(again->verdict == LoggedVerdict::kDeny);
  CHECK(again->server == "team");
  CHECK(again->host == "x.example");
  CHECK_FALSE(again->is_inside);
}

TEST_CASE("audit entry: a connection survives being written and read") {
  const AuditEntry entry{.time = "2026-10-14T17:46:40.123Z",
                         .event = "Connection",
                         .verdict = LoggedVerdict::kPermit,
                         .host = "x.example:80",
                         .protocol = "http",
                         .method = "GET",
                         .path = "/a",
                         .address = "203.0.113.5",
                         .upstream = "proxy.example:3128",
                         .status = 200,
                         .up = 1,
                         .down = uint64_t{1} << 40,
                         .milliseconds = 3};
  const std::optional<AuditEntry> again = ReadAuditEntry(AuditText(entry) + "}");
  REQUIRE(again.has_value());
  CHECK(AuditText(*again) == AuditText(entry));
  CHECK(again->path == "/a");
  CHECK(again->down == entry.down);
  CHECK(AuditText({.time = "a"}) == R"({"time":"a","us":0)");  // no member for what is not known
  for (const char* number : {R"("1")", "-1", "1.5", "99999999999999999999"}) {
    CAPTURE(number);
    const std::string line = std::string(R"({"time":"a","up":)") + number + "}";
    CHECK(ReadAuditEntry(line)->up == 0);
  }
}

TEST_CASE("audit entry: a change of a stage survives being written and read") {
  const AuditEntry entry{
      .time = "2026-10-14T17:46:40.123Z",
      .event = "StageChange",
      .paths = {"/p/a"},
      .verdict = LoggedVerdict::kPermit,
      .stage = "k7fq",
      .number = 2,
      .by = "--apply",
      .change = "modified",
      .moved_from = "/p/b",
      .result = "merged",
      .before = AuditEntry::FileState{.kind = "link", .target = "x\n"},
      .after = AuditEntry::FileState{.kind = "file", .mode = "644", .size = 0, .sha256 = "ab"}};
  const std::string text = AuditText(entry);
  CHECK(text.find(R"("stage":"k7fq","number":2,"by":"--apply","change":"modified",)"
                  R"("moved_from":"/p/b","result":"merged",)"
                  R"("before":{"kind":"link","target":"x\n"},)"
                  R"("after":{"kind":"file","mode":"644","size":0,"sha256":"ab"},"us":0)") !=
        std::string::npos);
  CHECK(IsAuditText(text));
  const std::optional<AuditEntry> again = ReadAuditEntry(text + "}");
  REQUIRE(again.has_value());
  CHECK(AuditText(*again) == text);
  CHECK(again->before == entry.before);
  CHECK(again->after == entry.after);
  const auto wrong = ReadAuditEntry(R"({"time":"t","before":"x","after":{"size":"1"}})");
  REQUIRE(wrong.has_value());
  CHECK_FALSE(wrong->before.has_value());
  CHECK(wrong->after == AuditEntry::FileState{});
}

TEST_CASE("audit entry: a line from a sandbox has the launcher's time") {
  const auto entry = ReadAuditEntry(R"({"time":"a","verdict":"permit","inside":"b"})");
  REQUIRE(entry.has_value());
  CHECK(entry->is_inside);
  CHECK(entry->time == "b");
}

TEST_CASE("audit entry: the words of verdicts") {
  for (const auto& word :
       {std::pair("permit", LoggedVerdict::kPermit), std::pair("ask", LoggedVerdict::kAsk),
        std::pair("deny", LoggedVerdict::kDeny), std::pair("error", LoggedVerdict::kError),
        std::pair("alert", LoggedVerdict::kAlert)}) {
    CAPTURE(word.first);
    CHECK(VerdictName(word.second) == word.first);
    CHECK(VerdictNamed(word.first) == word.second);
  }
  CHECK(LoggedVerdictOf(Verdict::kAsk) == LoggedVerdict::kAsk);
  const auto later = ReadAuditEntry(R"({"time":"t","verdict":"postpone"})");
  REQUIRE(later.has_value());
  CHECK_FALSE(later->verdict.has_value());
}

TEST_CASE("audit entry: an entry without a verdict") {
  CHECK(AuditText({.time = "t"}) == R"({"time":"t","us":0)");
}

TEST_CASE("audit entry: text that is not an entry") {
  for (const char* text : {"", "[]", "{}", R"({"verdict":"deny"})",
                           R"({"time":1,"verdict":"deny"})", R"({"time":"t","verdict":"deny")"}) {
    CAPTURE(text);
    CHECK_FALSE(ReadAuditEntry(text).has_value());
  }
}

TEST_CASE("audit entry: members of the wrong type are left out") {
  const auto entry = ReadAuditEntry(
      R"({"time":"t","verdict":"deny","tool":1,"paths":["/a",2],"rule":{"file":"f","line":"x"}})");
  REQUIRE(entry.has_value());
  CHECK(entry->tool.empty());
  CHECK(entry->paths == std::vector<std::string>{"/a"});
  CHECK(entry->rule->label() == "f");
  const auto other =
      ReadAuditEntry(R"({"time":"t","verdict":"deny","paths":"/a","rule":"/read/deny"})");
  REQUIRE(other.has_value());
  CHECK(other->paths.empty());
  CHECK_FALSE(other->rule.has_value());
}

TEST_CASE("audit entry: a rule of the built-in policy has no line") {
  AuditEntry entry = Whole();
  entry.rule = AuditEntry::Rule{"built-in policy", 0, "/read/deny"};
  CHECK(AuditText(entry).find(R"("rule":{"file":"built-in policy","pointer":"/read/deny"})") !=
        std::string::npos);
}
