// The audit log on the real disk: its lines, their chain, and rotation.
#include "audit_log/append.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "agents/claude/agent.h"
#include "audit_log/entry.h"
#include "base/sha256.h"
#include "policy/agent.h"
#include "tests/support/audit_log_file.h"
#include "tests/support/corpora.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

AuditEntry EntryOf(const Event& event, const Decision& decision) {
  AuditEntry entry;
  entry.Take(event);
  entry.Take(decision);
  entry.server = McpServerOf(event, ClaudeCode());
  entry.time = AuditTime(kTime);
  entry.microseconds = 12;
  return entry;
}

Event CallEvent() {
  Event event;
  event.name = "PreToolUse";
  event.session_id = "s";
  event.tool_name = "Write";
  return event;
}

}  // namespace

TEST_CASE("audit: a line records when, who, what, and the rule that decided") {
  Event event = CallEvent();
  event.agent_id = "a1";
  event.agent_type = "Explore";
  Decision decision;
  decision.verdict = Verdict::kDeny;
  decision.paths = {"/etc/hosts"};
  decision.cause = Cause{R"(write to "/etc/hosts")", "outside the project",
                         RulePlace{"policy.json", "/write/allow", 6, true}, ""};
  AuditEntry entry = EntryOf(event, decision);
  entry.profile = "main";
  CHECK(AuditText(entry) ==
        R"({"time":"2026-10-14T17:46:40.123Z","event":"PreToolUse","session":"s","agent_id":"a1",)"
        R"("agent_type":"Explore","tool":"Write","profile":"main","paths":["/etc/hosts"],)"
        R"("verdict":"deny","rule":{"file":"policy.json","line":6,"pointer":"/write/allow"},)"
        R"("why":"outside the project","us":12)");
}

TEST_CASE("audit: a refused resource names its server") {
  Event event = CallEvent();
  Decision decision;
  decision.verdict = Verdict::kDeny;
  decision.cause = Cause{"resource of the MCP server \"team\"", "not named", {}, ""};
  const auto names_server = [&] {
    return AuditText(EntryOf(event, decision)).find(R"("why":"not named","server":"team")") !=
           std::string::npos;
  };
  event.tool_name = "ReadMcpResourceTool";
  CHECK_FALSE(names_server());
  event.input = {
      {.pointer = "/server", .key = "server", .kind = JsonKind::kString, .text = "team"}};
  CHECK(names_server());
  event.tool_name = "Write";
  CHECK_FALSE(names_server());
  event.tool_name = "mcp__team__get";
  CHECK_FALSE(names_server());
}

TEST_CASE("audit: a refused host is in a member of its own") {
  Decision decision;
  decision.verdict = Verdict::kDeny;
  decision.cause = Cause{"connection to \"https://X.example./\"", "not listed"};
  decision.cause->host = "x.example";
  CHECK(AuditText(EntryOf(CallEvent(), decision))
            .ends_with(R"("why":"not listed","host":"x.example","us":12)"));
}

TEST_CASE("audit: lines of a permitted call and of an error") {
  const Event event = CallEvent();
  const Decision permit;
  CHECK(AuditText(EntryOf(event, permit)) ==
        R"({"time":"2026-10-14T17:46:40.123Z","event":"PreToolUse","session":"s","tool":"Write",)"
        R"("verdict":"permit","us":12)");
  AuditEntry error = EntryOf(event, permit);
  error.verdict = LoggedVerdict::kError;
  error.why = "policy.json:1:1: broken";
  CHECK(AuditText(error).find(R"("verdict":"error","why":"policy.json:1:1: broken")") !=
        std::string::npos);
}

TEST_CASE("audit: any path gives one line of JSON") {
  const Event event = CallEvent();
  Decision decision;
  decision.paths = {"/a\n\"b", std::string("/\xFF\xC0"), "/" + std::string(5000, 'x'),
                    "/\xE2\x80\xA8\x01"};
  const std::string line = AuditText(EntryOf(event, decision)) + "}";
  CHECK(line.find('\n') == std::string::npos);
  CHECK(nlohmann::json::parse(line).at("paths").size() == 4);
  CHECK(line.size() < 2000);
}

