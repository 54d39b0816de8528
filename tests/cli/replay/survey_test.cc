// Decisions about transcripts: counts and comparison.
#include "cli/replay/survey.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/syscall.h"
#include "base/text.h"
#include "cli/common/console.h"
#include "cli/replay/filter.h"
#include "cli/replay/sessions.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

std::string Line(const std::string& path, const std::string& id, const std::string& cwd,
                 const std::string& more = "") {
  return R"({"type":"assistant","sessionId":"s1","cwd":)" + JsonString(cwd) + more +
         R"(,"message":{"content":[{"type":"tool_use","id":)" + JsonString(id) +
         R"(,"name":"Write","input":{"file_path":)" + JsonString(path) + "}}]}}";
}

// A home, a project and transcripts.
struct Past {
  TemporaryTree tree;
  SurveyQuestion question;

  Past() {
    tree.Directory("home");
    tree.Directory("project/sub");
    question.calls.given.home = tree.At("home");
  }
  std::string Call(const std::string& name, const std::string& id,
                   const std::string& more = "") const {
    return Line(tree.At(name), id, tree.At("project"), more);
  }
  Survey Take() const {
    const Result<TranscriptFiles> files = FindTranscripts({tree.At("logs")});
    REQUIRE(files);
    return SurveyTranscripts(question, *files);
  }
  std::string Report() const { return ReportJson(Take(), {}).dump(1); }
};

uint64_t Of(const Survey& survey, LoggedVerdict verdict) {
  return survey.tally.verdicts[static_cast<size_t>(verdict)];
}

TEST_CASE("replay: calls are decided from the directory that their session started in") {
  Past past;
  const std::string moved = Line(past.tree.At("project/a"), "t2", past.tree.At("project/sub"));
  past.tree.File("logs/s1.jsonl", past.Call("project/a", "t1") + "\n" + moved + "\n" +
                                      Line("b", "t3", past.tree.At("project/sub")) + "\n" +
                                      past.Call("x", "t4") + "\n");
  past.tree.File("logs/s1/subagents/agent.jsonl",
                 Line(past.tree.At("project/c"), "t5", past.tree.At("project/sub")) + "\n");
  const Survey survey = past.Take();
  CHECK(survey.tally.calls == 5);
  CHECK(Of(survey, LoggedVerdict::kPermit) == 4);
  CHECK(Of(survey, LoggedVerdict::kDeny) == 1);
  const Group& group = std::prev(survey.tally.groups.end())->second;
  CHECK(group.rule.label() == "built-in policy /write/allow");
  REQUIRE(group.examples.size() == 1);
  CHECK(group.examples[0].place.line == 4);
  CHECK(group.examples[0].place.file == past.tree.At("logs/s1.jsonl"));
}

TEST_CASE("replay: a call that occurs twice counts once") {
  Past past;
  const std::string call = past.Call("x", "t1");
  past.tree.File("logs/a.jsonl", call + "\n" + call + "\n" + past.Call("y", "t1") + "\n");
  past.tree.File("logs/b.jsonl", call + "\n");
  const Survey survey = past.Take();
  CHECK(survey.tally.calls == 2);  // the same id with another input is another call
  CHECK(survey.tally.repeated == 2);
}

TEST_CASE("replay: the session's permission mode counts") {
  Past past;
  const std::string mode =
      R"({"type":"user","sessionId":"s1","permissionMode":"bypassPermissions"})";
  past.tree.File("logs/a.jsonl", past.Call("project/.envrc", "t1") + "\n" + mode + "\n" +
                                     past.Call("project/.envrc", "t2") + "\n");
  const Survey survey = past.Take();
  CHECK(Of(survey, LoggedVerdict::kAsk) == 1);
  CHECK(Of(survey, LoggedVerdict::kDeny) == 1);
}

TEST_CASE("replay: a project that no longer exists is decided as if it were empty") {
  Past past;
  past.tree.File("logs/a.jsonl",
                 Line(past.tree.At("gone/deep/a"), "t1", past.tree.At("gone/deep")) + "\n" +
                     Line(past.tree.At("gone/b"), "t2", past.tree.At("gone/deep")) + "\n");
  const Survey survey = past.Take();
  CHECK(Of(survey, LoggedVerdict::kPermit) == 1);
  CHECK(Of(survey, LoggedVerdict::kDeny) == 1);
  CHECK(survey.tally.in_gone_projects == 2);
}

TEST_CASE("replay: calls that the hook stops without a decision are reported as refused") {
  Past past;
  past.tree.File(
      "logs/a.jsonl",
      Line(past.tree.At("home/a"), "t1", past.tree.At("home")) + "\n" +
          R"({"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read"}]}})");
  const Survey survey = past.Take();
  CHECK(Of(survey, LoggedVerdict::kError) == 2);
  CHECK(survey.tally.groups.size() == 2);
}

