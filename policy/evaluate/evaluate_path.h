// Evaluates one path argument against the policy: each reading of its text, links, denies, asks,
// hard links.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/decision.h"
#include "policy/evaluate/path_cause.h"
#include "policy/event.h"
#include "policy/rules/protected.h"
#include "policy/rules/rules.h"

namespace ringfence {

// The decision on one argument.
struct PathDecision {
  Verdict verdict = Verdict::kPermit;
  std::optional<Cause> cause = {};
  std::vector<Path> ends = {};  // where each reading leads, as far as it was followed
};

// Returns why devices and views of other processes are refused, or nothing. They are refused by
// name, because each process sees different ones.
std::optional<std::string_view> RefusedSpecialName(const Path& path);

class PathEvaluator {
 public:
  PathEvaluator(const Policy& policy, const Places& places, const Event& event,
                const CachedFiles& files);

  // From now on, records in `trace` how each path is evaluated. `trace` outlives this.
  void Record(Trace& trace);

  // `verb` begins the message: "read of", "write to". `field` is for the trace.
  PathDecision Evaluate(std::string_view text, Access access, std::string_view verb,
                        std::string_view field) const;

  // Applies only denies and asks for reading, as if the allow list covered everything.
  PathDecision EvaluateReadLists(std::string_view text, std::string_view field) const;

  // Returns the cause if a search in a permitted directory would meet a denied file below it.
  std::optional<Cause> MeetsDenied(const Path& folder, std::string_view verb) const;

  const Places& places() const { return places_; }

  // Returns the repositories in which the client may create a worktree now.
  std::vector<Path> WorktreeRepositories() const;

  // True if a program that reads this URL, or "~/x", as a relative path would reach something: the
  // path contains "..", or a file is named "https:" or "~".
  bool MayBePath(std::string_view text) const;

  // The directories that relative paths begin at. For an MCP server there are two: it stays where
  // the session started when the model changes directory.
  const std::vector<std::string>& folders() const { return folders_; }

  // Returns the absolute texts that `text` may mean: one for each home or directory; none if no
  // home or directory is known.
  std::vector<std::string> Starts(std::string_view text) const;

 private:
  using Question = PathQuestion;
  class Guard;

  PathDecision EvaluateText(const Question& question, std::string_view field) const;

  PathDecision EvaluateStart(const Question& question, const std::string& start,
                             std::vector<PathTrace::Reading>& readings) const;
  PathDecision EvaluateReading(const Question& question, PathTrace::Reading& reading) const;
  PathDecision EvaluateEnd(const Question& question, const Path& named, const Walked& walked) const;
  std::optional<Cause> DeniedByName(const Question& question, const Path& path,
                                    PathRole role) const;
  RuleHit MakesRunLater(const PathRuleList& rules, const Walked& walked) const;
  std::optional<Cause> DeniedAtEnd(const Question& question, const Path& named,
                                   const Walked& walked) const;
  bool MayBeElsewhere(const Path& end) const;
  std::optional<Cause> AsksElsewhere(const Question& question, const Path& end) const;
  std::optional<Cause> DeniedElsewhere(const Question& question, const Path& end) const;
  std::optional<Cause> Outside(const Question& question, const Path& named,
                               const Walked& walked) const;
  std::optional<Cause> Asks(const Question& question, const Path& named,
                            const Walked& walked) const;
  bool AllowingLeavesQuestion(const Question& question, const Path& named,
                              const Walked& walked) const;
  std::string WiderRoot(const Path& end) const;
  std::optional<RulePlace> MissingList(const Question& question, const Path& end) const;
  const PathRules& RulesFor(Access access) const;
  const ProtectedPaths& Protected() const;

  const Policy& policy_;
  const Places& places_;
  const CachedFiles& files_;
  std::string_view mode_;  // of the event, which outlives this
  bool in_sandbox_;
  std::vector<std::string> folders_;
  RuleMatcher matcher_;
  mutable std::optional<ProtectedPaths> protected_;  // created for the first write
  Trace* trace_ = nullptr;
};

}  // namespace ringfence
