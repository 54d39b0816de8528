#include "agents/claude/setup/client_rules.h"

#include <algorithm>
#include <array>
#include <deque>
#include <span>

#include "agents/claude/agent.h"
#include "base/add_once.h"
#include "base/case_fold.h"
#include "base/contains.h"
#include "base/joined.h"
#include "base/text.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/pattern.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

// True if the pattern has a character class. The client's patterns are those of .gitignore, but it
// reads "[!a]" and "[[:digit:]]" differently from git.
bool HasClass(std::string_view pattern) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '[') {
      return true;
    }
  }
  return false;
}

struct Entry {
  RuleBase base = RuleBase::kRoot;
  std::string tail;
};

class RuleWriter {
 public:
  RuleWriter(const Policy& policy, const Places& places) : policy_(policy) {
    context_.agent = places.agent;
    context_.root = places.root_real;
    context_.user = places.user;
    context_.macos_names = places.macos_names;
    context_.homes = places.homes;
    context_.settings_folders = places.settings_folders;
    AddOnce(roots_, EscapePattern(places.root_real.text()));
    AddOnce(roots_, EscapePattern(places.root.text()));
  }

  PathRulesOfClient Run() {
    for (const Entry& entry : Entries(policy_.read.deny, Access::kRead, Which::kAll)) {
      for (const std::string& path : PathsOf(entry)) AddOnce(rules_.deny, "Read(" + path + ")");
    }
    for (const Entry& entry : Entries(policy_.write.deny, Access::kWrite, Which::kPatterns)) {
      AddOnce(rules_.deny, "Edit(" + PathsOf(entry).front() + ")");
    }
    for (const Entry& entry : Entries(policy_.read.ask, Access::kRead, Which::kPatterns)) {
      AddOnce(rules_.ask, "Read(" + PathsOf(entry).front() + ")");
    }
    NoteLimits();
    return std::move(rules_);
  }

  std::vector<std::string> Mentions() {
    std::vector<std::string> rules;
    for (const Entry& entry : Entries(policy_.read.deny, Access::kRead, Which::kAll)) {
      if (entry.base != RuleBase::kRoot) AddOnce(rules, "Read(" + PathsOf(entry).front() + ")");
    }
    return rules;
  }

 private:
  enum class Which { kAll, kPatterns };

  static bool Counts(Which which, bool has_pattern, RuleBase base) {
    return which == Which::kAll || has_pattern || base == RuleBase::kAnywhere;
  }

  std::vector<Entry> Entries(const PathRuleList& lists, Access access, Which which) {
    std::vector<Entry> entries;
    for (const std::span<const PathRule> list : lists) {
      for (const PathRule& rule : list) {
        if (rule.set != SetName::kNone) {
          AddSet(rule.set, access, which, entries);
        } else if (Counts(which, rule.has_pattern, rule.base)) {
          Add({rule.base, PatternOf(rule.tail, rule.has_pattern)}, rule.written(), entries);
        }
      }
    }
    return entries;
  }

  static std::string PatternOf(std::string_view tail, bool has_pattern) {
    return has_pattern ? std::string(tail) : EscapePattern(tail);
  }

  void AddSet(SetName set, Access access, Which which, std::vector<Entry>& entries) {
    std::deque<std::string> strings;
    for (const SetEntry& entry : ExpandSet(set, access, context_, strings)) {
      if (!Counts(which, entry.has_pattern, entry.base)) continue;
      if (!entry.except.empty() || !entry.owned_folder.empty() || entry.not_in_stores ||
          entry.holds_root) {
        const bool counts = Counts(Which::kPatterns, entry.has_pattern, entry.base);
        if (counts) AddOnce(lost_, std::string(SetText(set)) + ": " + entry.text());
        continue;
      }
      Add({entry.base, PatternOf(entry.tail, entry.has_pattern)}, entry.text(), entries);
    }
  }

  void Add(Entry entry, const std::string& written, std::vector<Entry>& entries) {
    if (HasClass(entry.tail)) {
      AddOnce(lost_, written);
    } else {
      entries.push_back(std::move(entry));
    }
  }

  // In the client's notation "//x" is absolute, and "x" is below the current directory. The sandbox
  // accepts only patterns with a fixed beginning, so "anywhere" entries are repeated for the
  // project.
  std::vector<std::string> PathsOf(const Entry& entry) const {
    const std::string tail = entry.tail.empty() ? "**" : entry.tail;
    switch (entry.base) {
      case RuleBase::kHome:
        return {"~/" + tail};
      case RuleBase::kAbsolute:
        return {"//" + tail};
      case RuleBase::kAnywhere:
      case RuleBase::kRoot:
        break;
    }
    std::vector<std::string> paths;
    if (entry.base == RuleBase::kAnywhere) paths.push_back("//" + tail);  // "**/.env"
    for (const std::string& root : roots_) {
      std::string& path = paths.emplace_back("/");
      path.append(root).append("/").append(tail);
    }
    return paths;
  }

