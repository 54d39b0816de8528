// Reading a line of a transcript.
#include "agents/claude/transcripts/transcript_line.h"

#include <doctest/doctest.h>

#include <string>

#include "agents/claude/event_reader.h"
#include "tests/support/scan_text.h"

using namespace ringfence;

namespace {

const std::string kTail =
    R"(,"type":"assistant","cwd":"/p","sessionId":"s","timestamp":"2026-11-23T13:30:24.258Z"})";

std::string Assistant(const std::string& blocks, const std::string& more = "") {
  return R"({"isSidechain":false,"message":{"role":"assistant","content":[)" + blocks + "]}" +
         more + kTail;
}

const std::string kRead =
    R"({"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/p/\u0061"}})";

Result<Event> EventOf(const TranscriptLine& line, const ToolCall& call,
                      std::string_view mode = "") {
  const std::string json = HookEvent(line, call, mode);
  CAPTURE(json);
  CHECK(IsAccepted(json));
  TextSource source(json);
  return ReadEvent(source, {});
}

TEST_CASE("transcript line: a call is passed on byte for byte") {
  const std::string text = Assistant(kRead, R"(,"agentId":"a1","attributionAgent":"worker")");
  const TranscriptLine line = ReadTranscriptLine(text);
  REQUIRE(line.kind == LineKind::kTranscript);
  REQUIRE(line.calls.size() == 1);
  CHECK(line.calls[0].id == "t1");
  CHECK(line.calls[0].tool.text == "Read");
  CHECK(line.calls[0].input == R"({"file_path":"/p/\u0061"})");
  CHECK(line.timestamp == "2026-11-23T13:30:24.258Z");
  const Result<Event> event = EventOf(line, line.calls[0], "plan");
  REQUIRE(event);
  CHECK(event->kind == EventKind::kPreToolUse);
  CHECK(event->session_id == "s");
  CHECK(event->cwd == "/p");
  CHECK(event->permission_mode == "plan");
  CHECK(event->agent_id == "a1");
  CHECK(event->agent_type == "worker");
  REQUIRE(event->input.size() == 1);
  CHECK(event->input[0].text == "/p/a");
}

TEST_CASE("transcript line: an agent's type counts only if an agent made the call") {
  const std::string text = Assistant(kRead, R"(,"attributionAgent":"worker")");
  const TranscriptLine line = ReadTranscriptLine(text);
  REQUIRE(line.calls.size() == 1);
  const Result<Event> event = EventOf(line, line.calls[0]);
  REQUIRE(event);
  CHECK_FALSE(event->is_subagent());
}

TEST_CASE("transcript line: several calls, in any order of keys, among other blocks") {
  const std::string text =
      Assistant(R"({"type":"text","text":"\"tool_use\""},)" + kRead +
                R"(,7,{"input":{"type":"tool_use"},"name":"Bash","id":"t2","type":"tool_use"})");
  const TranscriptLine line = ReadTranscriptLine(text);
  REQUIRE(line.calls.size() == 2);
  CHECK(line.calls[1].tool.text == "Bash");
  CHECK(line.calls[1].input == R"({"type":"tool_use"})");
}

TEST_CASE("transcript line: a block that only looks like a call is not one") {
  const std::string content = R"("message":{"role":"user","content":[)" + kRead + "]}";
  struct Row {
    std::string_view name;
    std::string text;
    LineKind kind;
  };
  const Row rows[] = {
      {"a user's line", "{" + content + R"(,"type":"user"})", LineKind::kTranscript},
      {"a copy of a request", "{" + content + R"(,"type":"api-request-blob"})",
       LineKind::kTranscript},
      {"no type", "{" + content + "}", LineKind::kForeign},
      {"a type that is no string", "{" + content + R"(,"type":1})", LineKind::kForeign},
      {"text of a result",
       R"({"type":"assistant","message":{"content":"{\"type\":\"tool_use\"}"}})",
       LineKind::kTranscript},
      {"deeper",
       R"({"type":"assistant","message":{"content":[{"type":"x","content":[)" + kRead + "]}]}}",
       LineKind::kTranscript},
      {"an array", "[" + kRead + "]", LineKind::kForeign},
      {"a number", "17", LineKind::kForeign},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const TranscriptLine line = ReadTranscriptLine(row.text);
    CHECK(line.kind == row.kind);
    CHECK(line.calls.empty());
  }
}

TEST_CASE("transcript line: a line torn anywhere is broken and has no calls") {
  const std::string whole = Assistant(kRead);
  for (size_t size = 1; size < whole.size(); ++size) {
    CAPTURE(size);
    const TranscriptLine line = ReadTranscriptLine(std::string_view(whole).substr(0, size));
    CHECK(line.kind == LineKind::kBroken);
    CHECK(line.calls.empty());
    CHECK(line.wrong.starts_with("byte "));
  }
}

