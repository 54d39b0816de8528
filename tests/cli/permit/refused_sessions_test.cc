#include "cli/permit/refused_sessions.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>

#include "audit_log/entry.h"
#include "base/syscall.h"
#include "cli/permit/ended_agent.h"
#include "policy/load/sources.h"
#include "tests/support/audit_log_file.h"

using namespace ringfence;

namespace {

using Texts = std::vector<std::string>;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kHour = 3600 * kSecond;

GrantTarget Host(const std::string& host) {
  Result<GrantTarget> grant = MakeTarget(TargetKind::kHost, host, "/srv/project", "/home/dev");
  REQUIRE(grant.has_value());
  return *grant;
}

// A log of connections to b.example.
class Refusals {
 public:
  void Add(const std::string& session, int64_t time, LoggedVerdict verdict = LoggedVerdict::kDeny,
           uint64_t rotate = kNoRotation) const {
    AuditEntry entry{.time = AuditTime(time), .event = "Connection", .session = session};
    entry.verdict = verdict;
    entry.host = "b.example:443";
    REQUIRE(AppendToAudit(log_.path(), Quiet(rotate), AuditText(entry), time));
  }
  // What a stage leaves out of an apply.
  void AddOfStage(int64_t time) const {
    AuditEntry entry{.time = AuditTime(time), .event = "StageChange", .stage = "k7fq"};
    entry.verdict = LoggedVerdict::kDeny;
    entry.host = "b.example:443";
    REQUIRE(AppendToAudit(log_.path(), Quiet(), AuditText(entry), time));
  }
  // Other lines of at least `size` bytes in all.
  void Flood(size_t size, int64_t time) const {
    AuditEntry entry{.time = AuditTime(time), .event = "Connection", .session = "flood"};
    entry.verdict = LoggedVerdict::kDeny;
    entry.host = "c.example";
    entry.why = std::string(1000, 'x');
    const NewAuditLine line{AuditText(entry), time};
    const std::vector<NewAuditLine> lines(size / line.text.size() + 1, line);
    const Result<size_t> added = AppendToAudit(log_.path(), Quiet(), lines);
    REQUIRE(added.has_value());
    REQUIRE(*added == lines.size());
  }
  RefusedSessions Find(uint64_t most = RefusedSessions::kMostBytes) const {
    Result<RefusedSessions> found =
        FindRefusedSessions(log_.path(), Host("b.example"), home(), most);
    REQUIRE(found.has_value());
    return *found;
  }
  const AuditLogFile& log() const { return log_; }
  std::string home() const { return log_.At("home"); }
  // The file of a launcher, which counts while its lock is held.
  UniqueFd Lock(const std::string& session) const {
    const std::string path = AgentLockPath(home(), session);
    REQUIRE(path.starts_with(log_.root()));
    log_.File(path.substr(log_.root().size() + 1));
    return OpenFile(path.c_str(), O_RDWR);
  }

 private:
  AuditLogFile log_;
};

}  // namespace

TEST_CASE("refused sessions: the last refused first, each once") {
  const Refusals refusals;
  for (const char* session : {"one", "two", "one", "", "ringfence-init", "ringfence-doctor"}) {
    refusals.Add(session, kTime);
  }
  refusals.Add("three", kTime, LoggedVerdict::kPermit);
  CHECK(refusals.Find().ids == Texts{"one", "two"});
  CHECK(refusals.Find().has_other);
  CHECK(refusals.Find().is_whole_day);
}

TEST_CASE("refused sessions: what a stage leaves out was refused in no session") {
  const Refusals refusals;
  refusals.Add("one", kTime);
  refusals.AddOfStage(kTime);
  CHECK(refusals.Find().ids == Texts{"one"});
  CHECK_FALSE(refusals.Find().has_other);
}

TEST_CASE("refused sessions: other lines of the same day hide none") {
  const Refusals refusals;
  refusals.Add("victim", kTime);
  refusals.Flood(9 << 20, kTime + kSecond);
  refusals.Add("flood", kTime + 2 * kSecond);
  CHECK(refusals.Find().ids == Texts{"flood", "victim"});
  CHECK(refusals.Find().is_whole_day);
}