TEST_CASE("audit: each line holds the digest of the line before it") {
  const AuditLogFile log;
  for (const char* text : {"1", "2", "3"}) REQUIRE(log.Append(text).has_value());
  const std::string one = R"({"n":"1","chain":")" + kNothing + "\"}";
  const std::string two = R"({"n":"2","chain":")" + Sha256Hex(one) + "\"}";
  const std::string three = R"({"n":"3","chain":")" + Sha256Hex(two) + "\"}";
  CHECK(log.Text() == one + "\n" + two + "\n" + three + "\n");
}

TEST_CASE("audit: a changed, missing or duplicated line breaks the chain") {
  const AuditLogFile log;
  for (int i = 0; i < 5; ++i) REQUIRE(log.Append(std::to_string(i)).has_value());
  std::vector<std::string> lines = log.Lines();
  CHECK(ChainLength(lines) == 5);
  std::vector<std::string> changed = lines;
  changed[2].replace(changed[2].find("\"2\""), 3, "\"x\"");
  CHECK(ChainLength(changed) == 3);
  lines.erase(lines.begin() + 1);
  CHECK(ChainLength(lines) == 1);
}

TEST_CASE("audit: the file and its directories are created for this user only") {
  const AuditLogFile log;
  REQUIRE(log.Append("1").has_value());
  CHECK(ModeOf(log.path().text()) == 0600);
  CHECK(ModeOf(log.At("state")) == 0700);
  const Path deep = Path::Clean(log.At("a/b/c/log.jsonl"));
  REQUIRE(AppendToAudit(deep, Quiet(), "{\"n\":1", kTime).has_value());
  CHECK(ModeOf(log.At("a")) == 0700);
  CHECK(ModeOf(log.At("a/b/c")) == 0700);
}

TEST_CASE("audit: a log that is a link, a directory, a pipe or unreachable is an error") {
  const AuditLogFile log;
  log.File("victim", "precious");
  log.Link("state/log.jsonl", log.At("victim"));
  CHECK_FALSE(log.Append("1").has_value());
  CHECK(ReadWholeFile(log.At("victim")) == "precious");

  const AuditLogFile dangling;
  dangling.Link("state/log.jsonl", dangling.At("victim"));
  CHECK_FALSE(dangling.Append("1").has_value());
  CHECK_FALSE(fs::exists(dangling.At("victim")));

  const AuditLogFile folder;
  folder.Directory("state/log.jsonl");
  CHECK_FALSE(folder.Append("1").has_value());

  const AuditLogFile pipe;
  pipe.Directory("state");
  REQUIRE(::mkfifo(pipe.path().text().c_str(), 0600) == 0);
  CHECK_FALSE(pipe.Append("1").has_value());

  const AuditLogFile blocked;
  blocked.File("state", "a file where the folder should be");
  CHECK_FALSE(blocked.Append("1").has_value());
}

TEST_CASE("audit: a torn line is closed, and nothing else is lost") {
  const AuditLogFile log;
  REQUIRE(log.Append("1").has_value());
  const std::string whole = log.Text();
  log.File("state/log.jsonl", whole + R"({"n":"2","ch)");
  REQUIRE(log.Append("3").has_value());
  const std::string three = R"({"n":"3","chain":")" + Sha256Hex(whole + R"({"n":"2","ch)") + "\"}";
  CHECK(log.Text() == whole + R"({"n":"2","ch)" + "\n" + three + "\n");
  log.File("state/log.jsonl", "half");
  REQUIRE(log.Append("4").has_value());
  CHECK(log.Text().starts_with("half\n{\"n\":\"4\""));
}

