// The audit log on the real disk: its lines, their chain, rotation, and other writers.
#include "hook/audit_log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/sha256.h"
#include "base/unique_fd.h"
#include "tests/corpora.h"
#include "tests/temporary_tree.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;

constexpr int64_t kTime = 1'792'000'000'123'456'789;  // 2026-10-14T16:26:40.123Z
constexpr uint64_t kNoRotation = 64u << 20;
const std::string kNothing(64, '0');

// This machine's own log hears nothing of tests.
AuditRules Quiet(uint64_t rotate = kNoRotation) {
  AuditRules rules;
  rules.rotate = rotate;
  rules.system_log = SystemLog::kOff;
  return rules;
}

class Log : public TemporaryTree {
 public:
  Path path() const { return Path::Clean(At("state/log.jsonl")); }
  Status Append(const std::string& text, uint64_t rotate = kNoRotation,
                int64_t time = kTime) const {
    return AppendToAudit(path(), Quiet(rotate), R"({"n":")" + text + "\"", time);
  }
  std::string Text() const { return ReadWholeFile(path().text()); }

  // Every line of the log and of its rotated files.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const auto& entry : fs::directory_iterator(At("state"))) {
      if (entry.path().filename().string().ends_with(".new")) continue;
      AddLines(ReadWholeFile(entry.path().string()), lines);
    }
    return lines;
  }
  size_t Files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(At("state")), {}));
  }

  static void AddLines(const std::string& text, std::vector<std::string>& lines) {
    size_t at = 0;
    while (at < text.size()) {
      const size_t end = text.find('\n', at);
      REQUIRE(end != std::string::npos);
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
};

// Follows the digests from the beginning; each line once.
size_t ChainLength(const std::vector<std::string>& lines) {
  std::map<std::string, const std::string*> next;
  for (const std::string& line : lines) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object()) CHECK(next.emplace(json.at("chain"), &line).second);
  }
  size_t length = 0;
  for (auto at = next.find(kNothing); at != next.end();) {
    ++length;
    at = next.find(Sha256Hex(*at->second));
  }
  return length;
}

int64_t Now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

AuditEntry EntryOf(const Event& event, const Decision& decision) {
  AuditEntry entry;
  entry.event = &event;
  entry.verdict = VerdictName(decision.verdict);
  entry.decision = &decision;
  entry.unix_nanoseconds = kTime;
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

TEST_CASE("audit: a line says when, who, what, and by which rule") {
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

TEST_CASE("audit: a permitted call and an error") {
  const Event event = CallEvent();
  const Decision permit;
  CHECK(AuditText(EntryOf(event, permit)) ==
        R"({"time":"2026-10-14T17:46:40.123Z","event":"PreToolUse","session":"s","tool":"Write",)"
        R"("verdict":"permit","us":12)");
  AuditEntry error = EntryOf(event, permit);
  error.decision = nullptr;
  error.verdict = "error";
  error.why = "policy.json:1:1: broken";
  CHECK(AuditText(error).find(R"("verdict":"error","why":"policy.json:1:1: broken")") !=
        std::string::npos);
}

TEST_CASE("audit: whatever a path is called, the line is one line of JSON") {
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
  const Log log;
  for (const char* text : {"1", "2", "3"}) REQUIRE(log.Append(text).has_value());
  const std::string one = R"({"n":"1","chain":")" + kNothing + "\"}";
  const std::string two = R"({"n":"2","chain":")" + Sha256Hex(one) + "\"}";
  const std::string three = R"({"n":"3","chain":")" + Sha256Hex(two) + "\"}";
  CHECK(log.Text() == one + "\n" + two + "\n" + three + "\n");
}

TEST_CASE("audit: a changed, a missing and a doubled line break the chain") {
  const Log log;
  for (int i = 0; i < 5; ++i) REQUIRE(log.Append(std::to_string(i)).has_value());
  std::vector<std::string> lines = log.Lines();
  CHECK(ChainLength(lines) == 5);
  std::vector<std::string> changed = lines;
  changed[2].replace(changed[2].find("\"2\""), 3, "\"x\"");
  CHECK(ChainLength(changed) == 3);
  lines.erase(lines.begin() + 1);
  CHECK(ChainLength(lines) == 1);
}

