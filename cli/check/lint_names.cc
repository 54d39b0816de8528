#include <algorithm>

#include "agents/claude/agent.h"
#include "base/case_fold.h"
#include "base/text.h"
#include "cli/check/lint.h"
#include "policy/decision.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/domain.h"
#include "policy/rules/own_loopback.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

void Warn(Findings& findings, const RulePlace& place, const char* code, std::string_view what) {
  Add(findings, Severity::kWarning, code, AtRule(place, what));
}

std::string CoveredBy(std::string_view text, std::string_view by, const RulePlace& place) {
  return Quote(text) + " changes nothing: " + Quote(by) + " (" + PlaceLabel(place) + ") covers it";
}

std::string DeniedBy(std::string_view text, std::string_view by, const RulePlace& place) {
  return Quote(text) + " never permits anything: denied by " + Quote(by) + " (" +
         PlaceLabel(place) + ")";
}

// As in a decision, "*" in `rule` matches any text, also a "*" in `other`.
bool CoversTool(const NameRule& rule, const NameRule& other) {
  if (rule.set == ToolSet::kKnown) {
    return other.set != ToolSet::kNone || ClaudeCode().tools.Find(other.pattern).has_value();
  }
  if (rule.set != ToolSet::kNone || other.set != ToolSet::kNone) return rule.set == other.set;
  return MatchName(rule.pattern, other.pattern) ||
         MatchName(ClaudeCode().tools.MainName(rule.pattern),
                   ClaudeCode().tools.MainName(other.pattern));
}

// A set of hosts adds one rule for each host to its list.
bool IsOfOneSet(const HostRule& rule, const HostRule& other) {
  return other.place == rule.place && other.written == rule.written;
}
bool IsOfOneSet(const NameRule&, const NameRule&) { return false; }

std::string_view TextOf(const NameRule& rule) { return rule.pattern; }
std::string_view TextOf(const HostRule& rule) { return rule.written; }

template <typename Rule>
class NameLint {
 public:
  using Covering = bool (*)(const Rule& other, const Rule& rule);

  NameLint(Covering covers, Findings& findings) : covers_(covers), findings_(findings) {}

  using List = std::optional<std::vector<Rule>>;

  void Denied(const List& rules, const List& deny) {
    if (!rules || !deny) return;
    for (const Rule& rule : *rules) {
      const auto by =
          std::ranges::find_if(*deny, [&](const Rule& other) { return covers_(other, rule); });
      if (by != deny->end()) {
        Warn(findings_, rule.place, "dead-rule", DeniedBy(TextOf(rule), TextOf(*by), by->place));
      }
    }
  }

  void Shadowed(const List& rules) {
    if (!rules) return;
    for (size_t i = 0; i < rules->size(); ++i) {
      const Rule& rule = (*rules)[i];
      for (size_t j = 0; j < rules->size(); ++j) {
        const Rule& other = (*rules)[j];
        const bool is_same_entry = i == j || IsOfOneSet(rule, other);
        if (is_same_entry || !covers_(other, rule)) continue;
        if (covers_(rule, other) && j > i) continue;  // keeps the first of two equal rules
        Warn(findings_, rule.place, "shadowed-rule",
             CoveredBy(TextOf(rule), TextOf(other), other.place));
        break;
      }
    }
  }

 private:
  Covering covers_;
  Findings& findings_;
};

// Reports misspelt names, which permit and deny nothing. Denials ignore letter case.
void FindUnknownTools(const std::optional<std::vector<NameRule>>& rules, bool is_deny,
                      Findings& findings) {
  if (!rules) return;
  std::vector<std::string_view> names;
  for (const KnownTool& tool : ClaudeCode().tools.All()) {
    names.push_back(tool.name);
    names.insert(names.end(), tool.aliases.begin(), tool.aliases.end());
  }
  for (const NameRule& rule : *rules) {
    const bool is_plain =
        rule.set == ToolSet::kNone && rule.pattern.find('*') == std::string_view::npos;
    if (!is_plain || IsMcpTool(rule.pattern) || ClaudeCode().tools.Find(rule.pattern)) continue;
    const auto is_it = [&](std::string_view name) {
      return LowerAscii(name) == LowerAscii(rule.pattern);
    };
    if (is_deny && std::ranges::any_of(names, is_it)) continue;
    Warn(findings, rule.place, "unknown-tool",
         Quote(rule.pattern) + " is not a known tool of the client" +
             DidYouMean(ClaudeCode().tools.Nearest(rule.pattern)));
  }
}

// "mcp__SERVER" means a whole server in the client's permissions, but here it is one name, which no
// tool has.
void FindWholeServers(const std::optional<std::vector<NameRule>>& rules, Findings& findings) {
  if (!rules) return;
  for (const NameRule& rule : *rules) {
    if (rule.set != ToolSet::kNone || !IsMcpServer(rule.pattern)) continue;
    Warn(findings, rule.place, "unknown-tool",
         Quote(rule.pattern) + " names no tool; all the tools of that server are " +
             Quote(McpServerPattern(rule.pattern)));
  }
}