TEST_CASE("audit: the state directories are created, but not a home") {
  const TemporaryTree tree;
  const auto append = [&tree](std::string_view name) {
    return AppendToAudit(Path::Clean(tree.At(name)), Quiet(), "{\"n\":\"1\"", kTime);
  };
  tree.Directory("home");
  CHECK(append("home/.local/state/ringfence/audit.jsonl").has_value());
  CHECK_FALSE(append("gone/.local/state/ringfence/audit.jsonl").has_value());
  CHECK_FALSE(fs::exists(tree.At("gone")));
}

TEST_CASE("audit: lines that come together are a chain, also across files") {
  const AuditLogFile log;
  REQUIRE(log.Append("first").has_value());
  std::vector<NewAuditLine> lines;
  for (int i = 0; i < 20; ++i) lines.push_back({"{\"n\":\"" + std::to_string(i) + "\"", kTime + i});
  // The file takes some of the lines, and each later one as well.
  std::vector<size_t> counts;
  for (std::span<const NewAuditLine> rest = lines; !rest.empty();) {
    const Result<size_t> count = AppendToAudit(log.path(), Quiet(500), rest);
    REQUIRE(count.has_value());
    counts.push_back(*count);
    rest = rest.subspan(*count);
  }
  CHECK(counts.size() > 2);
  CHECK(counts.front() > 1);
  CHECK(log.Lines().size() == 21);
  CHECK(ChainLength(log.Lines()) == 21);
}

