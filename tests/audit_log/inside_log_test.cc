// Lines from inside a sandbox that are accepted into the audit log.
#include "audit_log/inside_log.h"

#include <doctest/doctest.h>

#include <string>

#include "audit_log/append.h"
#include "audit_log/entry.h"
#include "audit_log/line.h"
#include "tests/support/corpora.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kNow = 1'792'000'000 * kSecond;

}  // namespace

TEST_CASE("inside log: the hook's lines are audit lines") {
  Event event;
  event.name = "PreToolUse";
  event.session_id = "s\n\"";
  event.tool_name = "Read";
  Decision decision;
  decision.paths = {"/a\n", "/b"};
  decision.cause = Cause{"what", "why \x01", {}, ""};
  decision.cause->place = RulePlace{.file = "policy.json", .pointer = "/read/allow", .line = 3};
  AuditEntry entry{.time = AuditTime(kNow)};
  entry.Take(event);
  entry.Take(decision);
  entry.profile = "p";
  entry.server = "team";
  CHECK(IsAuditText(AuditText(entry)));
  CHECK(IsAuditText(
      AuditText({.time = AuditTime(kNow), .verdict = LoggedVerdict::kError, .why = "w"})));
}

TEST_CASE("inside log: nothing else is") {
  for (const std::string text : {
           R"()",
           R"({)",
           R"({"us":1)",
           R"({"time":1)",
           R"({"time":"t"})",
           R"({"time":"t"},{"time":"t")",
           R"({"time":"t","chain":"0")",
           R"({"time":"t","inside":"t")",
           R"({"time":"t","more":1)",
           R"({"time":"t","time":"t")",
           R"({"time":"t","why":[[1]])",
           R"({"time":"t","why":"cut)",
           "{\"time\":\"t\"\n",
           "{\"time\":\"t\n\"",
           "{\"time\":\"\xff\"",
       }) {
    CAPTURE(text);
    CHECK_FALSE(IsAuditText(text));
  }
  CHECK(IsAuditText(R"({"time":"t")"));
  CHECK_FALSE(IsAuditText(R"({"time":")" + std::string(70'000, 'x') + "\""));
}

TEST_CASE("inside log: an accepted line gets the launcher's time and is chained") {
  const TemporaryTree tree;
  AuditRules rules;
  rules.system_log = SystemLog::kOff;
  InsideLog log(Path::Clean(tree.At("log")), rules);
  CHECK(log.Take(R"({"time":"a lie")", kNow));
  CHECK_FALSE(log.Take("no line", kNow));
  CHECK(ReadWholeFile(tree.At("log")) ==
        R"({"time":"a lie","inside":"2026-10-14T17:46:40.000Z","chain":")" + std::string(64, '0') +
            "\"}\n");
  while (log.Take(R"({"time":"t","why":")" + std::string(60'000, 'x') + "\"", kNow)) continue;
  int short_ones = 0;
  while (log.Take(R"({"time":"t")", kNow)) ++short_ones;
  CHECK(short_ones < 60'000 / 512 + 1);
}

TEST_CASE("inside log: a byte limit at once, and a rate per second after that") {
  ByteBudget budget;
  int64_t taken = 0;
  while (budget.Take(64 << 10, kNow)) ++taken;
  CHECK(taken == 64);
  CHECK_FALSE(budget.Take(1, kNow));  // a line costs more than its length
  CHECK(budget.Take(64 << 10, kNow + kSecond));
  CHECK_FALSE(budget.Take(64 << 10, kNow + kSecond));
  // A clock set back adds nothing; one that jumps ahead adds no more than the limit.
  CHECK_FALSE(budget.Take(64 << 10, kNow - 1000 * kSecond));
  taken = 0;
  while (budget.Take(64 << 10, kNow + 1'000'000 * kSecond)) ++taken;
  CHECK(taken == 64);
}
