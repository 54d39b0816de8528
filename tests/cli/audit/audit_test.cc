#include <doctest/doctest.h>

#include <algorithm>

#include "cli/audit/recorded.h"
#include "cli/audit/report.h"

using namespace ringfence;

namespace {

std::vector<Fixture> Read(const std::string& text, const std::string& path = "f.jsonl") {
  std::vector<Error> mistakes;
  FixtureFile file = ReadFixtures(text, path, true, mistakes);
  if (!mistakes.empty()) FAIL(mistakes.front().text());
  return std::move(file.fixtures);
}

std::vector<std::string> Mistakes(const std::string& text, const std::string& path = "f.json") {
  std::vector<Error> mistakes;
  ReadFixtures(text, path, true, mistakes);
  std::vector<std::string> texts;
  for (const Error& mistake : mistakes) texts.push_back(mistake.text());
  return texts;
}

Matrix Decide(std::vector<Fixture> fixtures) {
  Result<Matrix> matrix = DecideAll({}, std::move(fixtures), [] {});
  if (!matrix) FAIL(matrix.error().text());
  return std::move(*matrix);
}

constexpr const char* kRead =
    R"({"name":"r","policy":{"version":1,"read":{"allow":["."],"deny":["docs"]}},"files":{"a":"file"},)"
    R"("event":{"tool_name":"Read","tool_input":{"file_path":"a"}},"expect":{"decision":"permit"}})";
constexpr const char* kDenied =
    R"({"name":"d","policy":{"version":1,"read":{"allow":["."],"deny":["docs","unmet"]}},"files":{},)"
    R"("event":{"tool_name":"Read","tool_input":{"file_path":"docs/x"}},)"
    R"("expect":{"decision":"deny","rule":"/read/deny","reason":"docs/x"}})";

}  // namespace

TEST_CASE("audit: a fixture that lists its files is decided in memory") {
  const Matrix matrix = Decide(Read(std::string(kRead) + "\n\n" + kDenied + "\n"));
  REQUIRE(matrix.rows.size() == 2);
  CHECK(matrix.rows[0].fixture.place.line == 1);
  CHECK(matrix.rows[1].fixture.place.line == 3);
  for (const Row& row : matrix.rows) CHECK(row.cells.at(0).mismatch == "");
  CHECK(matrix.rows[1].cells[0].result.rule == "policy.json:1 /read/deny");
  CHECK(matrix.rows[1].cells[0].result.rule_place == "policy.json /read/deny");
}

TEST_CASE("audit: every mistake of a file is reported with its place") {
  using Texts = std::vector<std::string>;
  CHECK(
      Mistakes("{\n \"event\": {},\n \"expect\": {\"decision\": \"denny\"},\n \"evnt\": 1}") ==
      Texts{"f.json:3:25: /expect/decision must be \"permit\", \"ask\", \"deny\" or \"error\", not "
            "\"denny\"; did you mean \"deny\"?",
            "f.json:4:2: /evnt is not a known key; did you mean \"event\"?"});
  CHECK(Mistakes("{}\n{\"event\": 5}\n{\n", "f.jsonl")
            .at(1)
            .starts_with("f.jsonl:2:11: /event must"));
  CHECK(Mistakes("{}\n{\"event\": 5}\n{\n", "f.jsonl").at(2).starts_with("f.jsonl:3:"));
  const Texts files = Mistakes(
      R"({"event":{},"files":{"a":"fiel","b":{"kind":"file","mode":"9"},"c":{"kind":"file","size":1}}})");
  CHECK(files.size() == 3);
}

