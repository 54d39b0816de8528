#include "agents/claude/event_reader.h"

#include <doctest/doctest.h>

#include <cerrno>

#include "base/syscall.h"
#include "base/text.h"

using namespace ringfence;

namespace {

// Delivers a text in pieces of one size.
class Pieces final : public ByteSource {
 public:
  Pieces(std::string_view text, size_t size) : text_(text), size_(size) {}
  Result<std::string_view> Next() override {
    const std::string_view piece = text_.substr(0, size_);
    text_.remove_prefix(piece.size());
    return piece;
  }

 private:
  std::string_view text_;
  size_t size_;
};

class Broken final : public ByteSource {
 public:
  Result<std::string_view> Next() override { return SystemError("read(stdin)", EIO); }
};

Result<Event> Read(std::string_view text, std::vector<std::string_view> pointers = {}) {
  TextSource source(text);
  return ReadEvent(source, EventFilter{std::move(pointers)});
}

std::string Problem(std::string_view text) {
  const Result<Event> event = Read(text);
  return event ? "" : event.error().text();
}

// A PreToolUse event with these members.
std::string Call(std::string_view members) {
  return R"({"hook_event_name":"PreToolUse","tool_name":"Read",)" + std::string(members) + "}";
}

// "/path=text" for each field, with the kind if it is not a string.
std::string Fields(std::string_view input, std::vector<std::string_view> pointers = {}) {
  const Result<Event> event =
      Read(Call(R"("tool_input":)" + std::string(input)), std::move(pointers));
  if (!event) return "! " + event.error().text();
  std::string text;
  for (const InputField& field : event->input) {
    text += (text.empty() ? "" : " ") + field.pointer + "=";
    text += field.kind == JsonKind::kString ? JsonString(field.text)
                                            : "#" + std::to_string(static_cast<int>(field.kind));
  }
  return text;
}

constexpr const char* kWhole =
    R"({"session_id":"s","transcript_path":"/t","cwd":"/home/dev/project",
  "permission_mode":"default","agent_id":"a","agent_type":"Explore","effort":{"level":"high"},
  "hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"toolu_1",
  "tool_input":{"file_path":"/x","old_string":"\u0000\ud800","new_string":"b"}}
)";

}  // namespace

TEST_CASE("event: the members that a decision depends on are read") {
  const Result<Event> event = Read(kWhole);
  REQUIRE(event.has_value());
  CHECK(event->kind == EventKind::kPreToolUse);
  CHECK(event->name == "PreToolUse");
  CHECK(event->session_id == "s");
  CHECK(event->cwd == "/home/dev/project");
  CHECK(event->permission_mode == "default");
  CHECK(event->agent_id == "a");
  CHECK(event->agent_type == "Explore");
  CHECK(event->is_subagent());
  CHECK(event->tool_name == "Edit");
  REQUIRE(event->input.size() == 1);
  CHECK(event->input[0] ==
        InputField{
            .pointer = "/file_path", .key = "file_path", .kind = JsonKind::kString, .text = "/x"});
  CHECK(Read(Call(R"("tool_input":{},"permission_mode":"manual")"))->permission_mode == "default");
}

TEST_CASE("event: the sizes of the pieces do not matter") {
  const Result<Event> whole = Read(kWhole);
  for (const size_t size : {1U, 2U, 3U, 7U, 64U}) {
    CAPTURE(size);
    Pieces pieces(kWhole, size);
    const Result<Event> event = ReadEvent(pieces, {});
    REQUIRE(event.has_value());
    CHECK(*event == *whole);
  }
}

TEST_CASE("event: the order of members does not matter") {
  const Result<Event> event = Read(
      R"({"tool_input":{"file_path":"/x"},"tool_name":"Read","hook_event_name":"PreToolUse"})");
  REQUIRE(event.has_value());
  CHECK(event->input.size() == 1);
  CHECK_FALSE(event->is_subagent());
  CHECK_FALSE(event->cwd.has_value());
}

