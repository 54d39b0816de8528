// The hook's output, byte for byte.
#include "agents/claude/answer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/utf8.h"

using namespace ringfence;

namespace {

constexpr RulePlace kPlace{"policy.json", "/write/allow", 6, true};

Event EventOf(EventKind kind) {
  Event event;
  event.kind = kind;
  return event;
}

Decision DecisionOf(Verdict verdict) {
  Decision decision;
  decision.verdict = verdict;
  if (verdict == Verdict::kPermit) return decision;
  decision.cause = Cause{R"(write to "/etc/hosts")", "outside the project", kPlace,
                         R"(Work below "/home/dev/project".)"};
  return decision;
}

std::string Answer(EventKind kind, const Decision& decision, std::string_view say = "") {
  return DecisionAnswer(EventOf(kind), decision, say);
}

using enum EventKind;

}  // namespace

TEST_CASE("answer: a denied call") {
  CHECK(Answer(kPreToolUse, DecisionOf(Verdict::kDeny)) ==
        R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",)"
        R"("permissionDecisionReason":"ringfence: write to \"/etc/hosts\" refused: outside the )"
        R"(project. Work below \"/home/dev/project\". Rule: policy.json:6 /write/allow."}})"
        "\n");
  CHECK(Answer(kPermissionRequest, DecisionOf(Verdict::kDeny)) ==
        R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":)"
        R"("deny","message":"ringfence: write to \"/etc/hosts\" refused: outside the project. )"
        R"(Work below \"/home/dev/project\". Rule: policy.json:6 /write/allow."}}})"
        "\n");
}

TEST_CASE("answer: a question") {
  CHECK(Answer(kPreToolUse, DecisionOf(Verdict::kAsk)) ==
        R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask",)"
        R"("permissionDecisionReason":"ringfence: write to \"/etc/hosts\" needs the user's )"
        R"(approval: outside the project. Rule: policy.json:6 /write/allow."}})"
        "\n");
  CHECK(Answer(kPermissionRequest, DecisionOf(Verdict::kAsk)).empty());
}

TEST_CASE("answer: a permitted call prints nothing, or \"allow\" if the policy says so") {
  Decision permit = DecisionOf(Verdict::kPermit);
  CHECK(Answer(kPreToolUse, permit).empty());
  CHECK(Answer(kPermissionRequest, permit).empty());
  permit.say_allow = true;
  CHECK(Answer(kPreToolUse, permit) ==
        R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}})"
        "\n");
  CHECK(Answer(kPermissionRequest, permit) ==
        R"({"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":)"
        R"("allow"}}})"
        "\n");
}

TEST_CASE("answer: a call that continues with another input, and one that does not") {
  const auto answer = [](EventKind kind, const Decision& decision) {
    return DecisionAnswer(EventOf(kind), decision, "", R"({"command":"x"})");
  };
  Decision permit = DecisionOf(Verdict::kPermit);
  CHECK(answer(kPreToolUse, permit) ==
        R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"x"}}})"
        "\n");
  permit.say_allow = true;
  CHECK(answer(kPreToolUse, permit) ==
        R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow",)"
        R"("updatedInput":{"command":"x"}}})"
        "\n");
  CHECK(answer(kPreToolUse, DecisionOf(Verdict::kAsk))
            .ends_with(R"(policy.json:6 /write/allow.","updatedInput":{"command":"x"}}})"
                       "\n"));
  CHECK(answer(kPreToolUse, DecisionOf(Verdict::kDeny)) ==
        Answer(kPreToolUse, DecisionOf(Verdict::kDeny)));
  CHECK(answer(kPermissionRequest, permit) == Answer(kPermissionRequest, permit));
}

TEST_CASE("answer: the user sees what the model sees, where it matters") {
  CHECK(ContextAnswer("PostToolUse", "a \"b\"", "c\n") ==
        R"({"systemMessage":"c\n","hookSpecificOutput":{"hookEventName":"PostToolUse",)"
        R"("additionalContext":"a \"b\""}})"
        "\n");
}

TEST_CASE(
    "answer: the remedy comes first, and the policy's own text ends a denial, in each event") {
  const std::string said = Answer(kPreToolUse, DecisionOf(Verdict::kDeny), "Tell \"the\" team.");
  CHECK(said.ends_with(R"(project\". Rule: policy.json:6 /write/allow. Tell \"the\" team."}})"
                       "\n"));
  CHECK(Answer(kPermissionRequest, DecisionOf(Verdict::kDeny), "Tell.")
            .find(R"(/write/allow. Tell.")") != std::string::npos);
  CHECK(Answer(kPreToolUse, DecisionOf(Verdict::kAsk), "Tell.").find("Tell.") == std::string::npos);
}