TEST_CASE("audit: the file and its folders are made for this user alone") {
  const Log log;
  REQUIRE(log.Append("1").has_value());
  CHECK(ModeOf(log.path().text()) == 0600);
  CHECK(ModeOf(log.At("state")) == 0700);
  const Path deep = Path::Clean(log.At("a/b/c/log.jsonl"));
  REQUIRE(AppendToAudit(deep, Quiet(), "{\"n\":1", kTime).has_value());
  CHECK(ModeOf(log.At("a")) == 0700);
  CHECK(ModeOf(log.At("a/b/c")) == 0700);
}

TEST_CASE("audit: a log that is a link, a folder, a pipe or unreachable is an error") {
  const Log log;
  log.File("victim", "precious");
  log.Link("state/log.jsonl", log.At("victim"));
  CHECK_FALSE(log.Append("1").has_value());
  CHECK(ReadWholeFile(log.At("victim")) == "precious");

  const Log dangling;
  dangling.Link("state/log.jsonl", dangling.At("victim"));
  CHECK_FALSE(dangling.Append("1").has_value());
  CHECK_FALSE(fs::exists(dangling.At("victim")));

  const Log folder;
  folder.Directory("state/log.jsonl");
  CHECK_FALSE(folder.Append("1").has_value());

  const Log pipe;
  pipe.Directory("state");
  REQUIRE(::mkfifo(pipe.path().text().c_str(), 0600) == 0);
  CHECK_FALSE(pipe.Append("1").has_value());

  const Log blocked;
  blocked.File("state", "a file where the folder should be");
  CHECK_FALSE(blocked.Append("1").has_value());
}

TEST_CASE("audit: a torn line is closed, and only it is lost") {
  const Log log;
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

TEST_CASE("audit: the folders of the state are made, a home is not") {
  const TemporaryTree tree;
  const auto append = [&tree](std::string_view name) {
    return AppendToAudit(Path::Clean(tree.At(name)), Quiet(), "{\"n\":\"1\"", kTime);
  };
  tree.Directory("home");
  CHECK(append("home/.local/state/ringfence/audit.jsonl").has_value());
  CHECK_FALSE(append("gone/.local/state/ringfence/audit.jsonl").has_value());
  CHECK_FALSE(fs::exists(tree.At("gone")));
}

TEST_CASE("audit: an empty file begins a chain") {
  const Log log;
  log.File("state/log.jsonl", "");
  REQUIRE(log.Append("1").has_value());
  CHECK(ChainLength(log.Lines()) == 1);
}

TEST_CASE("audit: the chain holds across the longest line that a call can make") {
  const Log log;
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

TEST_CASE("audit: a full file is put aside with all its lines, and the chain goes on") {
  const Log log;
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

TEST_CASE("audit: a line that is longer than the limit still gets its place") {
  const Log log;
  for (int i = 0; i < 4; ++i) {
    REQUIRE(log.Append(std::string(300, 'x'), 100, kTime + i).has_value());
  }
  CHECK(log.Lines().size() == 4);
  CHECK(ChainLength(log.Lines()) == 4);
}

TEST_CASE("audit: two rotations at one moment lose nothing") {
  const Log log;
  for (int i = 0; i < 12; ++i) REQUIRE(log.Append(std::to_string(i), 300, kTime).has_value());
  CHECK(log.Lines().size() == 12);
  CHECK(ChainLength(log.Lines()) == 12);
}

TEST_CASE("audit: a rotation that was killed half way is finished by the next") {
  const Log log;
  for (int i = 0; i < 3; ++i) REQUIRE(log.Append(std::to_string(i)).has_value());
  log.File("state/log.jsonl.new", "of a writer that was killed");
  log.HardLink("state/log.jsonl.20261014T000000.000000000Z", "state/log.jsonl");
  for (int i = 3; i < 6; ++i) REQUIRE(log.Append(std::to_string(i), 400, kTime + i).has_value());
  std::set<std::string> lines;
  for (const std::string& line : log.Lines()) lines.insert(line);
  CHECK(lines.size() == 6);
  CHECK(ChainLength({lines.begin(), lines.end()}) == 6);
}

TEST_CASE("audit: a hard link elsewhere, as a backup makes it, costs no line") {
  const Log log;
  for (int i = 0; i < 3; ++i) REQUIRE(log.Append(std::to_string(i)).has_value());
  log.HardLink("backup", "state/log.jsonl");
  for (int i = 3; i < 6; ++i) REQUIRE(log.Append(std::to_string(i), 400, kTime + i).has_value());
  fs::remove(log.At("backup"));
  std::set<std::string> lines;
  for (const std::string& line : log.Lines()) lines.insert(line);
  CHECK(lines.size() == 6);
}

TEST_CASE("audit: whole lines and one chain under many writers that rotate") {
  constexpr int kWriters = 6;
  constexpr int kLines = 40;
  const Log log;
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      int failed = 0;
      for (int i = 0; i < kLines; ++i) {
        const std::string name = std::to_string(w) + "-" + std::to_string(i);
        failed += log.Append(name, 4000, Now()).has_value() ? 0 : 1;
      }
      ::_exit(failed == 0 ? 0 : 1);
    }
    writers.push_back(child);
  }
  for (const pid_t writer : writers) {
    int status = 0;
    REQUIRE(::waitpid(writer, &status, 0) == writer);
    CHECK(status == 0);
  }
  const std::vector<std::string> lines = log.Lines();
  CHECK(lines.size() == kWriters * kLines);
  CHECK(ChainLength(lines) == kWriters * kLines);
  CHECK(log.Files() > 3);
}

TEST_CASE("audit: after kill -9 every line but the last is whole, and the next one follows it") {
  for (int round = 0; round < 8; ++round) {
    const Log log;
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (int i = 0;; ++i) (void)log.Append(std::to_string(i), 3000, Now()).has_value();
    }
    ::usleep(static_cast<useconds_t>(15000 + 3000 * round));
    REQUIRE(::kill(child, SIGKILL) == 0);
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    REQUIRE(log.Append("after", 3000, Now()).has_value());
    std::set<std::string> lines;
    for (const std::string& line : log.Lines()) {
      lines.insert(line);
      CHECK(nlohmann::json::accept(line));
    }
    CHECK(ChainLength({lines.begin(), lines.end()}) == lines.size());
  }
}