TEST_CASE("transcript line: junk is broken, with its reason") {
  const std::string whole = Assistant(kRead);
  const std::string rows[] = {"\xEF\xBB\xBF" + whole,      whole + whole, std::string("\0", 1),
                              whole + std::string(1, 0),   "\xFF\xFE{}",  "Nov 23 13:30 sshd[1]: x",
                              R"({"type":"a","type":"b"})"};
  for (const std::string& row : rows) {
    CAPTURE(row);
    const TranscriptLine line = ReadTranscriptLine(row);
    CHECK(line.kind == LineKind::kBroken);
    CHECK_FALSE(line.wrong.empty());
  }
}

TEST_CASE("transcript line: white space around a line is ignored") {
  CHECK(ReadTranscriptLine(Assistant(kRead) + "\r").calls.size() == 1);
  for (const char* blank : {"", "\r", " \t "}) {
    CHECK(ReadTranscriptLine(blank).kind == LineKind::kBlank);
  }
}

TEST_CASE("transcript line: hook events are taken as they are") {
  const std::string text =
      R"({"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Read",)"
      R"("tool_input":{"file_path":"/etc/x"},"tool_use_id":"t9","type":"x"})";
  const TranscriptLine line = ReadTranscriptLine(text);
  CHECK(line.kind == LineKind::kEvent);
  REQUIRE(line.calls.size() == 1);
  CHECK(line.calls[0].id == "t9");
  CHECK(line.calls[0].tool.text == "Read");
  CHECK(HookEvent(line, line.calls[0], "plan") == text);
  const TranscriptLine other = ReadTranscriptLine(R"({"hook_event_name":"Stop","tool_name":"x"})");
  CHECK(other.kind == LineKind::kEvent);
  CHECK(other.calls.empty());
}

TEST_CASE("transcript line: only the hook's own member names count in an event") {
  const TranscriptLine line = ReadTranscriptLine(
      R"({"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{},)"
      R"("sessionId":"other","agentId":"a","permissionMode":"plan"})");
  CHECK(line.session.text == "s");
  CHECK(line.agent_id.text.empty());
  CHECK(line.permission_mode.text.empty());
}

TEST_CASE("transcript line: the client's stream output is read too") {
  const std::string text = R"({"type":"assistant","message":{"content":[)" + kRead +
                           R"(]},"parent_tool_use_id":"toolu_1","session_id":"s7"})";
  const TranscriptLine line = ReadTranscriptLine(text);
  REQUIRE(line.calls.size() == 1);
  CHECK(line.session.text == "s7");
  CHECK(line.agent_id.text == "toolu_1");
  CHECK(ReadTranscriptLine(R"({"type":"assistant","parent_tool_use_id":null,"session_id":"s7"})")
            .agent_id.text.empty());
}

TEST_CASE("transcript line: a call that the hook refuses to read is still a call") {
  struct Row {
    std::string_view block;
    std::string_view wrong;
  };
  static constexpr Row kRows[] = {
      {R"({"type":"tool_use","id":"t"})", "tool_name"},
      {R"({"type":"tool_use","name":"Read"})", "tool_input is missing"},
      {R"({"type":"tool_use","name":"Read","input":"text"})", "tool_input must be an object"},
      {R"({"type":"tool_use","name":"","input":{}})", "tool_name is missing"},
      {R"({"type":"tool_use","name":"\u0000","input":{}})", "tool_name contains NUL"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.block);
    const std::string text = Assistant(std::string(row.block));
    const TranscriptLine line = ReadTranscriptLine(text);
    REQUIRE(line.calls.size() == 1);
    const Result<Event> event = EventOf(line, line.calls[0]);
    REQUIRE_FALSE(event);
    CHECK(event.error().what.find(row.wrong) != std::string::npos);
  }
}

TEST_CASE("transcript line: a directory that is too long is refused, not truncated") {
  const std::string text = R"({"type":"assistant","cwd":"/)" + std::string(5000, 'x') +
                           R"(","message":{"content":[)" + kRead + "]}}";
  const TranscriptLine line = ReadTranscriptLine(text);
  REQUIRE(line.calls.size() == 1);
  const Result<Event> event = EventOf(line, line.calls[0]);
  REQUIRE_FALSE(event);
  CHECK(event.error().what.find("cwd is longer") != std::string::npos);
}

TEST_CASE("transcript line: more calls than a line may have make it unusable") {
  std::string blocks = kRead;
  for (int i = 0; i < 5000; ++i) blocks += "," + kRead;
  CHECK(ReadTranscriptLine(Assistant(blocks)).kind == LineKind::kBroken);
}

}  // namespace