  void NoteLimits() {
    const auto quoted = [](const std::string& entry) { return Quote(entry, 60); };
    const std::string list = Joined(lost_, ", ", quoted);
    if (!list.empty()) {
      rules_.notes.push_back(
          "the client has no rule for these entries, so neither its searches nor commands in its"
          " sandbox exclude them: " +
          list);
    }
    if (!rules_.ask.empty()) {
      rules_.notes.emplace_back(
          "commands in the client's sandbox may read what read.ask names by a pattern, without a "
          "question");
    }
  }

  const Policy& policy_;
  SetContext context_;
  std::vector<std::string> roots_;
  std::vector<std::string> lost_;
  PathRulesOfClient rules_;
};

// Names for which the client (2.1.330) has no tool, or has it under another name.
constexpr std::array<std::string_view, 7> kFormer = {
    "BashOutput", "KillShell", "LS", "MultiEdit", "NotebookRead", "Task", "TaskOutput"};

// Tools that ask the user; without a prompt they would get no answer.
constexpr std::array<std::string_view, 3> kQuestions = {"AskUserQuestion", "EnterPlanMode",
                                                        "ExitPlanMode"};

Verdict ToolVerdict(std::string_view tool, const Policy& policy) {
  return EvaluateTool(tool, policy).verdict;
}

bool IsToolDenied(std::string_view tool, const Policy& policy) {
  return ToolVerdict(tool, policy) == Verdict::kDeny;
}

// No tool is named "~": only a pattern for every tool matches it.
bool PermitsEveryTool(const Policy& policy) { return !IsToolDenied("~", policy); }

// True if a profile that an event chooses restores the client's prompts for its caller: a rule of
// the client would answer them for all callers.
bool SomeCallersArePrompted(const PolicySources& sources) {
  return std::ranges::any_of(sources.sources, [](const PolicySource& source) {
    return std::ranges::any_of(source.file->profiles, [](const Profile& profile) {
      return profile.when && profile.when->is_chosen_by_event() &&
             profile.sections.keys.Get<Permitted>("permitted") == Permitted::kClient;
    });
  });
}

void AddMcpGlobs(const std::vector<NameRule>& rules, const Policy& policy,
                 std::vector<std::string>& globs) {
  for (const NameRule& rule : rules) {
    if (IsMcpTool(rule.pattern) && !IsToolDenied(rule.pattern, policy))
      AddOnce(globs, rule.pattern);
  }
}

// False for a rule that the client skips: its tool begins with a lower-case letter and is not an
// MCP tool.
bool IsRule(std::string_view pattern) {
  const bool is_small = !pattern.empty() && pattern[0] >= 'a' && pattern[0] <= 'z';
  return !is_small || pattern.starts_with("mcp_");
}

void AddDenied(const NameRule& rule, ToolNames& names) {
  if (rule.set != ToolSet::kNone) return;
  if (IsRule(rule.pattern)) return AddOnce(names.denied, rule.pattern);
  // A policy's denies ignore letter case, so `missing` has the tools that they match by their own
  // names.
  const std::string folded = FoldName(rule.pattern);
  const bool is_said = std::ranges::any_of(
      names.missing, [&](const std::string& tool) { return MatchName(folded, FoldName(tool)); });
  const bool is_for_mcp = MatchName(folded, "mcp__server__tool");
  if (!is_said || is_for_mcp) AddOnce(names.lost, rule.pattern);
}

}  // namespace

PathRulesOfClient PathRulesFor(const Policy& policy, const Places& places) {
  return RuleWriter(policy, places).Run();
}

std::vector<std::string> MentionRulesFor(const Policy& policy, const Places& places) {
  return RuleWriter(policy, places).Mentions();
}

ToolNames ToolNamesFor(const Policy& policy, const PolicySources& sources) {
  ToolNames names;
  names.every_tool = PermitsEveryTool(policy);
  const bool may_allow = policy.permitted == Permitted::kAllow && !SomeCallersArePrompted(sources);
  for (const KnownTool& tool : ClaudeCode().tools.All()) {
    if (Contains(kFormer, tool.name)) continue;
    const Verdict verdict = ToolVerdict(tool.name, policy);
    AddOnce(verdict == Verdict::kDeny ? names.missing : names.tools, tool.name);
    const bool is_allowed = may_allow && !tool.runs_code && !Contains(kQuestions, tool.name);
    if (is_allowed && verdict == Verdict::kPermit) names.allowed.emplace_back(tool.name);
  }
  AddMcpGlobs(policy.tools.names, policy, names.mcp);
  for (const auto& list : policy.tools.narrower) AddMcpGlobs(list, policy, names.mcp);
  for (const NameRule& rule : policy.tools.deny) AddDenied(rule, names);
  // The client offers every MCP tool that is not denied.
  if (names.mcp.empty() && !names.every_tool) AddOnce(names.denied, "mcp__*");
  return names;
}

}  // namespace ringfence
