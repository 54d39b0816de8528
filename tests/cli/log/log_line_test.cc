// Lines of the audit log: content, filters, display and forwarding.
#include "cli/log/log_line.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "audit_log/line.h"
#include "cli/common/since.h"

using namespace ringfence;

namespace {

std::string Whole(const std::string& text) { return ChainedLine(text, "", AuditLock::kHeld); }

const std::string kDenial = Whole(
    R"({"time":"2026-10-14T17:46:40.123Z","event":"PreToolUse","session":"s1","agent_id":"a1",)"
    R"("agent_type":"Explore","tool":"Write","paths":["/etc/x","/etc/x","/b","/c","/d"],)"
    R"("verdict":"deny","rule":{"file":"policy.json","line":6,"pointer":"/write/allow"},)"
    R"("why":"outside the project","us":12)");

}  // namespace

TEST_CASE("log line: the content of a line") {
  const auto entry = ReadLogLine(kDenial);
  REQUIRE(entry.has_value());
  CHECK(entry->tool == "Write");
  CHECK(entry->rule->label() == "policy.json:6 /write/allow");
  CHECK(ShowLogEntry(*entry, Console()) ==
        "2026-10-14 17:46:40Z  deny    Write    /etc/x /b +2  outside the project "
        "(policy.json:6 /write/allow)  session s1, agent Explore");
}

TEST_CASE("log line: a call that the client asks about has a second line, which says so") {
  std::string request = kDenial.substr(0, kDenial.find(",\"chain\""));
  request.replace(request.find("PreToolUse"), 10, "PermissionRequest");
  const auto entry = ReadLogLine(Whole(request));
  REQUIRE(entry.has_value());
  CHECK(ShowLogEntry(*entry, Console()).ends_with(", agent Explore, at the prompt"));
}

TEST_CASE("log line: what a stage changed") {
  const std::string start =
      R"({"time":"2026-10-14T17:46:40.123Z","event":"StageChange","paths":["/p/a"],)"
      R"("verdict":"permit","stage":"k7fq","number":2,"by":"--apply",)";
  const auto entry = ReadLogLine(
      Whole(start + R"("change":"modified","moved_from":"/p/b","result":"merged",)" +
            R"("before":{"kind":"link","target":"x"},"after":{"kind":"file","mode":"644",)" +
            R"("size":12,"sha256":"0123456789abcdef0123"},"us":0)"));
  REQUIRE(entry.has_value());
  CHECK(ShowLogEntry(*entry, Console()) ==
        "2026-10-14 17:46:40Z  permit  StageChange /p/a  stage k7fq, apply 2: modified, merged: "
        "link to \"x\" -> file 644 12 bytes 0123456789ab...; moved from /p/b; by --apply");
  const auto added = ReadLogLine(
      Whole(start + R"("change":"added","result":"applied","after":{"kind":"directory"},"us":0)"));
  REQUIRE(added.has_value());
  CHECK(ShowLogEntry(*added, Console()).find("nothing -> directory; by") != std::string::npos);
  const auto end = ReadLogLine(Whole(
      R"({"time":"2026-10-14T17:46:40.123Z","event":"StageEnd","verdict":"permit","stage":"k7fq")"));
  REQUIRE(end.has_value());
  CHECK(ShowLogEntry(*end, Console()).ends_with("  stage k7fq, status 0"));
  LogFilter filter{.stage = "k7"};
  CHECK(filter.Wants(*end));
  filter.stage = "a";
  CHECK_FALSE(filter.Wants(*end));
}

TEST_CASE("log line: torn and foreign text is not a line") {
  for (const std::string& text :
       {std::string(), std::string("{\"time\":\"2026-10-14T17:46:40.123Z\"}"),
        kDenial.substr(0, 100), Whole(R"({"time":"yesterday")"), Whole("{]"),
        Whole(R"({"time":"2026-10-14T25:46:40.123Z")")}) {
    CAPTURE(text);
    CHECK_FALSE(ReadLogLine(text).has_value());
  }
}

