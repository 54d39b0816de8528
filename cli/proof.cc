#include "cli/proof.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/json_edit.h"
#include "cli/process.h"
#include "policy/decide.h"
#include "policy/real_files.h"

namespace ringfence {
namespace {

// In every policy: @secrets are denied beside whatever else is.
constexpr const char* kSecret = "/etc/shadow";

std::string ReadEvent(const ProofCase& proof_case, const std::string& path) {
  const OrderedJson event{{"session_id", "ringfence-init"},      {"transcript_path", ""},
                          {"cwd", proof_case.project},           {"permission_mode", "default"},
                          {"hook_event_name", "PreToolUse"},     {"tool_name", "Read"},
                          {"tool_input", {{"file_path", path}}}, {"tool_use_id", "ringfence-init"}};
  return event.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Result<Finished> Ask(const ProofCase& proof_case, const std::string& path) {
  return Run({.program = proof_case.command.program,
              .arguments = proof_case.command.arguments,
              .environment = {"HOME=" + proof_case.home, "CLAUDE_PROJECT_DIR=" + proof_case.project,
                              "PATH=/usr/bin:/bin"},
              .input = ReadEvent(proof_case, path)});
}

Error Wrong(const ProofCase& proof_case, std::string what, std::string hint = "") {
  return Error{Error::Kind::kInvalidConfig, proof_case.command.program, std::move(what),
               std::move(hint)};
}

std::string Heard(const Finished& finished) {
  std::string text = "it ended with status " + std::to_string(finished.exit_status);
  if (!finished.err.empty()) return text + " and said " + Quote(finished.err, 300);
  if (!finished.out.empty()) return text + " and printed " + Quote(finished.out, 300);
  return text + " and said nothing";
}

struct Answer {
  std::string decision;
  std::string reason;
};

Answer AnswerOf(const Finished& finished) {
  const OrderedJson json = OrderedJson::parse(finished.out, nullptr, false);
  Answer answer;
  if (!json.is_object() || !json.contains("hookSpecificOutput")) return answer;
  const OrderedJson& output = json["hookSpecificOutput"];
  if (!output.is_object() || output.value("hookEventName", "") != "PreToolUse") return answer;
  answer.decision = output.value("permissionDecision", "");
  answer.reason = output.value("permissionDecisionReason", "");
  return answer;
}

std::string FolderOf(const PathRule& rule, const Whereabouts& where) {
  std::string folder = rule.base == RuleBase::kHome       ? where.home
                       : rule.base == RuleBase::kAbsolute ? ""
                                                          : where.project;
  if (!rule.tail.empty()) folder += "/" + std::string(rule.tail);
  return folder;
}

}  // namespace

std::string PermittedRead(const Policy& policy, const Places& places, const Whereabouts& where) {
  const RealFiles disk;
  const CachedFiles files(disk);
  Event event;
  event.kind = EventKind::kPreToolUse;
  event.cwd = where.project;
  for (const PathRuleList& list : policy.read.allow) {
    for (const std::span<const PathRule> part : list) {
      for (const PathRule& rule : part) {
        if (rule.set != SetName::kNone || rule.has_pattern) continue;
        std::string path = FolderOf(rule, where) + "/ringfence-proof";
        const Decision decision = DecidePath(event, path, Access::kRead, {policy, places, files});
        if (decision.verdict != Verdict::kDeny && !decision.failure) return path;
      }
    }
  }
  return "";
}

Result<Proof> Prove(const ProofCase& proof_case) {
  const Result<Finished> denied = Ask(proof_case, kSecret);
  if (!denied) return denied.error();
  const Answer answer = AnswerOf(*denied);
  if (denied->exit_status != 0 || answer.decision != "deny" || answer.reason.empty()) {
    return Wrong(proof_case,
                 "did not deny a Read of " + std::string(kSecret) + ": " + Heard(*denied));
  }
  if (proof_case.permitted_path.empty()) return Proof{kSecret, answer.reason, ""};
  const Result<Finished> passed = Ask(proof_case, proof_case.permitted_path);
  if (!passed) return passed.error();
  if (passed->exit_status != 0 || AnswerOf(*passed).decision == "deny") {
    return Wrong(proof_case, "did not let a Read of " + Quote(proof_case.permitted_path) +
                                 " pass: " + Heard(*passed));
  }
  return Proof{kSecret, answer.reason, proof_case.permitted_path};
}

}  // namespace ringfence
