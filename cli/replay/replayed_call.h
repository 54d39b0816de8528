// ReplayedCalls says what the hook would have answered to a call: by its own reader and decision,
// as the disk is today. One for each thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/explain/evaluator.h"
#include "policy/files/real_files.h"

namespace ringfence {

// Of a call. Refused is one that the hook has no decision about: it ends in status 2 then, which
// blocks the call as a denial does.
enum class ReplayVerdict : uint8_t { kPermitted, kAsked, kDenied, kRefused };
std::string_view ReplayVerdictName(
    ReplayVerdict verdict);  // as the audit log has it: permit, ask, deny, error

// The rule that decided.
struct RuleName {
  std::string file;  // "": no rule of any file
  uint32_t line = 0;
  std::string pointer;

  std::string label() const;  // "policy.json:6 /write/allow"
  bool operator==(const RuleName&) const = default;
};

struct ReplayedDecision {
  ReplayVerdict verdict = ReplayVerdict::kPermitted;
  RuleName rule;
  std::string what;  // `write to "/etc/hosts"`
  std::string why;   // "outside the project"
};

struct ReplayQuestion {
  Registration given;   // `root` for every call, or "": each call's own
  std::string against;  // a second policy, or ""
};

class ReplayedCalls {
 public:
  explicit ReplayedCalls(ReplayQuestion question);
  ~ReplayedCalls();

  // What is wrong with the policies for every project, if anything.
  Status Check();

  struct Answer {
    ReplayedDecision now;
    std::optional<ReplayedDecision> was;  // under the second policy
    bool project_is_gone = false;
  };
  // `root` is the folder that the session began in, `event` the hook's event.
  Answer Decide(const std::string& root, std::string_view event);

  // What people are to know about the policies of the projects that came so far.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  class ProjectCalls;
  ProjectCalls& ProjectCallsOf(const std::string& root);

  ReplayQuestion question_;
  std::map<std::string, std::unique_ptr<ProjectCalls>> projects_;  // by root
  std::vector<std::string> notes_;
};

}  // namespace ringfence
