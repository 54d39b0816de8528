#include "cli/setup/proof.h"

#include <sys/random.h>
#include <unistd.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "agents/claude/agent.h"
#include "agents/claude/setup/call_event.h"
#include "base/process.h"
#include "base/text.h"
#include "policy/decide.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/files/real_files.h"
#include "policy/load/trust.h"

namespace ringfence {
namespace {

std::string EventOf(const ProofCase& proof_case, const std::string& tool, const std::string& path) {
  CallEvent call{.session = proof_case.session, .cwd = proof_case.project, .tool = tool};
  call.input = {{"file_path", path}};
  if (tool == "Write") call.input["content"] = "";
  return EventText(call) + "\n";
}

Result<Finished> Ask(const ProofCase& proof_case, const std::string& tool,
                     const std::string& path) {
  std::vector<std::string> arguments = proof_case.command.arguments;
  if (!proof_case.is_logged) arguments.emplace_back("--trial");
  return Run(
      {.program = proof_case.command.program,
       .arguments = std::move(arguments),
       .environment = {"HOME=" + proof_case.home,
                       std::string(ClaudeCode().variables.project) + "=" + proof_case.project,
                       "PATH=/usr/bin:/bin"},
       .input = EventOf(proof_case, tool, path)});
}

Error Wrong(const ProofCase& proof_case, std::string what, std::string hint = "") {
  return ConfigError(proof_case.command.program, std::move(what), std::move(hint));
}

std::string Heard(const Finished& finished) {
  std::string text = "it ended with status " + std::to_string(finished.exit_status);
  if (!finished.err.empty()) return text + " and said " + Quote(finished.err, 300);
  if (!finished.out.empty()) return text + " and printed " + Quote(finished.out, 300);
  return text + " and printed nothing";
}

std::string RuleFolder(const PathRule& rule, const Registration& where) {
  std::string folder = rule.base == RuleBase::kHome       ? where.home
                       : rule.base == RuleBase::kAbsolute ? ""
                                                          : where.project_dir;
  if (!rule.tail.empty()) folder += "/" + std::string(rule.tail);
  return folder;
}

// Returns "/ringfence-proof-" and 16 random hexadecimal digits.
std::string UnforeseenName() {
  uint64_t number = 0;
  if (::getentropy(&number, sizeof number) != 0) number = 0;
  std::string name = "/ringfence-proof-";
  AppendHex(name, static_cast<uint32_t>(number >> 32), 8);
  AppendHex(name, static_cast<uint32_t>(number), 8);
  return name;
}

class TrialFinder {
 public:
  TrialFinder(const Policy& policy, const Places& places, const Registration& where)
      : policy_(policy), places_(places), where_(where), files_(disk_), name_(UnforeseenName()) {
    event_.kind = EventKind::kPreToolUse;
    event_.cwd = where.project_dir;
  }

  // Most policies deny reading a home's secrets, and all deny writing ringfence's own state.
  Trial Run() const {
    const std::string secret = where_.home + "/.ssh" + name_;
    const std::string state = StateFolder(where_.home) + name_;
    Trial trial = DecisionOn(secret, Access::kRead).verdict == Verdict::kDeny
                      ? Trial{"Read", secret, ""}
                      : Trial{"Write", state, ""};
    trial.permitted_path = PermittedRead();
    return trial;
  }

 private:
  // Returns a path in the first directory that the policy lets the agent read, or "".
  std::string PermittedRead() const {
    if (EvaluateTool("Read", policy_).verdict == Verdict::kDeny) return "";
    for (const PathRuleList& list : policy_.read.allow) {
      for (const std::span<const PathRule> part : list) {
        for (const PathRule& rule : part) {
          if (rule.set != SetName::kNone || rule.has_pattern) continue;
          std::string path = RuleFolder(rule, where_) + name_;
          const Decision decision = DecisionOn(path, Access::kRead);
          if (decision.verdict != Verdict::kDeny && !decision.failure) return path;
        }
      }
    }
    return "";
  }

  Decision DecisionOn(const std::string& path, Access access) const {
    return DecidePath(event_, path, access, {policy_, places_, files_});
  }

  const Policy& policy_;
  const Places& places_;
  const Registration& where_;
  RealFiles disk_;
  CachedFiles files_;
  std::string name_;
  Event event_;
};

}  // namespace

Trial TrialFor(const Policy& policy, const Places& places, const Registration& where) {
  return TrialFinder(policy, places, where).Run();
}

Result<Proof> Prove(const ProofCase& proof_case) {
  const Trial& trial = proof_case.trial;
  const Result<Finished> denied = Ask(proof_case, trial.tool, trial.denied_path);
  if (!denied) return denied.error();
  const HookAnswer answer = ReadHookAnswer(denied->out);
  if (denied->exit_status != 0 || answer.decision != "deny" || answer.reason.empty()) {
    return Wrong(proof_case, "did not deny a " + trial.tool + " of " + Quote(trial.denied_path) +
                                 ": " + Heard(*denied));
  }
  if (trial.permitted_path.empty()) return Proof{trial, answer.reason};
  const Result<Finished> passed = Ask(proof_case, "Read", trial.permitted_path);
  if (!passed) return passed.error();
  if (passed->exit_status != 0 || ReadHookAnswer(passed->out).decision == "deny") {
    return Wrong(proof_case, "did not permit a Read of " + Quote(trial.permitted_path) +
                                 " pass: " + Heard(*passed));
  }
  return Proof{trial, answer.reason};
}

}  // namespace ringfence
