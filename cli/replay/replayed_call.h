// ReplayedCalls finds what the hook would decide about a call, with the hook's own reader and
// decision, on the disk as it is today. Use one per thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit_log/entry.h"
#include "base/result.h"
#include "cli/common/evaluator.h"
#include "policy/files/real_files.h"

namespace ringfence {

struct ReplayedDecision {
  LoggedVerdict verdict = LoggedVerdict::kPermit;
  AuditEntry::Rule rule;  // with file "" if no rule of a file decided
  std::string what;       // `write to "/etc/hosts"`
  std::string why;        // "outside the project"
};

struct ReplayQuestion {
  Registration given;   // `root` is for every call; "" for each call's own
  std::string against;  // a second policy, or ""
};

class ReplayedCalls {
 public:
  explicit ReplayedCalls(ReplayQuestion question);
  ~ReplayedCalls();

  // Returns an error if the policies are wrong for every project.
  Status Check();

  struct Answer {
    ReplayedDecision now;
    std::optional<ReplayedDecision> was;  // under the second policy
    bool project_is_gone = false;
  };
  // `root` is the directory in which the session began, `event` the hook's event.
  Answer Decide(const std::string& root, std::string_view event);

  // Notes for the user about the policies of the projects so far.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  class ProjectCalls;
  ProjectCalls& ProjectCallsOf(const std::string& root);

  ReplayQuestion question_;
  std::map<std::string, std::unique_ptr<ProjectCalls>> projects_;  // by root
  std::vector<std::string> notes_;
};

}  // namespace ringfence