TEST_CASE("log line: a line from inside a sandbox has the launcher's time") {
  const auto entry = ReadLogLine(
      Whole(R"({"time":"a lie","verdict":"permit","us":1,"inside":"2026-10-14T17:46:40.000Z")"));
  REQUIRE(entry.has_value());
  CHECK(entry->time == "2026-10-14T17:46:40.000Z");
  CHECK(entry->is_inside);
}

TEST_CASE("log line: displayed text never contains control characters") {
  const auto entry = ReadLogLine(Whole(
      "{\"time\":\"2026-10-14T17:46:40.123Z\",\"tool\":\"\\u001b[2J\",\"verdict\":\"\\u009b\","
      "\"session\":\"\\n\",\"why\":\"\xE2\x80\xAE\",\"paths\":[\"\\u0007\"],\"us\":1"));
  REQUIRE(entry.has_value());
  const std::string shown = ShowLogEntry(*entry, Console());
  CHECK(std::ranges::all_of(shown, [](char c) { return c >= ' ' && c < 0x7F; }));
}

TEST_CASE("log line: filters") {
  const auto entry = ReadLogLine(kDenial);
  REQUIRE(entry.has_value());
  struct Row {
    LogFilter filter;
    bool wanted;
  };
  const Row rows[] = {
      {{}, true},
      {{.tool = "Write"}, true},
      {{.tool = "W*e"}, true},
      {{.tool = "Read"}, false},
      {{.verdict = LoggedVerdict::kDeny}, true},
      {{.verdict = LoggedVerdict::kAsk}, false},
      {{.session = "s"}, true},
      {{.session = "1"}, false},
      {{.agent = "a1"}, true},
      {{.agent = "Expl*"}, true},
      {{.agent = "a"}, false},
      {{.since = "2026-10-14T17:46:40.123Z"}, true},
      {{.since = "2026-10-14T17:46:40.124Z"}, false},
      {{.tool = "Write", .verdict = LoggedVerdict::kPermit}, false},
  };
  for (const Row& row : rows) CHECK(row.filter.Wants(*entry) == row.wanted);
}

