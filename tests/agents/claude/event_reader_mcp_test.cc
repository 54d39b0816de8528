// The arguments of MCP tools: any string may be a path.
#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "agents/claude/event_reader.h"
#include "base/text.h"
#include "tests/support/fake_files.h"

using namespace ringfence;

namespace {

Result<Event> ReadCall(std::string_view input) {
  const std::string text =
      R"({"hook_event_name":"PreToolUse","tool_name":"mcp__a__b","tool_input":)" +
      std::string(input) + "}";
  TextSource source(text);
  return ReadEvent(source, {});
}

}  // namespace

TEST_CASE("event: more values of an MCP tool than are evaluated are refused") {
  const auto problem = [](const std::string& input) {
    const Result<Event> event = ReadCall(input);
    return event ? "" : event.error().text();
  };
  std::string keys = R"({"files":{"a":1)";
  for (int i = 1; i < 20001; ++i) keys += R"(,"a)" + std::to_string(i) + R"(":1)";
  CHECK(problem(keys + "}}").find("too many paths") != std::string::npos);
  std::string bytes = R"({"q":["/x")";
  for (int i = 0; i < 140; ++i) bytes += R"(,"/)" + std::string(60 << 10, 'x') + R"(")";
  CHECK(problem(bytes + "]}").find("too many paths") != std::string::npos);
}

TEST_CASE("event: keys beyond the remembered number are read like any other") {
  std::string input = "{";
  for (int i = 0; i < 40; ++i) input += R"("path)" + std::to_string(i) + R"(":"src",)";
  const Result<Event> event = ReadCall(input + R"("n":1})");
  REQUIRE(event.has_value());
  CHECK(event->input.size() == 40);
}

TEST_CASE("event: strings of an MCP tool that may be paths are kept under any key") {
  struct Row {
    std::string_view input, want;
  };
  static constexpr Row kRows[] = {
      {R"({"q":"/x","n":5,"z":null})", R"(/q="/x")"},
      {R"({"a":{"b":["~/x",{"c":"../y"}]}})",
       R"(/a/b="b" /a/b/0="~/x" /a/b/1/c="c" /a/b/1/c="../y")"},
      {R"({"q":"https://x"})", R"(/q="https://x")"},
      {R"({"a":["",7,"file:///x"]})", R"(/a/2="file:///x")"},
      {R"({"/x":1,"b":{"~/y":{"c":2}}})", R"(/~1x="/x" /b/~0~1y="~/y" /b/~0~1y/c="c")"},
      {R"({"path":null,"paths":[5,{}],"..":1})", ""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.input);
    const Result<Event> event = ReadCall(row.input);
    REQUIRE(event.has_value());
    std::string text;
    for (const InputField& field : event->input) {
      text += (text.empty() ? "" : " ") + field.pointer + "=" + JsonString(field.text);
    }
    CHECK(text == row.want);
  }
}

TEST_CASE("event: a string that names nothing is dropped if the files are known") {
  const FakeFiles files{{"/p/src/a", File()}, {"/etc/passwd", File()}, {"/q/there", File()}};
  const CachedFiles cached(files);
  Places places{.agent = &ClaudeCode()};
  places.start = Path::Clean("/p");
  const auto kept = [&](std::string_view cwd, std::string_view input) {
    const std::string text = R"({"hook_event_name":"PreToolUse","tool_name":"mcp__a__b","cwd":")" +
                             std::string(cwd) + R"(","tool_input":)" + std::string(input) + "}";
    TextSource source(text);
    EventFilter filter;
    filter.files = &cached;
    filter.places = &places;
    return ReadEvent(source, filter)->input.size();
  };
  CHECK(kept("/p", R"({"q":["src/a","src","./src/new","/etc/x","/etc"]})") == 5);
  CHECK(kept("/p", R"({"q":["hello","text/plain","/api/v1","/items/0","there",""]})") == 0);
  CHECK(kept("/q", R"({"q":["there","src/a"]})") == 2);
  CHECK(kept("/p", R"({"path":["hello","/items/0"]})") == 1);
  CHECK(kept("/p", R"({"q":["../x","~/x","/nothing/../etc/x"]})") == 3);
}