TEST_CASE("event: all event names of the client are known, and no others") {
  struct Row {
    std::string_view name;
    EventKind kind;
  };
  static constexpr Row kServed[] = {{"ConfigChange", EventKind::kConfigChange},
                                    {"SessionStart", EventKind::kSessionStart},
                                    {"SubagentStart", EventKind::kSubagentStart},
                                    {"PostToolUse", EventKind::kPostToolUse},
                                    {"PostToolUseFailure", EventKind::kPostToolUseFailure},
                                    {"UserPromptExpansion", EventKind::kPromptExpansion}};
  const auto named = [](std::string_view name) {
    return Read(R"({"hook_event_name":")" + std::string(name) + "\"}");
  };
  for (const Row& row : kServed) {
    CAPTURE(row.name);
    CHECK(named(row.name)->kind == row.kind);
  }
  for (const std::string_view name : {"PostToolBatch",
                                      "Notification",
                                      "UserPromptSubmit",
                                      "SessionEnd",
                                      "Stop",
                                      "StopFailure",
                                      "SubagentStop",
                                      "PreCompact",
                                      "PostCompact",
                                      "PreModelSwitch",
                                      "PostModelSwitch",
                                      "PermissionDenied",
                                      "Setup",
                                      "TeammateIdle",
                                      "TaskCreated",
                                      "TaskCompleted",
                                      "Elicitation",
                                      "ElicitationResult",
                                      "WorktreeCreate",
                                      "WorktreeRemove",
                                      "InstructionsLoaded",
                                      "CwdChanged",
                                      "FileChanged",
                                      "DirectoryAdded",
                                      "MessageDisplay"}) {
    CAPTURE(name);
    CHECK(named(name)->kind == EventKind::kNotServed);
  }
  for (const std::string_view name : {"", "pretooluse", "PreToolUse ", "PreToolUseX", "Unknown"}) {
    CAPTURE(name);
    CHECK_FALSE(named(name).has_value());
  }
}

TEST_CASE("event: an event that is not understood is an error with the reason") {
  struct Row {
    std::string_view name;
    std::string text;
    std::string_view want;
  };
  const Row rows[] = {
      {"nothing", "", "event: byte 0"},
      {"no object", "[]", "must be a JSON object"},
      {"a text", "\"x\"", "must be a JSON object"},
      {"half of it", R"({"hook_event_name":"Stop")", "event: byte"},
      {"something behind it", R"({"hook_event_name":"Stop"}{})", "event: byte 26"},
      {"a byte order mark", "\xEF\xBB\xBF{}", "byte order mark"},
      {"a comment", R"({/*x*/"hook_event_name":"Stop"})", "event: byte 1"},
      {"a key twice", R"({"hook_event_name":"Stop","hook_event_name":"PreToolUse"})",
       "event: byte"},
      {"a key twice by an escape", R"({"cwd":"/a","\u0063wd":"/b"})", "event: byte"},
      {"a key twice in the input", Call(R"("tool_input":{"file_path":"/a","file_path":"/b"})"),
       "event: byte"},
      {"a key twice deep in the input", Call(R"("tool_input":{"a":[{"x":1,"x":2}]})"),
       "event: byte"},
      {"invalid UTF-8", Call("\"tool_input\":{\"content\":\"\xFF\"}"), "event: byte"},
      {"an overlong form", Call("\"tool_input\":{\"content\":\"\xC0\xAF\"}"), "event: byte"},
      {"no name of the event", R"({"tool_name":"Read"})", "hook_event_name is missing"},
      {"an unknown event", R"({"hook_event_name":"Nope"})", "\"Nope\""},
      {"no tool", R"({"hook_event_name":"PreToolUse","tool_input":{}})", "tool_name is missing"},
      {"an empty tool", R"({"hook_event_name":"PreToolUse","tool_name":"","tool_input":{}})",
       "tool_name is missing"},
      {"no input", R"({"hook_event_name":"PermissionRequest","tool_name":"Read"})",
       "tool_input is missing"},
      {"a tool that is no text",
       R"({"hook_event_name":"PreToolUse","tool_name":5,"tool_input":{}})",
       "tool_name must be a string"},
      {"an input that is no object", Call(R"("tool_input":[])"), "tool_input must be an object"},
      {"an input that is null", Call(R"("tool_input":null)"), "tool_input must be an object"},
      {"a relative cwd", Call(R"("tool_input":{},"cwd":"x")"), "cwd must be an absolute path"},
      {"an empty cwd", Call(R"("tool_input":{},"cwd":"")"), "cwd must be an absolute path"},
      {"a cwd that is no text", Call(R"("tool_input":{},"cwd":5)"), "cwd must be a string"},
      {"NUL in the cwd", Call(R"("tool_input":{},"cwd":"/a\u0000")"), "cwd contains NUL"},
      {"a mode that is no text", Call(R"("tool_input":{},"permission_mode":[])"),
       "permission_mode must be a string"},
      {"an agent that is no text", Call(R"("tool_input":{},"agent_id":true)"),
       "agent_id must be a string"},
      {"NUL in the tool",
       R"({"hook_event_name":"PreToolUse","tool_name":"Re\u0000ad","tool_input":{}})",
       "tool_name contains NUL"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(Problem(row.text).find(row.want) != std::string::npos);
  }
}

TEST_CASE("event: an error quotes all untrusted text") {
  const std::string problem = Problem("{\"hook_event_name\":\"a\\nb\\u202e\"}");
  CHECK(problem.find('\n') == std::string::npos);
  CHECK(problem.find("\xE2\x80\xAE") == std::string::npos);
}

TEST_CASE("event: nesting is bounded") {
  const auto nested = [](size_t depth) {
    return Call(R"("tool_input":{"x":)" + std::string(depth, '[') + std::string(depth, ']') + "}");
  };
  CHECK(Problem(nested(100)).empty());
  CHECK_FALSE(Problem(nested(100000)).empty());
}

TEST_CASE("event: content is never a reason to refuse an event") {
  for (const std::string_view content :
       {R"("\u0000")", R"("\ud800")", R"("\udc00x\ud800")", "\"\xE2\x80\xA8\x7F\"", R"("")", "null",
        "5e-400", "[[],{}]", R"({"a":{"b":"c"}})", R"("]}\"{[,:")"}) {
    CAPTURE(content);
    CHECK(Fields(R"({"file_path":"/x","content":)" + std::string(content) + "}") ==
          R"(/file_path="/x")");
  }
  const std::string long_text(3u << 20, 'x');
  CHECK(Fields(R"({"content":")" + long_text + R"(","file_path":"/x"})") == R"(/file_path="/x")");
}

