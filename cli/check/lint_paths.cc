#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "cli/check/lint.h"
#include "policy/decide.h"
#include "policy/rules/rules.h"

namespace ringfence {
namespace {

// A rule, and its path up to the first pattern.
struct Subject {
  const PathRule& rule;
  Path path;
};

class PathLint {
 public:
  PathLint(const LintQuestion& question, const LintSection& section, const Policy& policy,
           Findings& findings)
      : question_(question),
        section_(section),
        policy_(policy),
        cached_(question.files),
        matcher_(policy, question.places, "check", cached_),
        findings_(findings) {}

  void Run() {
    Lint(section_.sections.read, &Sections::read, Access::kRead);
    Lint(section_.sections.write, &Sections::write, Access::kWrite);
    LintInbox();
  }

 private:
  using Lists = RuleLists<PathRule> Sections::*;

  void Lint(const RuleLists<PathRule>& lists, Lists member, Access access) {
    if (lists.allow) LintList(*lists.allow, {}, access, false);
    // A profile's deny and ask lists add to those of its file.
    const RuleLists<PathRule>& around = section_.file.sections.*member;
    const bool is_top = section_.profile == nullptr;
    if (lists.ask) LintList(*lists.ask, is_top ? nullptr : &around.ask, access, true);
    if (lists.deny) {
      FindShadowed(*lists.deny, is_top ? nullptr : &around.deny, access, false);
    }
  }

  using List = std::optional<std::vector<PathRule>>;

  // Checks an allow or ask list; a denial can override its rules.
  void LintList(const std::vector<PathRule>& rules, const List* around, Access access, bool asks) {
    for (const PathRule& rule : rules) {
      if (rule.set == SetName::kNone && IsDead(rule, access)) dead_.push_back(&rule);
    }
    FindShadowed(rules, around, access, asks);
  }

  void Warn(const PathRule& rule, const char* code, const std::string& what) {
    Add(findings_, Severity::kWarning, code,
        AtRule(rule.place(), Quote(rule.written()) + " " + what));
  }

  std::vector<Path> PathsOf(const PathRule& rule) const {
    std::vector<Path> paths;
    const SetEntry entry{.base = rule.base, .tail = rule.tail, .has_pattern = rule.has_pattern};
    for (const RuleMatcher::Base& base : matcher_.BasesOf(rule.base)) {
      paths.push_back(FixedPrefix(entry, base.path).path);
    }
    return paths;
  }

  // True if the rule never permits anything, neither its path nor a name below it; reports the
  // rule.
  bool IsDead(const PathRule& rule, Access access) {
    const std::vector<Path> paths = PathsOf(rule);
    std::optional<Cause> cause;
    if (const PathRule* same = SameInDeny(rule, access)) {
      cause = Cause{"", "denied by " + Quote(same->written()), same->place(), ""};
    }
    for (const Path& path : paths) {
      if (cause && rule.has_pattern) break;
      if (rule.has_pattern) {
        const PathRuleList& deny = access == Access::kRead ? policy_.read.deny : policy_.write.deny;
        const RuleHit hit = matcher_.MatchesName(deny, access, path);
        if (!hit) return false;
        cause = Cause{"", "denied by " + Quote(hit.rule->written()), hit.rule->place(), ""};
        continue;
      }
      cause = CauseAt(path, access);
      if (!cause || !CauseAt(path.Child("ringfence-check"), access)) return false;
    }
    if (!cause) return false;
    const std::string place = cause->place ? " (" + PlaceLabel(*cause->place) + ")" : "";
    Warn(rule, "dead-rule", "never permits anything: " + cause->why + place);
    return true;
  }

  // A denial with the same text covers at least as much.
  const PathRule* SameInDeny(const PathRule& rule, Access access) const {
    const PathRuleList& deny = access == Access::kRead ? policy_.read.deny : policy_.write.deny;
    for (const std::span<const PathRule> part : deny) {
      for (const PathRule& other : part) {
        if (rule.has_pattern && other.written() == rule.written()) return &other;
      }
    }
    return nullptr;
  }