TEST_CASE("log line: start times for --since") {
  constexpr int64_t kNow = 1'792'000'000'123'000'000;  // 2026-10-14T17:46:40.123Z
  struct Row {
    const char* text;
    const char* time;
  };
  static constexpr Row kRows[] = {
      {"10m", "2026-10-14T17:36:40.123Z"},
      {"2h", "2026-10-14T15:46:40.123Z"},
      {"3d", "2026-10-11T17:46:40.123Z"},
      {"5s", "2026-10-14T17:46:35.123Z"},
      {"2026-10-13", "2026-10-13T00:00:00.000Z"},
      {"2026-10-13T05:06", "2026-10-13T05:06:00.000Z"},
      {"2026-10-13T05:06:07", "2026-10-13T05:06:07.000Z"},
      {"2026-10-13 05:06:07Z", "2026-10-13T05:06:07.000Z"},
      {"2026-10-13T05:06:07Z", "2026-10-13T05:06:07.000Z"},
      {"2026-10-13T05:06:07.123Z", "2026-10-13T05:06:07.123Z"},
      {"100000000d", ""},
      {"99999999999999999999d", ""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const Result<std::string> time = ReadSince(row.text, kNow);
    if (*row.time != '\0') CHECK(time.value() == row.time);
  }
  CHECK(ReadSince("2028-02-29", kNow).value() == "2028-02-29T00:00:00.000Z");
  CHECK(ReadSince("2000-02-29", kNow).value() == "2000-02-29T00:00:00.000Z");
  for (const char* text : {"",
                           "m",
                           "-1m",
                           "1",
                           "1w",
                           "7 d",
                           "yesterday",
                           "2026-10",
                           "2026-13-01",
                           "2026-13-45",
                           "2026-00-01",
                           "2026-10-00",
                           "2026-02-29",
                           "2026-02-30",
                           "2100-02-29",
                           "2026-04-31",
                           "2026-10-14T24:00",
                           "2026-11-22T25:00Z",
                           "2026-11-22T03:60Z",
                           "2026-11-22T03:00:61Z",
                           "2026-10-14T10",
                           "10m ",
                           "2026-10-14Z"}) {
    CAPTURE(text);
    CHECK_FALSE(ReadSince(text, kNow).has_value());
  }
}

TEST_CASE("syslog: a message of RFC 5424, and its frame") {
  const auto entry = ReadLogLine(kDenial);
  REQUIRE(entry.has_value());
  const std::string message = SyslogMessage(kDenial, *entry, "host.example", 7);
  CHECK(message ==
        "<84>1 2026-10-14T17:46:40.123Z host.example ringfence - PreToolUse "
        "[origin software=\"ringfence\" swVersion=\"" RINGFENCE_VERSION
        "\"][meta sequenceId=\"7\"] " +
            kDenial);
  CHECK(Framed("<84>1 x") == "7 <84>1 x");
  AuditEntry strange = *entry;
  strange.event = "a b\n";
  strange.verdict = LoggedVerdict::kPermit;
  CHECK(SyslogMessage("{}", strange, "", 1)
            .starts_with("<86>1 2026-10-14T17:46:40.123Z - ringfence - - ["));
}

TEST_CASE("syslog: non-ASCII text is escaped, so that no byte order mark is needed") {
  const std::string line = Whole("{\"time\":\"2026-10-14T17:46:40.123Z\",\"why\":\"\xC3\xA9\"");
  const std::string message = SyslogMessage(line, *ReadLogLine(line), "h", 1);
  CHECK(std::ranges::all_of(message, [](char c) { return c >= ' ' && c < 0x7F; }));
  CHECK(nlohmann::json::parse(message.substr(message.find('{'))).at("why") == "\xC3\xA9");
}

TEST_CASE("journald: the content of a line cannot add fields") {
  AuditEntry entry = *ReadLogLine(kDenial);
  entry.session = "s\nPRIORITY=0";
  CHECK(JournalMessage("{}", entry) ==
        "MESSAGE={}\nPRIORITY=4\nSYSLOG_FACILITY=10\nSYSLOG_IDENTIFIER=ringfence\n"
        "RINGFENCE_TIME=2026-10-14T17:46:40.123Z\nRINGFENCE_VERDICT=deny\nRINGFENCE_TOOL=Write\n"
        "RINGFENCE_SESSION=s\\nPRIORITY=0\n");
}

TEST_CASE("syslog: destinations") {
  struct Row {
    const char* text;
    LogTarget::Kind kind;
    const char* host;
    int port;
  };
  using Kind = LogTarget::Kind;
  static constexpr Row kRows[] = {
      {"journald", Kind::kJournal, "", 514},
      {"syslog://logs.example:601", Kind::kTcp, "logs.example", 601},
      {"syslog://logs.example", Kind::kTcp, "logs.example", 514},
      {"syslog+udp://127.0.0.1:1514", Kind::kUdp, "127.0.0.1", 1514},
      {"syslog://[::1]:1514", Kind::kTcp, "::1", 1514},
      {"syslog+udp://[::1]", Kind::kUdp, "::1", 514},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const Result<LogTarget> target = ReadLogTarget(row.text);
    REQUIRE(target.has_value());
    CHECK(target->kind == row.kind);
    CHECK(target->host == row.host);
    CHECK(target->port == row.port);
  }
  for (const char* text :
       {"", "journal", "syslog:", "syslog://", "syslog://:514", "syslog://h:", "syslog://h:0",
        "syslog://h:65536", "syslog://h:1x", "syslog://h/x", "syslog://-h", "syslog://[::1",
        "syslog://[::1]x1", "http://h:1", "syslog://a b"}) {
    CAPTURE(text);
    CHECK_FALSE(ReadLogTarget(text).has_value());
  }
}
