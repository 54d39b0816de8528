// What `ringfence allow` and `ringfence revoke` were asked for: a path, a host or a tool, and how a
// policy spells it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/common/policies.h"
#include "policy/decision.h"
#include "policy/policy.h"

namespace ringfence {

enum class TargetKind { kPath, kHost, kTool };

struct GrantTarget {
  TargetKind kind = TargetKind::kPath;
  std::string text;   // as it was typed
  std::string path;   // of a path: absolute, links followed
  std::string named;  // the same before links were followed; of a tool, as it was typed
  bool is_pattern = false;
  bool also_read = true;   // of a path
  bool also_write = true;  // of a path
  bool as_question = false;
};

// A known tool and mcp__ are tools; what exists, has a slash or begins as paths do is a path; a
// name that only a host has is a host. Nothing for other names: they might be any of the three.
std::optional<TargetKind> KindOf(const std::string& text);
bool MayBeFileOrHost(const std::string& text);  // "notes.md": nothing by the rule above

// The host of "https://host/...", with its port where that is not the scheme's.
Result<std::string> HostOfUrl(const std::string& url);
bool IsUrl(const std::string& text);  // it has "://"

// `text` of a path is relative to `folder`.
Result<GrantTarget> MakeTarget(TargetKind kind, const std::string& text, const std::string& folder,
                               const std::string& home);

// The home as it is given and, where links lead elsewhere, resolved.
std::vector<std::string> NamesOfHome(const std::string& home);

// How the policy file spells it. `root` is of the project whose own policy it is; "" for other
// files, which serve several projects and so name paths whole.
std::string EntryFor(const GrantTarget& grant, const std::string& root, const std::string& home);

struct TargetDecision {
  Verdict verdict = Verdict::kPermit;
  std::optional<Cause> cause;
  std::vector<RuleUse> rules;  // that were met
};
// What these policies say about it now; of a pattern, about a path that it matches. Nothing is
// known of sets and of patterns with brackets.
Result<std::optional<TargetDecision>> EvaluateTarget(const GrantTarget& grant,
                                                     const Context& policies);

// The hook evaluates hosts.
bool HasNetwork(const Context& policies);

}  // namespace ringfence
