// One path argument against the policy: both readings of its text, links, denies, asks, hard links.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/decision.h"
#include "policy/event.h"
#include "policy/rules/protected.h"
#include "policy/rules/rules.h"

namespace ringfence {

// What one argument came to.
struct PathDecision {
  Verdict verdict = Verdict::kPermit;
  std::optional<Cause> cause;
  std::vector<Path> ends;  // where each reading leads, as far as it was followed
};

// Why text cannot be a path that the client and the kernel read alike, or nothing.
std::optional<std::string_view> RefusedText(std::string_view text);

// Devices and windows into other processes, refused by name because each process sees another one.
std::optional<std::string_view> RefusedSpecialName(const Path& path);

class PathEvaluator {
 public:
  PathEvaluator(const Policy& policy, const Places& places, const Event& event,
                const CachedFiles& files);

  // From now on it is told how each path was evaluated. `trace` outlives this.
  void Record(Trace& trace);

  // `verb` begins the message: "read of", "write to". `field` is for the trace.
  PathDecision Evaluate(std::string_view text, Access access, std::string_view verb,
                        std::string_view field) const;

  // Only what is denied or asked about counts, as if everything were on the list of what may be
  // read.
  PathDecision EvaluateReadLists(std::string_view text, std::string_view field) const;

  // A search in a folder that was permitted: it would meet what is denied below.
  std::optional<Cause> MeetsDenied(const Path& folder, std::string_view verb) const;

  const Places& places() const { return places_; }

  // The repositories in which the client may make a worktree now.
  std::vector<Path> WorktreeRepositories() const;

  // A program that takes this URL, or "~/x", for a relative path would get somewhere: it climbs, or
  // something is called "https:" or "~".
  bool MayBePath(std::string_view text) const;

  // Where relative paths begin. For what an MCP server looks up these are two folders: it stays
  // where the session began when the model moves on.
  const std::vector<std::string>& folders() const { return folders_; }

  // The absolute texts that `text` may mean: one for each home or folder; none where nothing is
  // known.
  std::vector<std::string> Starts(std::string_view text) const;

 private:
  struct Question {
    std::string_view text;
    Access access;
    std::string_view verb;
    bool only_lists = false;  // of denies and asks
    TildeHomes homes = TildeHomes::kGiven;
  };
  class Guard;

  PathDecision EvaluateText(const Question& question, std::string_view field) const;

  PathDecision EvaluateStart(const Question& question, const std::string& start,
                             std::vector<PathTrace::Reading>& readings) const;
  PathDecision EvaluateReading(const Question& question, const std::string& start,
                               PathTrace::Reading* reading) const;
  PathDecision EvaluateEnd(const Question& question, const Path& named, const Walked& walked) const;
  std::optional<Cause> DeniedByName(const Question& question, const Path& path,
                                    PathRole standing) const;
  Cause ProtectedCause(const Question& question, const Protection& protection) const;
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
  bool AllowingLeavesQuestion(Access access, const Path& named, const Path& end) const;
  std::string WiderRoot(const Path& end) const;
  std::optional<RulePlace> MissingList(const Question& question, const Path& end) const;
  Cause AskCause(const Question& question, const RuleHit& hit, bool by_name) const;
  Cause RuleCause(const Question& question, const RuleHit& hit, std::string_view did) const;
  Cause PlainCause(const Question& question, std::string why) const;
  const PathRules& RulesFor(Access access) const;
  const ProtectedPaths& Protected() const;

  const Policy& policy_;
  const Places& places_;
  const CachedFiles& files_;
  std::string_view mode_;  // of the event, which outlives this
  bool in_sandbox_;
  std::vector<std::string> folders_;
  RuleMatcher matcher_;
  mutable std::optional<ProtectedPaths> protected_;  // made for the first write
  Trace* trace_ = nullptr;
};

}  // namespace ringfence