TEST_CASE("audit: several torn lines are covered together with the whole one before them") {
  const Log log;
  REQUIRE(log.Append("1").has_value());
  const std::string torn = log.Text() + "{\"n\":\"2\",\"ch\n{\n\n" + std::string(100'000, 'x');
  log.File("state/log.jsonl", torn);
  REQUIRE(log.Append("3").has_value());
  CHECK(log.Text() == torn + "\n" + R"({"n":"3","chain":")" + Sha256Hex(torn) + "\"}\n");
}

TEST_CASE("audit: another writer is waited for half a second, and then the line is written") {
  const Log log;
  REQUIRE(log.Append("1").has_value());
  const UniqueFd holder(::open(log.path().text().c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  const int64_t start = Now();
  CHECK(log.Append("2", 10).has_value());  // and the file is not put aside
  CHECK(Now() - start < 5'000'000'000);
  REQUIRE(::flock(holder.get(), LOCK_UN) == 0);
  CHECK(log.Append("3").has_value());
  const std::vector<std::string> lines = log.Lines();
  CHECK(ChainLength(lines) == 3);
  CHECK(log.Files() == 1);
  CHECK(lines[1].starts_with(R"({"n":"2","unlocked":true,"chain":")"));
  CHECK(IsUnlocked(lines[1]));
  CHECK_FALSE(IsUnlocked(lines[2]));
}

TEST_CASE("audit: without the lock a torn line is closed, too") {
  const Log log;
  REQUIRE(log.Append("1").has_value());
  const std::string torn = log.Text() + "{\"torn";
  log.File("state/log.jsonl", torn);
  const UniqueFd holder(::open(log.path().text().c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  CHECK(log.Append("2").has_value());
  CHECK(log.Text() ==
        torn + "\n" + R"({"n":"2","unlocked":true,"chain":")" + Sha256Hex(torn) + "\"}\n");
}

TEST_CASE("audit: many writers without the lock lose no line and tear none") {
  constexpr int kWriters = 8;
  const Log log;
  REQUIRE(log.Append("1").has_value());
  const UniqueFd holder(::open(log.path().text().c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
  std::vector<pid_t> writers;
  for (int w = 0; w < kWriters; ++w) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(log.Append(std::to_string(w)).has_value() ? 0 : 1);
    writers.push_back(child);
  }
  for (const pid_t writer : writers) {
    int status = 0;
    REQUIRE(::waitpid(writer, &status, 0) == writer);
    CHECK(status == 0);
  }
  const std::vector<std::string> lines = log.Lines();
  CHECK(lines.size() == kWriters + 1);
  for (const std::string& line : lines) CHECK(nlohmann::json::accept(line));
}

TEST_CASE("audit line: only a line that ends as lines of the log end is whole") {
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