// Reports MCP fields of a tool that no allow or ask list names.
void FindUnusedMcp(const LintSection& section, Findings& findings) {
  const auto names = [&](const Sections& sections, std::string_view tool) {
    for (const auto* rules : {&sections.tools.allow, &sections.tools.ask}) {
      if (!*rules) continue;
      for (const NameRule& rule : **rules) {
        if (MatchName(rule.pattern, tool) || MatchName(tool, rule.pattern)) return true;
      }
    }
    return false;
  };
  for (const McpFields& fields : section.sections.mcp) {
    if (names(section.sections, fields.tool) || names(section.file.sections, fields.tool)) continue;
    const auto in_profile = [&](const Profile& p) { return names(p.sections, fields.tool); };
    if (section.profile == nullptr && std::ranges::any_of(section.file.profiles, in_profile))
      continue;
    Warn(findings, fields.place, "dead-rule",
         Quote(fields.tool) + " is never asked for: no list of tools names it");
  }
}

constexpr uint16_t kResolverPort = 53;

// Reports entries that open more than they may seem to, or less.
void FindOpenings(const NetworkSection& network, Findings& findings) {
  if (!network.allow) return;
  for (const HostRule& rule : *network.allow) {
    const auto warn = [&](std::string_view what) {
      Warn(findings, rule.place, "wide-host", Quote(rule.written) + " " + std::string(what));
    };
    const std::optional<Address> address = ParseAddress(rule.host);
    if (rule.any) {
      warn("permits every host: whatever a command can read, it can send away");
    } else if (rule.host == kHostLoopback) {
      warn(
          "is a port of this machine, outside of the sandbox: a debugger or Docker that asks for "
          "no password there is a way out");
    } else if (IsOwnLoopback(rule)) {
      Add(findings, Severity::kNote, "own-loopback",
          AtRule(rule.place, Quote(rule.written) +
                                 " is this machine for the agent's own tools only: a sandboxed "
                                 "command has a loopback of its own, and reaches this machine as "
                                 "\"host.ringfence:PORT\""));
    } else if (rule.subdomains && rule.host.find('.') == std::string_view::npos) {
      warn("permits every host below " + Quote("." + std::string(rule.host)) +
           ", a whole top-level domain");
    } else if (rule.port == kResolverPort) {
      warn(
          "counts for the agent's own tools only: at port 53, sandboxed commands reach the "
          "sandbox's resolver");
    } else if (address && MayGiveCredentials(*address)) {
      warn("is an address at which clouds give credentials to whoever asks");
    }
  }
}

// Reports denials of hosts that no sandboxed command meets.
void FindUnmetDenials(const NetworkSection& network, Findings& findings) {
  const bool is_open = network.unlisted == Unlisted::kAllow;
  if (!is_open || !network.deny || network.deny->empty()) return;
  Warn(findings, network.deny->front().place, "wide-host",
       "\"unlisted\": \"allow\" gives commands the host's own network, so network.deny counts for "
       "the "
       "agent's own tools only; \"allow\": [\"*\"] in place of \"unlisted\" lets the proxy refuse "
       "these hosts to commands, too");
}

// Reports entries of network.private for hosts that the file's allow lists do not name.
void FindUnusedPrivate(const LintSection& section, Findings& findings) {
  const NetworkSection& network = *section.sections.network;
  const auto has_list = [](const Sections& sections) {
    return sections.network && sections.network->allow;
  };
  // Without a list, another file's list may name them.
  if (!network.private_rules || (!has_list(section.sections) && !has_list(section.file.sections)))
    return;
  const auto permits = [&](const Sections& sections, const HostRule& host) {
    if (!sections.network) return false;
    if (sections.network->unlisted.value_or(Unlisted::kDeny) != Unlisted::kDeny) return true;
    const auto overlaps = [&](const HostRule& rule) { return Overlaps(rule, host); };
    return has_list(sections) && std::ranges::any_of(*sections.network->allow, overlaps);
  };
  for (const PrivateRule& rule : *network.private_rules) {
    if (permits(section.sections, rule.host) || permits(section.file.sections, rule.host)) continue;
    const auto in_profile = [&](const Profile& p) { return permits(p.sections, rule.host); };
    if (section.profile == nullptr && std::ranges::any_of(section.file.profiles, in_profile))
      continue;
    Warn(findings, rule.host.place, "dead-rule",
         Quote(rule.host.written) + " never permits anything: no entry of network.allow names it");
  }
}

void LintHosts(const LintSection& section, Findings& findings) {
  const NetworkSection& network = *section.sections.network;
  NameLint<HostRule> host_lint(&Covers, findings);
  host_lint.Denied(network.allow, network.deny);
  host_lint.Denied(network.inspect, network.deny);
  if (section.profile != nullptr && section.file.sections.network) {
    host_lint.Denied(network.allow, section.file.sections.network->deny);
  }
  for (const auto* rules : {&network.allow, &network.deny, &network.inspect}) {
    host_lint.Shadowed(*rules);
  }
  FindOpenings(network, findings);
  FindUnmetDenials(network, findings);
  FindUnusedPrivate(section, findings);
}

}  // namespace

void LintNames(const LintSection& section, Findings& findings) {
  const RuleLists<NameRule>& tools = section.sections.tools;
  NameLint<NameRule> tool_lint(&CoversTool, findings);
  const RuleLists<NameRule>& outer = section.file.sections.tools;
  for (const auto* rules : {&tools.allow, &tools.ask}) {
    tool_lint.Denied(*rules, tools.deny);
    if (section.profile != nullptr) tool_lint.Denied(*rules, outer.deny);
  }
  for (const auto* rules : {&tools.allow, &tools.ask, &tools.deny}) {
    tool_lint.Shadowed(*rules);
    FindUnknownTools(*rules, rules == &tools.deny, findings);
    FindWholeServers(*rules, findings);
  }
  FindUnusedMcp(section, findings);
  if (section.sections.network) LintHosts(section, findings);
}

}  // namespace ringfence
