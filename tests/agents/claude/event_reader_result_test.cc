// Events after a tool call: its error message and its duration. Also slash commands.
#include <doctest/doctest.h>

#include "agents/claude/event_reader.h"

using namespace ringfence;

namespace {

Result<Event> Read(std::string_view text) {
  TextSource source(text);
  return ReadEvent(source, {});
}

}  // namespace

TEST_CASE("event: the message of a failed tool is kept, truncated") {
  const auto failure = [](std::string_view member) {
    const Result<Event> event =
        Read(R"({"hook_event_name":"PostToolUseFailure","tool_name":"Bash",)" +
             std::string(member) + "}");
    return event ? event->failure : "! " + event.error().text();
  };
  CHECK(failure(R"("error":"no: Permission denied")") == "no: Permission denied");
  CHECK(failure(R"("tool_response":{"stdout":"x","stderr":"a: Permission denied"})") ==
        "a: Permission denied");
  CHECK(failure(R"("tool_response":{"more":{"stderr":"x"}})") == "");
  CHECK(failure(R"("tool_response":"x")") == "");
  CHECK(failure(R"("error":{"a":1})") == "");
  CHECK(failure(R"("error":")" + std::string(100000, 'x') + "\"").size() <= 16 * 1024);
}

TEST_CASE("event: the end of a long failure is kept, which holds the reason") {
  const std::string text = std::string(100000, 'x') + " touch: /etc/x: Permission denied";
  const Result<Event> event = Read(
      R"({"hook_event_name":"PostToolUseFailure","tool_name":"Bash","error":")" + text + "\"}");
  REQUIRE(event.has_value());
  CHECK(event->failure.ends_with("Permission denied"));
}

TEST_CASE("event: how long a tool ran") {
  const auto milliseconds = [](const std::string& value) {
    const Result<Event> event =
        Read(R"({"hook_event_name":"PostToolUseFailure","tool_name":"Bash","duration_ms":)" +
             value + "}");
    REQUIRE(event);
    return event->milliseconds;
  };
  CHECK(milliseconds("1984") == 1984);
  CHECK(milliseconds("12.5") == 12);
  for (const char* other : {"-1", "1e3", "99999999999", "\"5\"", "null"}) {
    CAPTURE(other);
    CHECK_FALSE(milliseconds(other));
  }
}

TEST_CASE("event: a slash command is read, whatever its parts are") {
  const auto read = [](const std::string& members) {
    const Result<Event> event =
        Read(R"({"hook_event_name":"UserPromptExpansion",)" + members + "}");
    REQUIRE(event.has_value());
    return event->command;
  };
  const SlashCommand whole = read(
      R"("command_name":"ringfence:explain","command_args":"a \"b\"","command_source":"plugin")");
  CHECK(whole == SlashCommand{"ringfence:explain", "a \"b\"", false});
  CHECK(read(R"("command_name":5,"command_args":[1],"command_source":null)") == SlashCommand{});
  CHECK(read(R"("command_args":")" + std::string(4096, 'x') + '"').is_cut == false);
  CHECK(read(R"("command_args":")" + std::string(4097, 'x') + '"').is_cut);
  CHECK(read(R"("command_args":"a\u0000")").is_cut);
  CHECK(read(R"("command_args":"a\u0000","command_name":"x")").is_cut);
  CHECK_FALSE(Read(R"({"hook_event_name":"UserPromptExpansion","command_name":"\x"})").has_value());
}