  std::optional<Cause> CauseAt(const Path& path, Access access) {
    Decision decision = DecisionOn(path, access);
    if (decision.verdict != Verdict::kDeny || decision.failure) return {};
    return std::move(decision.cause);
  }

  Decision DecisionOn(const Path& path, Access access) {
    Event event;
    event.kind = EventKind::kPreToolUse;
    event.cwd = question_.places.root.text();
    return DecidePath(event, path.text(), access, {policy_, question_.places, cached_});
  }

  // Reports only in sections that set the inbox or write.allow.
  void LintInbox() {
    const Sections& sections = section_.sections;
    if (!sections.keys.Find("alerts.inbox") && !sections.write.allow) return;
    if (policy_.alerts.inbox.empty()) return;
    const std::optional<Path> inbox = OwnPath(policy_.alerts.inbox, question_.places);
    if (!inbox) return;
    const Decision decision = DecisionOn(inbox->Child("ringfence-check"), Access::kWrite);
    if (decision.verdict == Verdict::kDeny) return;
    const std::string profile =
        section_.profile == nullptr ? "" : "/profiles/" + std::string(section_.profile->name);
    Add(findings_, Severity::kWarning, "open-inbox",
        ConfigError(
            section_.file.shown + " " + profile + "/alerts/inbox",
            Quote(policy_.alerts.inbox) + " may be written by the agent, who can forge alerts",
            "name a directory that no write.allow covers, or deny it there"));
  }

  // Reports rules that are covered by another rule of the same list, or of the file's list if this
  // is a profile. `asks`: it is an ask list.
  void FindShadowed(const std::vector<PathRule>& rules, const List* around, Access access,
                    bool asks) {
    for (const PathRule& rule : rules) {
      if (Contains(dead_, &rule)) continue;
      const PathRule* by =
          around != nullptr && *around ? FindCover(rule, **around, access, asks) : nullptr;
      if (by == nullptr) by = FindCover(rule, rules, access, asks);
      if (by == nullptr) continue;
      Warn(rule, "shadowed-rule",
           "changes nothing: " + Quote(by->written()) + " (" + PlaceLabel(by->place()) +
               ") covers it");
    }
  }

  // As in policy/load/merge_sections.cc: an ask rule that names a path also permits it; a set or
  // "**/" does not.
  static bool NamesPlace(const PathRule& rule) {
    return rule.set == SetName::kNone && rule.base != RuleBase::kAnywhere;
  }

  const PathRule* FindCover(const PathRule& rule, const std::vector<PathRule>& others,
                            Access access, bool asks) const {
    for (const PathRule& other : others) {
      if (&other == &rule || !CoversRule(other, rule, access)) continue;
      if (asks && NamesPlace(rule) && !NamesPlace(other)) continue;
      // Keeps the first of two rules that cover each other.
      const bool is_mutual = CoversRule(rule, other, access);
      if (!is_mutual || other.offset < rule.offset) return &other;
    }
    return nullptr;
  }

  bool CoversRule(const PathRule& other, const PathRule& rule, Access access) const {
    const bool is_same =
        other.set == rule.set && other.base == rule.base && other.tail == rule.tail;
    if (is_same) return true;
    if (rule.set != SetName::kNone || rule.base == RuleBase::kAnywhere) return false;
    // Two patterns cannot be compared by their text.
    if (rule.has_pattern && other.has_pattern) return false;
    const PathRule rules[] = {other};
    const PathRuleList list{std::span<const PathRule>(rules)};
    const std::vector<Path> paths = PathsOf(rule);
    return !paths.empty() && std::ranges::all_of(paths, [&](const Path& path) {
      return static_cast<bool>(matcher_.MatchesName(list, access, path));
    });
  }

  const LintQuestion& question_;
  const LintSection& section_;
  const Policy& policy_;
  CachedFiles cached_;
  RuleMatcher matcher_;
  std::vector<const PathRule*> dead_;
  Findings& findings_;
};

}  // namespace

void LintPaths(const LintQuestion& question, const LintSection& section, Findings& findings) {
  const Result<Policy> policy = MergedFor(question, section.profile);
  if (!policy) return;  // an invalid policy is already reported
  PathLint(question, section, *policy, findings).Run();
}

}  // namespace ringfence