TEST_CASE("event: arguments that may matter are kept, whatever their values") {
  struct Row {
    std::string_view input, want;
  };
  static constexpr Row kRows[] = {
      {R"({})", ""},
      {R"({"a":1,"b":[2],"c":{"d":"/x"}})", ""},
      {R"({"path":"/x"})", R"(/path="/x")"},
      {R"({"path":null})", "/path=#6"},
      {R"({"a":{"path":"/x"}})", R"(/a/path="/x")"},
      {R"({"a":[{"path":"/x"},{"path":"/y"}]})", R"(/a/0/path="/x" /a/1/path="/y")"},
      {R"({"a/b~c":{"path":"/x"}})", R"(/a~1b~0c/path="/x")"},
      {R"({"":{"path":"/x"}})", R"(//path="/x")"},
      {R"({"file_path":"a\u0062"})", R"(/file_path="ab")"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.input);
    CHECK(Fields(row.input) == row.want);
  }
}

TEST_CASE("event: elements of a list carry the list's name") {
  const Result<Event> event = Read(Call(R"("tool_input":{"paths":["/x",[5]],"a":{"path":true}})"));
  REQUIRE(event.has_value());
  struct Want {
    std::string_view pointer, key;
    JsonKind kind;
    uint32_t depth;
  };
  static constexpr Want kWant[] = {{"/paths", "paths", JsonKind::kArray, 1},
                                   {"/paths/0", "paths", JsonKind::kString, 2},
                                   {"/paths/1", "paths", JsonKind::kArray, 2},
                                   {"/paths/1/0", "paths", JsonKind::kNumber, 3},
                                   {"/a/path", "path", JsonKind::kTrue, 2}};
  REQUIRE(event->input.size() == std::size(kWant));
  for (size_t i = 0; i < std::size(kWant); ++i) {
    CAPTURE(kWant[i].pointer);
    CHECK(event->input[i].pointer == kWant[i].pointer);
    CHECK(event->input[i].key == kWant[i].key);
    CHECK(event->input[i].kind == kWant[i].kind);
    CHECK(event->input[i].depth == kWant[i].depth);
  }
}

TEST_CASE("event: the sandbox flag is kept at any depth and in any spelling") {
  CHECK(Fields(R"({"a":[{"Dangerously_Disable-Sandbox":true}]})") ==
        "/a/0/Dangerously_Disable-Sandbox=#4");
  CHECK(Fields(R"({"dangerouslyDisableSandbox":false})") == "/dangerouslyDisableSandbox=#5");
}

TEST_CASE("event: tool_input is kept verbatim on request, in pieces of any size") {
  const std::string input =
      R"({ "z":[1.0,{"command":"no"}],"command" :"l\u0073 \ud800\n", "b":true })";
  const std::string text = Call(R"("tool_input": )" + input + R"(, "tool_use_id":"x")");
  for (const size_t size : {size_t{1}, size_t{2}, size_t{7}, size_t{4096}}) {
    CAPTURE(size);
    Pieces source(text, size);
    const Result<Event> event = ReadEvent(source, {.pointers = {}, .keeps_input = true});
    REQUIRE(event);
    REQUIRE(event->raw_input);
    CHECK(event->raw_input->text == input);
    CHECK(event->raw_input->text.substr(event->raw_input->command).starts_with("l\\u0073"));
    CHECK(event->raw_input->beginning.starts_with("ls "));
    CHECK(event->input == Read(text)->input);
  }
  CHECK_FALSE(Read(text)->raw_input);
}