TEST_CASE("audit: of lines that come together, those before a full disk are written") {
  const AuditLogFile log;
  std::vector<NewAuditLine> lines;
  for (int i = 0; i < 20; ++i) lines.push_back({"{\"n\":\"" + std::to_string(i) + "\"", kTime});
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{500, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Result<size_t> some = AppendToAudit(log.path(), Quiet(), lines);
  const Result<size_t> none = AppendToAudit(log.path(), Quiet(), lines);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  REQUIRE(some.has_value());
  CHECK(*some > 1);
  CHECK(*some < lines.size());
  CHECK_FALSE(none.has_value());
  CHECK(ChainLength(log.Lines()) == *some);
}

TEST_CASE("audit: any number of lines is appended, also after a torn line") {
  const AuditLogFile log;
  log.File("state/log.jsonl", "half");
  std::vector<NewAuditLine> lines;
  for (int i = 0; i < 500; ++i)
    lines.push_back({"{\"n\":\"" + std::to_string(i) + "\"", kTime + i});
  REQUIRE(AppendAllToAudit(log.path(), Quiet(5000), lines).has_value());
  CHECK(log.Files() > 5);
  size_t whole = 0;
  for (const std::string& line : log.Lines()) whole += line == "half" ? 0 : 1;
  CHECK(whole == 500);
  log.File("file", "");
  const Path nowhere = Path::Clean(log.At("file/log.jsonl"));
  CHECK_FALSE(AppendAllToAudit(nowhere, Quiet(), lines).has_value());
  CHECK(AppendAllToAudit(nowhere, Quiet(), {}).has_value());
}

TEST_CASE("audit: an empty file starts a chain") {
  const AuditLogFile log;
  log.File("state/log.jsonl", "");
  REQUIRE(log.Append("1").has_value());
  CHECK(ChainLength(log.Lines()) == 1);
}

TEST_CASE("audit: the chain holds across the longest line that a call can produce") {
  const AuditLogFile log;
  Event event = CallEvent();
  event.session_id = event.agent_id = event.agent_type = event.tool_name = std::string(512, '\x01');
  Decision decision;
  for (int i = 0; i < 8; ++i) decision.paths.push_back("/" + std::string(4000, '\x01'));
  const std::string text = AuditText(EntryOf(event, decision));
  REQUIRE(AppendToAudit(log.path(), Quiet(), text, kTime).has_value());
  REQUIRE(AppendToAudit(log.path(), Quiet(), text, kTime).has_value());
  REQUIRE(log.Append("last").has_value());
  CHECK(ChainLength(log.Lines()) == 3);
}

TEST_CASE("audit: a full file is rotated with all its lines, and the chain continues") {
  const AuditLogFile log;
  for (int i = 0; i < 20; ++i) {
    REQUIRE(log.Append(std::to_string(i), 500, kTime + i).has_value());
  }
  CHECK(log.Files() > 3);
  for (const auto& entry : fs::directory_iterator(log.At("state"))) {
    CHECK(fs::file_size(entry.path()) <= 500);
    CHECK(ModeOf(entry.path().string()) == 0600);
  }
  CHECK(log.Lines().size() == 20);
  CHECK(ChainLength(log.Lines()) == 20);
  CHECK(fs::exists(log.At("state/log.jsonl.20261014T174640.123456794Z")));
}

TEST_CASE("audit: a line longer than the limit is still written") {
  const AuditLogFile log;
  for (int i = 0; i < 4; ++i) {
    REQUIRE(log.Append(std::string(300, 'x'), 100, kTime + i).has_value());
  }
  CHECK(log.Lines().size() == 4);
  CHECK(ChainLength(log.Lines()) == 4);
}

TEST_CASE("audit: two simultaneous rotations lose nothing") {
  const AuditLogFile log;
  for (int i = 0; i < 12; ++i) REQUIRE(log.Append(std::to_string(i), 300, kTime).has_value());
  CHECK(log.Lines().size() == 12);
  CHECK(ChainLength(log.Lines()) == 12);
}

TEST_CASE("audit: the next rotation finishes one that was killed half way") {
  const AuditLogFile log;
  for (int i = 0; i < 3; ++i) REQUIRE(log.Append(std::to_string(i)).has_value());
  log.File("state/log.jsonl.new", "of a writer that was killed");
  log.HardLink("state/log.jsonl.20261014T000000.000000000Z", "state/log.jsonl");
  for (int i = 3; i < 6; ++i) REQUIRE(log.Append(std::to_string(i), 400, kTime + i).has_value());
  std::set<std::string> lines;
  for (const std::string& line : log.Lines()) lines.insert(line);
  CHECK(lines.size() == 6);
  CHECK(ChainLength({lines.begin(), lines.end()}) == 6);
}

TEST_CASE("audit: a hard link elsewhere, as backups make it, loses no line") {
  const AuditLogFile log;
  for (int i = 0; i < 3; ++i) REQUIRE(log.Append(std::to_string(i)).has_value());
  log.HardLink("backup", "state/log.jsonl");
  for (int i = 3; i < 6; ++i) REQUIRE(log.Append(std::to_string(i), 400, kTime + i).has_value());
  fs::remove(log.At("backup"));
  std::set<std::string> lines;
  for (const std::string& line : log.Lines()) lines.insert(line);
  CHECK(lines.size() == 6);
}

TEST_CASE("audit: the chain covers several torn lines together with the complete one before them") {
  const AuditLogFile log;
  REQUIRE(log.Append("1").has_value());
  const std::string torn = log.Text() + "{\"n\":\"2\",\"ch\n{\n\n" + std::string(100'000, 'x');
  log.File("state/log.jsonl", torn);
  REQUIRE(log.Append("3").has_value());
  CHECK(log.Text() == torn + "\n" + R"({"n":"3","chain":")" + Sha256Hex(torn) + "\"}\n");
}

TEST_CASE("audit line: only a line with the ending of a log line is complete") {
  const std::string digits(64, 'a');
  CHECK(ChainOf("{\"n\":1,\"chain\":\"" + digits + "\"}") == digits);
  for (const std::string& line :
       {std::string(), "{\"n\":1,\"chain\":\"" + digits + "\"", std::string("{\"n\":1}"),
        "{\"n\":1,\"chain\":\"" + digits.substr(1) + "\"}",
        "{\"n\":1,\"chain\":\"" + digits.substr(1) + "G\"}",
        R"({"n":"\",\"chain\":\")" + digits + "\"}", ",\"chain\":\"" + digits + "\"}"}) {
    CAPTURE(line);
    CHECK(ChainOf(line).empty());
    CHECK_FALSE(IsUnlocked(line));
  }
}