TEST_CASE("refused sessions: the rotated files of the day count") {
  const Refusals refusals;
  for (int i = 0; i < 8; ++i) {
    refusals.Add(std::to_string(i), kTime + i * kHour, LoggedVerdict::kDeny, 1);
  }
  REQUIRE(refusals.log().Files() == 8);
  CHECK(refusals.Find().ids == Texts{"7", "6", "5", "4", "3", "2", "1", "0"});
}

TEST_CASE("refused sessions: the search ends at its bound, and says so") {
  const Refusals refusals;
  refusals.Add("victim", kTime);
  refusals.Flood(2 << 20, kTime + kSecond);
  CHECK(refusals.Find(1 << 20).ids == Texts{});
  CHECK_FALSE(refusals.Find(1 << 20).is_whole_day);
  refusals.Add("flood", kTime + 2 * kSecond);
  CHECK(refusals.Find(1 << 20).ids == Texts{"flood"});
  CHECK_FALSE(refusals.Find(1 << 20).is_whole_day);
}

TEST_CASE("refused sessions: the day before the newest refusal counts, whatever the bound") {
  const Refusals refusals;
  refusals.Add("earlier", kTime);
  refusals.Flood(1 << 20, kTime + kSecond);
  refusals.Add("one", kTime + 2 * kHour);
  refusals.Add("two", kTime + 25 * kHour);
  const RefusedSessions found = refusals.Find(1 << 20);
  CHECK(found.ids == Texts{"two", "one"});
  CHECK(found.is_whole_day);
}

TEST_CASE("refused sessions: a time that a sandbox made up does not end the search") {
  const Refusals refusals;
  refusals.Add("victim", kTime);
  AuditEntry made_up{.time = "2001-01-01T00:00:00.000Z", .event = "PreToolUse", .session = "flood"};
  const std::string inside = AuditText(made_up) + ",\"inside\":\"" + AuditTime(kTime) + "\"";
  REQUIRE(AppendToAudit(refusals.log().path(), Quiet(), inside, kTime));
  refusals.Add("flood", kTime + kSecond);
  CHECK(refusals.Find().ids == Texts{"flood", "victim"});
}

TEST_CASE("refused sessions: at most ten") {
  const Refusals refusals;
  for (int i = 0; i < 12; ++i) refusals.Add("s" + std::to_string(i), kTime + i);
  CHECK(refusals.Find().ids.size() == 10);
}

TEST_CASE("refused sessions: an error of the log is one of the search") {
  const Refusals refusals;
  refusals.log().Directory("state/log.jsonl");
  CHECK_FALSE(FindRefusedSessions(refusals.log().path(), Host("b.example"), refusals.home()));
}

TEST_CASE("refused sessions: agents that have ended do not count") {
  const Refusals refusals;
  const std::string running = "agent-" + std::string(32, 'a');
  const std::string killed = "agent-" + std::string(32, 'b');
  const UniqueFd held = refusals.Lock(running);
  REQUIRE(::flock(held.get(), LOCK_EX) == 0);
  refusals.Add(running, kTime);
  for (int i = 0; i < 20; ++i) {
    refusals.Add("agent-" + std::string(30, '0') + std::to_string(10 + i), kTime);
  }
  refusals.Add(killed, kTime);
  refusals.Lock(killed);
  CHECK(refusals.Find().ids == Texts{running});
  CHECK(refusals.Find().has_ended);
  CHECK(std::filesystem::exists(AgentLockPath(refusals.home(), running)));
  CHECK_FALSE(std::filesystem::exists(AgentLockPath(refusals.home(), killed)));
}

TEST_CASE("refused sessions: the day is that of the newest refusal, also of one that has ended") {
  const Refusals refusals;
  refusals.Add("earlier", kTime);
  refusals.Add("agent-" + std::string(32, 'a'), kTime + 25 * kHour);
  CHECK(refusals.Find().ids == Texts{});
  CHECK(refusals.Find().has_ended);
}

TEST_CASE("ended agent: only of the sessions that ringfence names itself") {
  const Refusals refusals;
  const std::string agent = "agent-" + std::string(32, 'a');
  CHECK(IsEndedAgent(refusals.home(), agent));
  CHECK_FALSE(IsEndedAgent(refusals.home(), "agent-foo"));
  // It may run if its file says nothing.
  refusals.log().Directory("home/.local/state/ringfence/sessions");
  refusals.log().Link("home/.local/state/ringfence/sessions/" + agent + ".lock", "/nowhere");
  CHECK_FALSE(IsEndedAgent(refusals.home(), agent));
}