TEST_CASE("replay: the result does not depend on the number of threads or the size of chunks") {
  Past past;
  std::mt19937 random(1);
  for (int file = 0; file < 5; ++file) {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      const std::string name = random() % 2 == 0 ? "project/a" : "x";
      text +=
          past.Call(name + std::to_string(random() % 20), "t" + std::to_string(random() % 100)) +
          "\n";
      if (random() % 5 == 0) text += std::string(random() % 30, '[') + "\n";
      if (random() % 9 == 0)
        text += R"({"type":"user","sessionId":"s1","permissionMode":"plan"})"
                "\n";
    }
    past.tree.File("logs/" + std::to_string(file) + ".jsonl", text + "{\"torn");
  }
  past.question.examples = 7;
  const std::string wanted = past.Report();
  for (const size_t jobs : {1u, 2u, 7u}) {
    for (const size_t chunk : {300u, 5000u, 1u << 20}) {
      past.question.jobs = jobs;
      past.question.sizes.chunk = chunk;
      CHECK(past.Report() == wanted);
    }
  }
}

TEST_CASE("replay: junk does not affect the decision about any other line") {
  Past past;
  struct Junk {
    std::string text;
    uint64_t CallTally::*counted;  // null for a blank line or a transcript's line
  };
  const Junk kJunk[] = {
      {"", nullptr},
      {"\r", nullptr},
      {R"({"type":"user"})", nullptr},
      {"null", &CallTally::foreign},
      {R"({"level":"info"})", &CallTally::foreign},
      {"{", &CallTally::broken},
      {"\xEF\xBB\xBF{}", &CallTally::broken},
      {std::string(3, '\0'), &CallTally::broken},
      {"\xFF\xFE", &CallTally::broken},
      {std::string(500, '['), &CallTally::broken},
      {past.Call("x", "t1").substr(0, 60), &CallTally::broken},
      {std::string(3000, '['), &CallTally::too_long},
  };
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    std::string clean;
    std::string dirty;
    CallTally wanted;
    const auto add_junk = [&] {
      const Junk& junk = kJunk[random() % std::size(kJunk)];
      dirty += junk.text;
      if (junk.counted != nullptr) ++(wanted.*junk.counted);
    };
    for (int i = 0; i < 20; ++i) {
      const std::string id = "t" + std::to_string(i);
      const std::string call = past.Call(i % 3 == 0 ? "x" : "project/a", id) + "\n";
      clean += call;
      for (size_t more = random() % 3; more > 0; --more) {
        add_junk();
        dirty += "\n";
      }
      dirty += call;
    }
    add_junk();
    past.question.sizes = {.chunk = 256, .line = 2000};
    past.tree.File("logs/a.jsonl", clean);
    const Survey before = past.Take();
    past.tree.File("logs/a.jsonl", dirty);
    const Survey after = past.Take();
    CHECK(before.tally.calls == 20);
    CHECK(after.tally.calls == 20);
    CHECK(std::ranges::equal(before.tally.verdicts, after.tally.verdicts));
    CHECK(after.tally.broken == wanted.broken);
    CHECK(after.tally.foreign == wanted.foreign);
    CHECK(after.tally.too_long == wanted.too_long);
  }
}