TEST_CASE("audit: a file without a name, or above its directory, is a mistake with its place") {
  using Texts = std::vector<std::string>;
  const std::string what = " must name a file, by a path without \"..\"";
  CHECK(
      Mistakes(
          "{\"event\":{},\n\"files\":{\"\":\"file\",\"b/../c\":\"file\",\n\"~/../x\":\"file\"}}") ==
      Texts{"f.json:2:13: /files/" + what, "f.json:2:29: /files/b~1..~1c" + what,
            "f.json:3:10: /files/~0~1..~1x" + what});
  const std::vector<Fixture> fixtures =
      Read(R"({"event":{},"files":{"a//./b/":"folder","/":"folder","~":"folder","..c":"file"}})");
  std::vector<std::string> paths;
  for (const MemoryFiles::Entry& entry : *fixtures.at(0).files) paths.push_back(entry.path);
  CHECK(paths == Texts{"/home/dev/project/a/b", "/", "/home/dev", "/home/dev/project/..c"});
}

TEST_CASE("audit: the expectation is compared with the complete answer") {
  CellResult result;
  result.decision = LoggedVerdict::kDeny;
  result.rule = "policy.json:6 /write/deny";
  result.rule_place = "policy.json /write/deny";
  result.reason = "ringfence: write refused";
  CHECK(Mismatch({}, result) == "");
  CHECK(Mismatch({.decision = LoggedVerdict::kDeny, .rule = "/write/deny", .reason = "refused"},
                 result) == "");
  CHECK(Mismatch({.rule = "policy.json:6 /write/deny"}, result) == "");
  CHECK(Mismatch({.rule = "policy.json:7 /write/deny"}, result) != "");
  CHECK(Mismatch({.rule = "rite/deny"}, result) != "");
  CHECK(Mismatch({.decision = LoggedVerdict::kAsk}, result) != "");
  CHECK(Mismatch({.reason = "allowed"}, result) != "");
  CHECK(Mismatch({.says_allow = true}, result) != "");
}

TEST_CASE("audit: an unreadable policy gives no decision") {
  std::vector<Fixture> fixtures =
      Read(R"({"policy":{"version":2},"files":{},"event":{"tool_name":"Read"}})");
  const Result<Matrix> matrix = DecideAll({}, std::move(fixtures), [] {});
  REQUIRE_FALSE(matrix);
  CHECK(matrix.error().text().starts_with("f.jsonl: policy.json:1:12: /version must be 1"));
}

TEST_CASE("audit: a profile that no policy has is an error, one that only some have is not") {
  const std::string own =
      R"({"name":"o","policy":{"version":1,"profiles":{"worker":{}}},"files":{},)"
      R"("event":{"tool_name":"Read","tool_input":{"file_path":"a"}}})";
  AuditQuestion question;
  question.profiles = {"", "worker"};
  const Result<Matrix> some = DecideAll(question, Read(std::string(kRead) + "\n" + own), [] {});
  REQUIRE(some);
  CHECK(some->rows[0].cells.at(0).mismatch == "");
  CHECK(some->rows[0].cells.at(1).result.decision == LoggedVerdict::kError);
  CHECK(some->rows[0].cells.at(1).mismatch == "it should be \"permit\" and is \"error\"");
  CHECK(some->rows[1].cells.at(1).result.decision == LoggedVerdict::kPermit);
  question.profiles = {"workr"};
  const Result<Matrix> none = DecideAll(question, Read(own), [] {});
  REQUIRE_FALSE(none);
  CHECK(none.error().text() ==
        "--profile: no policy has a profile \"workr\"; did you mean \"worker\"?");
  // An untrusted project has no profiles to choose.
  std::string untrusted = own;
  untrusted.replace(untrusted.find("policy"), 6, "untrusted_project");
  question.profiles = {"worker"};
  CHECK_FALSE(DecideAll(question, Read(untrusted), [] {}));
}

TEST_CASE("audit: a fixture's profile is compared with the expectation") {
  const std::string text =
      R"({"name":"f","policy":{"version":1},"profile":"nope","files":{},)"
      R"("event":{"tool_name":"Read","tool_input":{"file_path":"a"}},"expect":{"decision":"error"}})";
  CHECK(Decide(Read(text)).rows[0].cells.at(0).mismatch == "");
  AuditQuestion question;
  question.profiles = {"unused"};
  CHECK(DecideAll(question, Read(text), [] {}).has_value());
}

TEST_CASE("audit: rules that no fixture matched are found") {
  const Matrix matrix = Decide(Read(std::string(kRead) + "\n" + kDenied));
  std::vector<std::string> unmet;
  for (const RuleEntry& rule : UnmetRules(matrix)) unmet.push_back(rule.label());
  // The second policy has the same file and line as the first.
  CHECK(unmet == std::vector<std::string>{"policy.json:1 /read/deny \"unmet\""});
}

TEST_CASE("audit: a baseline shows the differences") {
  const Matrix matrix = Decide(Read(std::string(kRead) + "\n" + kDenied));
  const std::vector<BaselineEntry> now = EntriesOf(matrix);
  REQUIRE(now.size() == 2);
  const auto again = ParseBaseline(RenderBaseline(now), "b.json");
  REQUIRE(again);
  CHECK(*again == now);
  CHECK(ChangesSince(*again, now).empty());
  std::vector<BaselineEntry> before = now;
  before[0].decision = "deny";
  before[1].fixture = "gone";
  const std::vector<BaselineChange> changes = ChangesSince(before, now);
  REQUIRE(changes.size() == 3);
  CHECK(changes[0].before == "deny");
  CHECK(changes[0].now == "permit");
  CHECK(changes[1].before == "");  // "d" is new
  CHECK(changes[2].now == "");     // "gone" was removed
  before = now;
  before[0].says = "allow";
  before[1].call = "another";
  const std::vector<BaselineChange> finer = ChangesSince(before, now);
  REQUIRE(finer.size() == 2);
  CHECK(finer[0].before == "permit, says \"allow\"");
  CHECK(finer[0].now == "permit");
  CHECK(finer[1].now == finer[1].before + ", of another call");
  CHECK_FALSE(ParseBaseline("{}", "b.json"));
  CHECK_FALSE(ParseBaseline(R"({"version":1,"decisions":[{"fixture":"a"}]})", "b.json"));
}

TEST_CASE("audit: a line of the audit log becomes the call that it records") {
  struct Row {
    const char* line;
    const char* event;  // "" if it cannot be determined
  };
  const Row rows[] = {
      {R"({"time":"2026-10-14T16:26:40.123Z","event":"PreToolUse","session":"s","tool":"Write","paths":["/etc/x","/etc/x"],"verdict":"deny","rule":{"file":"p","line":6,"pointer":"/write/allow"},"us":12,"chain":"00"})",
       R"({"hook_event_name":"PreToolUse","session_id":"s","permission_mode":"default","tool_name":"Write","tool_input":{"file_path":"/etc/x"}})"},
      {R"({"time":"t","event":"PreToolUse","session":"s","agent_id":"a","agent_type":"x","tool":"Bash","verdict":"deny","rule":{"file":"p","pointer":"/bash/unsandboxed"},"us":1})",
       R"({"hook_event_name":"PreToolUse","agent_id":"a","agent_type":"x","session_id":"s","permission_mode":"default","tool_name":"Bash","tool_input":{"dangerouslyDisableSandbox":true,"command":"true"}})"},
      {R"({"time":"t","event":"PreToolUse","session":"s","tool":"WebFetch","verdict":"permit","us":1})",
       ""},
      {R"({"time":"t","event":"PreToolUse","session":"s","tool":"Read","verdict":"error","us":1})",
       ""},
      {R"({"time":"t","event":"PostToolUse","session":"s","tool":"Read","verdict":"alert","us":1})",
       ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    const std::vector<Fixture> fixtures = Read(row.line);
    CHECK(fixtures.size() == (std::string_view(row.event).empty() ? 0 : 1));
    if (fixtures.empty()) continue;
    CHECK(fixtures[0].event == row.event);
    const std::vector<Fixture> again = Read(FixtureLine(fixtures[0]));
    REQUIRE(again.size() == 1);
    CHECK(again[0].event == fixtures[0].event);
    CHECK(again[0].expected.decision == fixtures[0].expected.decision);
    CHECK(again[0].expected.rule == fixtures[0].expected.rule);
    CHECK(again[0].time == fixtures[0].time);
  }
}

TEST_CASE("audit: a path of the log becomes the original argument") {
  struct Row {
    const char* call;   // tool, paths, verdict and rule
    const char* input;  // "" if it cannot be determined
  };
  const Row rows[] = {
      {R"("tool":"EnterWorktree","paths":["/p/.claude/worktrees/w"],"verdict":"permit")",
       R"({"path":"/p/.claude/worktrees/w"})"},
      {R"("tool":"EnterWorktree","verdict":"deny")", ""},  // its name was not a plain one
      {R"("tool":"ExitWorktree","verdict":"permit")", "{}"},
      {R"("tool":"Agent","paths":["/p/.claude/worktrees"],"verdict":"deny")",
       R"({"isolation":"worktree"})"},
      {R"("tool":"Glob","paths":["/p/[id]"],"verdict":"permit")",
       R"({"path":"/p/[id]","pattern":"*"})"},
      {R"("tool":"Grep","paths":["/p"],"verdict":"permit")", R"({"path":"/p"})"},
      {R"("tool":"Grep","paths":["/p"],"verdict":"deny")", ""},  // its glob contained ".."
      {R"("tool":"Artifact","paths":["/p"],"verdict":"permit")", R"({"file_path":"/p"})"},
      {R"("tool":"Artifact","paths":["/p"],"verdict":"deny","rule":{"pointer":"/write/allow"})",
       R"({"out_dir":"/p"})"},
      {R"("tool":"Artifact","verdict":"deny","rule":{"pointer":"/tools/deny"})", ""},
      {R"("tool":"Artifact","paths":["/p","/q"],"verdict":"ask","rule":{"pointer":"/read/ask"})",
       ""},  // any of them may have decided
      {R"("tool":"SendUserMessage","paths":["/p","/q"],"verdict":"deny","rule":{"pointer":"/read/allow"})",
       R"({"attachments":["/p","/q"]})"},
      {R"("tool":"Bash","verdict":"deny")", ""},  // it named another computer
      {R"("tool":"Projects","paths":["/p"],"verdict":"ask","rule":{"pointer":"/write/ask"})",
       R"({"local_path":"/p"})"},
      {R"("tool":"EnterWorktree","paths":["/p"],"verdict":"deny","rule":{"pointer":"/profiles/read/write/deny"})",
       R"({"path":"/p"})"},
      {R"("tool":"ReadMcpResourceTool","paths":["/p"],"verdict":"deny")", ""},
      {R"("tool":"ListMcpResourcesTool","verdict":"deny")", ""},
      {R"("tool":"ListMcpResourcesTool","verdict":"permit")", "{}"},
      {R"("tool":"TodoWrite","paths":["/p"],"verdict":"deny")", R"({"path":"/p"})"},
      {R"("tool":"Monitor","verdict":"deny","rule":{"pointer":"/network/deny"})", ""},
      {R"("tool":"mcp__a__b","verdict":"deny","rule":{"pointer":"/network/deny"})", ""},
      {R"("tool":"mcp__a__b","paths":["/p","/q"],"verdict":"permit")",
       R"({"path":"/p","paths":["/q"]})"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.call);
    const FixtureFile log = ReadLog(
        R"({"time":"t","event":"PreToolUse","session":"s","us":1,)" + std::string(row.call) + "}",
        "l");
    CHECK(log.foreign.empty());
    const std::string_view input = row.input;
    REQUIRE(log.fixtures.size() == (input.empty() ? 0 : 1));
    if (input.empty()) continue;
    const std::string& event = log.fixtures[0].event;
    CHECK(event.substr(event.find("\"tool_input\":") + 13) == std::string(input) + "}");
  }
}

TEST_CASE("audit: a search of the project may have been denied for its pattern") {
  const auto may = [](const std::string& more) {
    const FixtureFile log =
        ReadLog(R"({"time":"t","event":"PreToolUse","session":"s","us":1,)" + more + "}", "l");
    return MayBeOfPattern(log.fixtures.at(0), Path::Clean("/p"));
  };
  const std::string rule = R"("verdict":"deny","rule":{"pointer":"/read/allow"})";
  CHECK(may(R"("tool":"Glob","paths":["/p/a"],)" + rule));
  CHECK(may(R"("tool":"Grep","paths":["/p"],)" + rule));
  CHECK_FALSE(may(R"("tool":"Grep","paths":["/q"],)" + rule));
  CHECK_FALSE(may(R"("tool":"Read","paths":["/p/a"],)" + rule));
  CHECK_FALSE(may(R"("tool":"Grep","paths":["/p"],"verdict":"permit")"));
}

TEST_CASE("audit: a torn line and foreign lines do not affect the log's own lines") {
  const std::string line =
      R"({"time":"t","event":"PreToolUse","session":"s","tool":"TaskList","verdict":"permit","us":1})";
  const FixtureFile log = ReadLog(
      line + "\n{\"event\":{},\"level\":5}\nhello\n\n" + line + "\n" + line.substr(0, 60), "l");
  REQUIRE(log.fixtures.size() == 2);
  CHECK(log.fixtures[1].place.line == 5);
  REQUIRE(log.foreign.size() == 3);
  CHECK(log.foreign[0].line == 2);
  CHECK(log.foreign[1].line == 3);
  CHECK(log.foreign[2].line == 6);
}

TEST_CASE("audit: a captured event needs no wrapper, and an event without a decision is skipped") {
  std::vector<Error> mistakes;
  const FixtureFile file = ReadFixtures(
      R"({"hook_event_name":"PreToolUse","cwd":"/x","tool_name":"Read","tool_input":{}}
{"hook_event_name":"SessionStart"})",
      "f.jsonl", true, mistakes);
  CHECK(mistakes.empty());
  REQUIRE(file.fixtures.size() == 1);
  CHECK(file.fixtures[0].name == "f.jsonl:1");
  CHECK(file.fixtures[0].has_cwd);
  REQUIRE(file.skipped.size() == 1);
  CHECK(file.skipped[0] == "f.jsonl:2: SessionStart decides nothing");
}
