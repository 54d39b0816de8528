#include "hook/session_text.h"

#include <algorithm>
#include <vector>

#include "agents/claude/settings/own_sandbox.h"
#include "base/add_once.h"
#include "base/joined.h"
#include "base/text.h"
#include "policy/agent.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/sets.h"
#include "policy/sandbox_network.h"

namespace ringfence {
namespace {

constexpr size_t kMaxQuoted = 12;  // entries named in one line
// No text of an untrusted file may reach the model.
constexpr const char* kUnquoted = "what the project's own policy lists";

// Lists quoted words: "a", "b" and 3 more.
std::string Listed(const std::vector<std::string>& words) {
  const size_t named = std::min(words.size(), kMaxQuoted);
  const std::string text =
      Joined(std::span(words).first(named), ", ", [](const auto& w) { return w; });
  const size_t rest = words.size() - named;
  return rest == 0 ? text : text + " and " + std::to_string(rest) + " more";
}

using SetNames = std::vector<SetName>;

// Explains a set the first time that it is named.
std::string RuleWord(const PathRule& rule, SetNames& explained) {
  if (rule.set != SetName::kNone) {
    const std::string_view name = SetText(rule.set);
    const PathSet* set = FindPathSet(name);
    if (set == nullptr || Contains(explained, rule.set)) return std::string(name);
    explained.push_back(rule.set);
    return std::string(name) + " (" + std::string(set->what) + ")";
  }
  return rule.tail.empty() && rule.base == RuleBase::kRoot ? "the project" : Quote(rule.written());
}

std::string RuleWords(const PathRuleList& rules, SetNames& explained) {
  std::vector<std::string> words;
  SetNames named;
  for (const std::span<const PathRule> list : rules) {
    for (const PathRule& rule : list) {
      if (!rule.is_quotable() || Contains(named, rule.set)) continue;
      if (rule.set != SetName::kNone) named.push_back(rule.set);
      AddOnce(words, RuleWord(rule, explained));
    }
  }
  return Listed(words);
}

// Lists the rules that the model may see.
template <typename Rule>
std::string Quotable(const std::vector<Rule>& rules, std::string_view Rule::*name) {
  std::vector<std::string> names;
  for (const Rule& rule : rules) {
    if (rule.place.quotable) AddOnce(names, Quote(rule.*name));
  }
  return Listed(names);
}

void AppendLine(std::string& text, std::string_view label, const std::string& words) {
  if (!words.empty()) text += "- " + std::string(label) + words + ".\n";
}

void AppendPaths(std::string& text, const PathRules& rules, std::string_view verb,
                 SetNames& explained) {
  const std::string may = "You may " + std::string(verb);
  for (const PathRuleList& list : rules.allow) {
    const bool first = &list == &rules.allow.front();
    const std::string words = RuleWords(list, explained);
    AppendLine(text, may + (first ? ": " : ", of these, only: "),
               words.empty() ? kUnquoted : words);
  }
  AppendLine(text, "The user must approve each " + std::string(verb) + " of: ",
             RuleWords(rules.ask, explained));
  AppendLine(text, "Do not " + std::string(verb) + ": ", RuleWords(rules.deny, explained));
}

void AppendTools(std::string& text, const ToolRules& rules) {
  AppendLine(text, "Do not call these tools: ", Quotable(rules.deny, &NameRule::pattern));
  AppendLine(text, "The user must approve each call of: ", Quotable(rules.ask, &NameRule::pattern));
  std::vector<std::string> mcp;
  bool allows_none = true;
  for (const NameRule& rule : rules.names) {
    if (!MayMatchMcpTool(rule.pattern)) continue;
    allows_none = false;
    const auto asks = [&](const NameRule& other) { return other.pattern == rule.pattern; };
    if (std::ranges::none_of(rules.ask, asks)) AddOnce(mcp, Quote(rule.pattern));
  }
  if (allows_none) text += "- MCP tools are refused: the policy allows none.\n";
  AppendLine(text, "MCP tools you may call: ", Listed(mcp));
  const bool is_narrowed = std::ranges::any_of(rules.narrower, [](const auto& list) {
    return std::ranges::none_of(list, [](const NameRule& rule) { return rule.place.quotable; });
  });
  if (is_narrowed) AppendLine(text, "Of all tools, you may call only ", kUnquoted);
}

void AppendNetwork(std::string& text, const Policy& policy) {
  if (!policy.network) return;
  bool is_first = true;
  for (const HostList& list : policy.network->lists) {
    if (list.unlisted == Unlisted::kAllow) continue;
    const std::string hosts = Quotable(list.allow, &HostRule::written);
    const bool is_unquoted = hosts.empty() && !list.allow.empty();
    AppendLine(text,
               std::string(is_first ? "Hosts you may reach" : "Of these hosts, only") +
                   (list.unlisted == Unlisted::kAsk ? " without asking the user: " : ": "),
               is_unquoted     ? kUnquoted
               : hosts.empty() ? "none"
                               : hosts);
    is_first = false;
  }
  AppendLine(text,
             "Do not reach these hosts: ", Quotable(policy.network->deny, &HostRule::written));
}

std::string ModeLine(SandboxMode mode) {
  if (mode == SandboxMode::kSandbox) return "";
  return mode == SandboxMode::kRx
             ? "- This run is read-only: read and run programs, but do not change the project.\n"
             : "- This run has no sandbox. The rules above still apply.\n";
}

std::string_view WhereReasonIs(ProgramSandbox sandbox) {
  if (sandbox == ProgramSandbox::kCommands) return "a line on standard error";
  return sandbox == ProgramSandbox::kAgents ? "a note after the call"
                                            : "the header X-Ringfence of the proxy's answer";
}

// What a program of Bash reaches, which "Hosts you may reach" does not tell: that is about tools.
std::string CommandNetworkLine(const Policy& policy, ProgramSandbox sandbox) {
  if (sandbox == ProgramSandbox::kNone) return "";
  const std::string commands = "- Bash commands ";
  const auto network = SandboxNetwork(policy, IsAgents(sandbox));
  if (!network) return commands + "have no network. If you need a host, tell the user.\n";
  if (IsHostNetwork(*network)) return commands + "use the network of this machine.\n";
  const bool is_listed = policy.network && policy.network->opens_sandbox;
  const bool is_by_port =
      sandbox == ProgramSandbox::kAgentsByPort || policy.sandbox.layers == SandboxLayers::kLandlock;
  return commands +
         (is_listed ? "reach these hosts, too, and no others; without a port, an entry means 80 "
                      "and 443."
                    : "reach the agent's own service only.") +
         (is_by_port ? " Only programs that use HTTPS_PROXY reach anything: others find no name."
                     : "") +
         " A refused host fails at once, and " + std::string(WhereReasonIs(sandbox)) +
         " says how the user permits it.\n";
}

std::string Confinement(const Policy& policy, const Context& context, ProgramSandbox sandbox) {
  switch (sandbox) {
    case ProgramSandbox::kCommands:
      return policy.sandbox.layers == SandboxLayers::kFull
                 ? "ringfence's sandbox, which has a /tmp of its own"
                 : "ringfence's sandbox";
    case ProgramSandbox::kAgents:
    case ProgramSandbox::kAgentsByPort:
      return "ringfence's sandbox, as you are";
    case ProgramSandbox::kNone:
      break;
  }
  return BashConfinement(context.places);
}

std::string CommandLines(const Policy& policy, const std::string& confinement) {
  std::string text = confinement.empty()
                         ? "- No sandbox confines Bash commands here: keep them within these "
                           "rules yourself.\n"
                         : "- Bash commands are confined by " + confinement + ".\n";
  text += policy.unsandboxed == Unsandboxed::kAsk
              ? "- Set \"dangerouslyDisableSandbox\" only when you must: the user is asked.\n"
              : "- Do not set \"dangerouslyDisableSandbox\": it is refused.\n";
  return text;
}

}  // namespace

std::string BoundaryText(const Policy& policy, const Context& context, SandboxMode mode,
                         ProgramSandbox sandbox) {
  std::string text =
      "ringfence checks every tool call against a policy.\n"
      "- The project is " +
      Quote(context.places.root.text()) + ".\n";
  SetNames explained;
  AppendPaths(text, policy.read, "read", explained);
  AppendPaths(text, policy.write, "write", explained);
  text += "- You can never write " + std::string(policy.agent->settings.what) +
          " or ringfence's policies.\n";
  AppendTools(text, policy.tools);
  AppendNetwork(text, policy);
  text += CommandNetworkLine(policy, sandbox);
  text += CommandLines(policy, Confinement(policy, context, sandbox));
  text += ModeLine(mode);
  for (const std::string& note : context.sources.notes) text += "- " + Printable(note) + ".\n";
  text +=
      "- When a call is refused, read the reason and follow it. Do not try the same thing by "
      "another way (Bash, a script, a link, another tool). If you need it, tell the user which "
      "command from the reason to run.\n";
  if (!policy.say.empty()) text += "- When refused: " + Printable(policy.say) + "\n";
  return text;
}

}  // namespace ringfence