std::string Filtered(const Past& past, const std::string& lines, size_t jobs) {
  past.tree.File("in", lines);
  const UniqueFd in(::open(past.tree.At("in").c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd out(
      ::open(past.tree.At("out").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const SurveyQuestion question{
      .calls = past.question.calls, .jobs = jobs, .sizes = {.chunk = 200, .line = 2000}};
  const Outcome outcome = FilterLines(question, in.get(), out.get());
  CHECK(outcome.status == 0);
  REQUIRE(::lseek(out.get(), 0, SEEK_SET) == 0);
  return *ReadAll(out.get(), size_t{1} << 24, "out");
}

TEST_CASE("replay: the filter prints one line for each input line, independently of the others") {
  const Past past;
  ReplayedCalls calls(past.question.calls);
  const std::vector<std::string> lines = {
      past.Call("project/a", "t1"), "",  "{\"torn", "17", past.Call("x", "t2"),
      past.Call("x", "t2"),         "{}"};
  std::string in;
  std::string wanted;
  for (int i = 0; i < 50; ++i) {
    for (const std::string& line : lines) {
      in += line + "\n";
      wanted += FilteredLine(line, calls);
    }
  }
  CHECK(wanted.find(
            R"("verdict":"deny","rule":{"file":"built-in policy","pointer":"/write/allow"})") !=
        std::string::npos);
  CHECK(wanted.find("{\"calls\":[]}\n") != std::string::npos);
  CHECK(wanted.find(R"({"calls":[],"error":"byte 6: )") != std::string::npos);
  for (const size_t jobs : {1u, 3u}) CHECK(Filtered(past, in, jobs) == wanted);
  CHECK(Filtered(past, "", 2).empty());
  CHECK(Filtered(past, std::string(2001, 'x') + "\n\n" + past.Call("x", "t"), 2) ==
        "{\"calls\":[],\"error\":\"the line is too long\"}\n{\"calls\":[]}\n" +
            FilteredLine(past.Call("x", "t"), calls));
}

TEST_CASE("replay: decisions that differ from another policy's") {
  Past past;
  past.tree.File("new.json",
                 R"({"version":1,"write":{"allow":["."],"deny":["docs"],"ask":["src"]}})");
  past.tree.File("old.json", R"({"version":1,"write":{"allow":[".","/"]}})");
  std::string text;
  int id = 0;
  for (const char* name : {"project/a", "project/docs/a", "project/src/a", "x"}) {
    text += past.Call(name, "t" + std::to_string(id++)) + "\n";
  }
  past.tree.File("logs/a.jsonl", text);
  past.question.calls.given.policy = past.tree.At("new.json");
  past.question.calls.against = past.tree.At("old.json");
  const Survey survey = past.Take();
  REQUIRE(survey.tally.changes.size() == 3);
  std::vector<std::string> seen;
  for (const auto& [key, group] : survey.tally.changes) {
    CHECK(key.was == LoggedVerdict::kPermit);
    CHECK(group.calls == 1);
    seen.push_back(std::string(VerdictName(key.now)) + " " + group.rule.pointer);
  }
  CHECK(seen ==
        std::vector<std::string>{"ask /write/ask", "deny /write/allow", "deny /write/deny"});
  std::swap(past.question.calls.given.policy, past.question.calls.against);
  const Survey back = past.Take();
  CHECK(back.tally.changes.size() == 3);
  CHECK(back.tally.changes.begin()->first.now == LoggedVerdict::kPermit);
  CHECK(back.tally.changes.begin()->second.rule.file == past.tree.At("new.json"));
}

TEST_CASE("replay: an unusable policy is reported before anything is read") {
  Past past;
  past.tree.File("bad.json", R"({"version":1,"raed":{}})");
  past.question.calls.given.policy = past.tree.At("bad.json");
  const Status status = ReplayedCalls(past.question.calls).Check();
  REQUIRE_FALSE(status);
  CHECK(status.error().text().find("raed") != std::string::npos);
  std::swap(past.question.calls.given.policy, past.question.calls.against);
  CHECK_FALSE(ReplayedCalls(past.question.calls).Check());
  past.question.calls = {};
  past.question.calls.given.home = past.tree.At("home");
  CHECK(ReplayedCalls(past.question.calls).Check());
}

TEST_CASE("sessions: the oldest are forgotten, the others stay as they are") {
  Sessions sessions;
  for (int i = 0; i < 10000; ++i) {
    TranscriptLine line;
    line.session.text = "s" + std::to_string(i);
    line.cwd.text = "/p" + std::to_string(i);
    CHECK(sessions.Note(line).root == line.cwd.text);
    line.cwd.text = "/elsewhere";
    CHECK(sessions.Note(line).root == "/p" + std::to_string(i));
  }
}

TEST_CASE("tally: a call without a tool name is not counted under \"other\"") {
  CallTally tally;
  tally.AddCall({}, "", {"f", 1});
  tally.AddCall({}, "Read", {"f", 2});
  REQUIRE(tally.groups.size() == 1);
  const Group& group = tally.groups.begin()->second;
  CHECK(group.tools == std::map<std::string, uint64_t>{{"(no name)", 1}, {"Read", 1}});
  CHECK(group.examples.front().tool == "(no name)");
}

TEST_CASE("progress: a line that fits, and readable sizes") {
  CHECK(SizeText(0) == "0 bytes");
  CHECK(SizeText(1234) == "1.2 kB");
  CHECK(SizeText(999'600) == "1.0 MB");
  CHECK(SizeText(210'000'000) == "210 MB");
  const ProgressState half{"replay", 500'000'000, 1'000'000'000, 2.5};
  CHECK(ProgressLine(half, 100) ==
        "replay [###############---------------]  50 %  500 MB of 1.0 GB, 200 MB/s");
  CHECK(ProgressLine(half, 20).size() == 20);
  CHECK(ProgressLine({"replay", 2'000'000'000, 1'000'000'000, 1}, 100).find("100 %") !=
        std::string::npos);
  CHECK(ProgressLine({"replay", 5, 0, 0}, 100) == "replay 5 bytes, 0 bytes/s");
  CHECK(ProgressLine({"audit", 1, 4, 1, "fixtures"}, 100) ==
        "audit [#######-----------------------]  25 %  1 of 4 fixtures");
}

}  // namespace