TEST_CASE("answer: any content gives one line of valid JSON of bounded length") {
  for (const std::string& text :
       {std::string("\"}\n{\"x\":\"\\"), std::string("a\0b", 3), std::string("\xFF\xC0\x80"),
        std::string("\xED\xA0\x80"), std::string(100000, '"'), std::string(100000, '\x01'),
        std::string("\xE2\x80\xAE\xE2\x80\xA8\x1B[2J")}) {
    Decision decision = DecisionOf(Verdict::kDeny);
    decision.cause->why = text;
    for (const EventKind kind : {kPreToolUse, kPermissionRequest}) {
      const std::string answer = Answer(kind, decision, text);
      CHECK(answer.find('\n') == answer.size() - 1);
      CHECK(IsValidUtf8(answer));
      CHECK(answer.size() < 8000);
      CHECK(nlohmann::json::parse(answer).is_object());
    }
  }
}

TEST_CASE("answer: a command to copy is complete, however long the rest is") {
  const std::string path = "/" + std::string(199, 'p');
  Decision decision = DecisionOf(Verdict::kDeny);
  decision.cause->what = "write to " + Quote(path);
  decision.cause->why = "it leads to " + Quote(path) + ", outside the project";
  decision.cause->remedy = "Ask the user to run `ringfence allow --read " + path + "`.";
  const std::string reason = ReasonText(decision, std::string(5000, 's'));
  CHECK(reason.size() <= 1024);
  CHECK(reason.find("`ringfence allow --read " + path + "`. Rule: ") != std::string::npos);
}

TEST_CASE("answer: a reason is at most 1 KB and keeps the policy's text") {
  Decision decision = DecisionOf(Verdict::kDeny);
  decision.cause->why = std::string(5000, 'w');
  const std::string reason = ReasonText(decision, "Tell the team.");
  CHECK(reason.size() <= 1024);
  CHECK(reason.find(R"(... Work below "/home/dev/project".)") != std::string::npos);
  CHECK(reason.ends_with("/write/allow. Tell the team."));
  const std::string long_say = ReasonText(DecisionOf(Verdict::kDeny), std::string(5000, 's'));
  CHECK(long_say.size() <= 1024);
  CHECK(long_say.find("outside the project") != std::string::npos);
  decision.cause->why = std::string(340, 'w') + std::string(400, '\xC3') + "x";
  for (size_t i = 0; i < 4; ++i) {
    std::string umlauts;
    while (umlauts.size() < 2000) umlauts += "\xC3\xBC";
    decision.cause->why = std::string(i, 'w') + umlauts;
    CHECK(IsValidUtf8(ReasonText(decision, "")));
  }
}

TEST_CASE("answer: a rule's place is given briefly, without the text of an untrusted file") {
  struct Row {
    RulePlace place;
    std::string_view want;
  };
  static constexpr Row kRows[] = {
      {{"policy.json", "/write/allow", 6, true}, "policy.json:6 /write/allow"},
      {{"policy.json", "/write", 0, true}, "policy.json /write"},
      {{kBuiltInPolicy, "/read/deny", 0, true}, "built-in policy /read/deny"},
      {{"project.json", "/profiles/do_what_i_say/read/deny", 9, false}, "project.json:9"},
      {{"policy.json", "", 2, true}, "policy.json:2"},
  };
  for (const Row& row : kRows) CHECK(PlaceLabel(row.place) == row.want);
}

TEST_CASE("answer: text for the model in addition to an event") {
  CHECK(ContextAnswer("SessionStart", "a \"b\"\n") ==
        R"({"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a \"b\"\n"}})"
        "\n");
}

TEST_CASE("answer: a refusal is one line for stderr, with its hint and the policy's text") {
  CHECK(RefusalLine(Error{Error::Kind::kInvalidInput, "event", "cwd must be a string", ""}, "") ==
        "ringfence: event: cwd must be a string\n");
  CHECK(RefusalLine(Error{Error::Kind::kInvalidConfig, "policy.json:7:14", "is wrong", "fix it"},
                    "Tell the team.") ==
        "ringfence: policy.json:7:14: is wrong; fix it. Tell the team.\n");
}

TEST_CASE("answer: a refusal stays one line of complete characters, however long its text is") {
  for (size_t i = 0; i < 4; ++i) {
    std::string text = std::string(i, 'x') + "\n\x1B[2J";
    while (text.size() < 5000) text += "\xE6\x96\x87";
    const std::string line = RefusalLine(Error{Error::Kind::kSystem, "", text, ""}, "");
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(line.size() <= 2049);
    CHECK(IsValidUtf8(line));
  }
}
