// The target of `ringfence allow` and `ringfence revoke`: a path, a host or a tool, and its
// spelling in a policy.
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
  std::string text;   // as typed; an MCP server becomes the pattern of its tools
  std::string path;   // absolute path with links resolved
  std::string named;  // the path before links are resolved; a tool as typed
  bool is_pattern = false;
  bool also_read = true;   // paths only
  bool also_write = true;  // paths only
  bool as_question = false;
  bool is_of_agent = false;  // hosts only: for the sandbox of an agent itself
};

// Returns kTool for a known tool or an MCP name; kPath for a name that exists, has a slash or
// begins like a path; kHost for a name that only a host can have; nothing for an ambiguous name.
std::optional<TargetKind> KindOf(const std::string& text);
bool MayBeFileOrHost(const std::string& text);  // true for "notes.md"

// Returns the host of "https://host/...", with the port if it is not the scheme's default.
Result<std::string> HostOfUrl(const std::string& url);
bool IsUrl(const std::string& text);  // true if it has "://"

// A path in `text` is relative to `folder`.
Result<GrantTarget> MakeTarget(TargetKind kind, const std::string& text, const std::string& folder,
                               const std::string& home);

// True for a port of host.ringfence, which only the user's own policy can permit.
bool IsHostLoopback(const GrantTarget& grant);

// Returns the directory above the first component of an absolute path that has a pattern, or the
// whole path if none has.
Path FixedFolder(std::string_view path);

// Returns the home as given and, if links lead elsewhere, its resolved path.
std::vector<std::string> NamesOfHome(const std::string& home);

// Returns the target's spelling in a policy file. `root` is the project that the policy belongs to;
// "" for other files, which serve several projects and so need full paths.
std::string EntryFor(const GrantTarget& grant, const std::string& root, const std::string& home);

struct TargetDecision {
  Verdict verdict = Verdict::kPermit;
  std::optional<Cause> cause;
  std::vector<RuleUse> rules;  // rules that were met
};
// Evaluates the target under these policies; for a pattern, a path that it matches. Returns nothing
// for sets and for patterns with "?" or brackets.
Result<std::optional<TargetDecision>> EvaluateTarget(const GrantTarget& grant,
                                                     const Context& policies);

// True if the policy has a "network" section, so that the hook evaluates hosts.
bool HasNetwork(const Context& policies);

// Describes what an entry opens, such as "every file of the home directory for reading", if that is
// every tool or host, a home, the directory that contains the project or, for writing, a directory
// that the whole machine shares ("/usr"). Otherwise returns "".
std::string WideText(const GrantTarget& grant, const Places& places, const Registration& where);

// The "deny" and "ask" rules of the built-in policy stay in force next to other lists: only an
// empty list in the user's own policy removes them. Returns advice if a set that the built-in
// policy denies or asks about decided; otherwise "". `file` is the user's policy as shown in
// messages.
std::string AdviceOnBuiltIn(const TargetDecision& decision, const GrantTarget& grant,
                            const std::string& file);

// Returns a note if a removed question about `set` remains because another policy asks it too;
// otherwise "".
std::string RemainingQuestion(const std::string& set, const Context& policies,
                              const std::string& file);

}  // namespace ringfence
