// Messages to the system's log, byte for byte.
#include "audit_log/system_log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/sha256.h"

using namespace ringfence;

namespace {

constexpr int64_t kTime = 1'792'000'000'123'456'789;  // 2026-10-14T17:46:40.123Z

nlohmann::json ObjectOf(const std::string& message, std::string_view word) {
  REQUIRE(message.starts_with(word));
  return nlohmann::json::parse(message.substr(word.size()));
}

}  // namespace

TEST_CASE("system log: an anchor names the file, the line's digest and its end") {
  const WrittenLine line{"/home/dev/log", R"({"n":1})", 123, kTime};
  CHECK(AnchorMessage(line) ==
        R"(audit anchor {"file":"/home/dev/log","time":"2026-10-14T17:46:40.123Z","end":123,)"
        R"("digest":")" +
            Sha256Hex(R"({"n":1})") + "\"}");
}

TEST_CASE("system log: a line is sent as a member of one object, after its digest") {
  const WrittenLine line{"/log", R"({"why":"é"})", 9, kTime};
  const std::string message = LineMessage(line);
  const nlohmann::json json = ObjectOf(message, kLineWord);
  CHECK(json.at("digest") == Sha256Hex(line.text));
  CHECK(json.at("line").at("why") == "é");
  CHECK(message.find("digest") < message.find("\"line\""));
}

TEST_CASE("system log: any file name or line gives one line of plain text") {
  const WrittenLine line{"/a\n<0>Oct 14 root: x\x01\xFF\xE2\x80\xA8\"",
                         "{\"why\":\"\xC2\x9B"
                         "2J\xE2\x80\xAE\xF0\x9F\x98\x80\x7F\"}",
                         1, kTime};
  for (const std::string& message : {AnchorMessage(line), LineMessage(line)}) {
    CHECK(std::ranges::all_of(message, [](char c) { return c >= ' ' && c < 0x7F; }));
    CHECK(JournalEntry(message).find('\n') == JournalEntry(message).find("\nPRIORITY="));
  }
  CHECK(ObjectOf(AnchorMessage(line), kAnchorWord)
            .at("file")
            .get<std::string>()
            .starts_with("/a\n<0>"));
}

TEST_CASE("system log: an entry in journald's native protocol, and one of syslog(3)") {
  CHECK(JournalEntry("text") ==
        "MESSAGE=text\nPRIORITY=6\nSYSLOG_FACILITY=10\nSYSLOG_IDENTIFIER=ringfence\n");
  CHECK(SyslogEntry("text", kTime, 42) == "<86>Oct 14 17:46:40 ringfence[42]: text");
  CHECK(SyslogEntry("text", 1'793'000'000'000'000'000 - 24 * 3600'000'000'000 * 24, 1)
            .starts_with("<86>Oct  2 "));
}