TEST_CASE("event: a command is a top-level text, and a field as well if a policy points to it") {
  const auto kept = [](std::string_view input) {
    const std::string text = Call(R"("tool_input":)" + std::string(input));
    TextSource source(text);
    return ReadEvent(source, {.pointers = {"/command"}, .keeps_input = true});
  };
  for (const std::string_view input : {R"({"command":5})", R"({"command":["x"]})",
                                       R"({"a":{"command":"x"}})", R"({"Command":"x"})", "{}"}) {
    CAPTURE(input);
    CHECK(kept(input)->raw_input->command == 0);
    CHECK(kept(input)->raw_input->text == input);
  }
  const Result<Event> both = kept(R"({"command":"/x"})");
  REQUIRE(both->input.size() == 1);
  CHECK(both->input[0].text == "/x");
  CHECK(both->raw_input->beginning == "/x");
}

TEST_CASE("event: only the beginning of a command that is too long is kept") {
  const std::string text =
      Call(R"("tool_input":{"command":"ls )" + std::string(2 << 20, 'x') + R"("})");
  TextSource source(text);
  const Result<Event> event = ReadEvent(source, {.pointers = {}, .keeps_input = true});
  REQUIRE(event);
  CHECK(event->raw_input->text.empty());
  CHECK(event->raw_input->command != 0);
  CHECK(event->raw_input->beginning.size() <= 4096);
}

TEST_CASE("event: a policy's own pointers are kept as well") {
  CHECK(Fields(R"({"odd":"/x","rest":1})", {"/odd"}) == R"(/odd="/x")");
  CHECK(Fields(R"({"items":[{"from":"/x"},{"from":"/y"}]})", {"/items/*/from"}) ==
        R"(/items/0/from="/x" /items/1/from="/y")");
  CHECK(Fields(R"({"odd":["/x",{"y":5}]})", {"/odd"}).find("/odd/0=\"/x\"") != std::string::npos);
}

TEST_CASE("event: a string longer than a path is marked, not stored") {
  const std::string path = "/" + std::string(100000, 'x');
  const Result<Event> event = Read(Call(R"("tool_input":{"path":")" + path + "\"}"));
  REQUIRE(event.has_value());
  REQUIRE(event->input.size() == 1);
  CHECK(event->input[0].cut);
  CHECK(event->input[0].text.size() <= 4096);
  const Result<Event> marked = Read(Call(R"("tool_input":{"path":"a\u0000b","file":"\ud800"})"));
  CHECK(marked->input[0].has_nul);
  CHECK(marked->input[1].has_lone_surrogate);
}

TEST_CASE("event: the lengths of names and directories are limited") {
  CHECK(Problem(Call(R"("tool_input":{},"session_id":")" + std::string(513, 'x') + "\"")) != "");
  CHECK(Problem(Call(R"("tool_input":{},"cwd":"/)" + std::string(5000, 'x') + "\"")) != "");
  CHECK(Problem(Call(R"("tool_input":{},"session_id":")" + std::string(512, 'x') + "\"")) == "");
}

TEST_CASE("event: a ConfigChange names its file") {
  const Result<Event> event = Read(
      R"({"hook_event_name":"ConfigChange","source":"local_settings","file_path":"/p/.claude/x"})");
  REQUIRE(event.has_value());
  CHECK(event->config_file == "/p/.claude/x");
}

TEST_CASE("event: a source that fails is an error") {
  Broken broken;
  CHECK_FALSE(ReadEvent(broken, {}).has_value());
}

TEST_CASE("event: more paths than a call may name are refused") {
  const auto call = [](int count) {
    std::string list = R"("tool_input":{"paths":["a")";
    for (int i = 1; i < count; ++i) list += R"(,"a")";
    return Call(list + "]}");
  };
  CHECK(Problem(call(19000)) == "");
  CHECK(Problem(call(20001)).find("too many paths") != std::string::npos);
}

TEST_CASE("event: a caller under either member name is a subagent") {
  const auto is_subagent = [](std::string_view members) {
    return Read(Call(R"("tool_input":{})" + std::string(members)))->is_subagent();
  };
  CHECK_FALSE(is_subagent(""));
  CHECK(is_subagent(R"(,"agent_id":"a")"));
  CHECK(is_subagent(R"(,"agent_type":"Explore")"));
}
