#include "cli/permit/policy_grant_rows.h"

#include <algorithm>
#include <deque>

#include "agents/claude/agent.h"
#include "base/path.h"
#include "base/text.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/rules/domain.h"
#include "policy/rules/path_entry.h"

namespace ringfence {
namespace {

// Describes the entries in one sentence for each level of danger.
template <typename Classify>
void SayLists(GrantSpeaker& speaker, const std::vector<std::string>& entries, Classify classify,
              const std::string& what) {
  for (const Danger danger : {Danger::kOpensAll, Danger::kOpensMore, Danger::kNone}) {
    std::vector<std::string> group;
    for (const std::string& entry : entries) {
      if (classify(entry) == danger) group.push_back(entry);
    }
    if (!group.empty()) speaker.Say(danger, what + speaker.Quoted(group));
  }
}

Danger DangerOfPath(const GrantSpeaker& speaker, const std::string& entry) {
  std::deque<std::string> strings;
  PathRule rule;
  (void)ParsePathEntry(entry, ListKind::kAllow, strings, &rule);
  if (rule.set == SetName::kAgentScratch) return Danger::kNone;
  if (rule.set == SetName::kNone && rule.base == RuleBase::kRoot) return Danger::kNone;
  return speaker.reach().OpensMost(entry) ? Danger::kOpensAll : Danger::kOpensMore;
}

Danger DangerOfTool(const std::string& entry) {
  if (ToolScopeOf(entry) != ToolScope::kSome) return Danger::kOpensAll;
  if (entry == "@session-tools" || entry == "@known-tools") return Danger::kNone;
  return EvaluateTool(entry, Policy{.agent = &ClaudeCode()}).verdict == Verdict::kPermit
             ? Danger::kNone
             : Danger::kOpensMore;
}

Danger DangerOfHost(const std::string& entry) {
  if (entry == "@agent-hosts") return Danger::kNone;
  const Result<HostRule> rule = ParseHostRule(LowerAscii(entry));
  return rule && rule->any ? Danger::kOpensAll : Danger::kOpensMore;
}

void SayPaths(GrantSpeaker& s, const std::vector<std::string>& entries, const std::string& what) {
  SayLists(
      s, entries, [&](const std::string& entry) { return DangerOfPath(s, entry); }, what);
}

// An entry that names a location permits it after a question. A set, or an entry for any directory,
// only adds a question about what is permitted anyway.
void SayAsk(GrantSpeaker& speaker, const JsonNode& node, const std::string& verb) {
  std::vector<std::string> places;
  std::vector<std::string> questions;
  for (const std::string& entry : speaker.Entries(node)) {
    std::deque<std::string> strings;
    PathRule rule;
    (void)ParsePathEntry(entry, ListKind::kAsk, strings, &rule);
    const bool only_asks = rule.set != SetName::kNone || rule.base == RuleBase::kAnywhere;
    (only_asks ? questions : places).push_back(entry);
  }
  SayPaths(speaker, places, "May be " + verb + " after a question: ");
  if (questions.empty()) return;
  speaker.Say(Danger::kNone,
              "The user is asked before these are " + verb + ": " + speaker.Quoted(questions));
}

// The sentences about keys whose value selects one of a few.
struct Sentence {
  std::string_view key;
  std::string_view value;  // "true" of a switch; "" for every other value
  Danger danger;
  const char* says;
};
constexpr Sentence kSentences[] = {
    {"/root", "", Danger::kOpensMore, "The project is the whole repository around it."},
    {"/network/unlisted", "allow", Danger::kOpensAll,
     "Every host that is not denied may be reached, and confined commands get the network of this "
     "machine."},
    {"/network/unlisted", "ask", Danger::kOpensMore,
     "Hosts that are not listed may be reached after a question."},
    {"/network/unlisted", "", Danger::kNone, "Hosts that are not listed are refused."},
    {"/bash/unsandboxed", "ask", Danger::kOpensAll,
     "Commands may leave the client's sandbox after a question."},
    {"/bash/unsandboxed", "", Danger::kNone, "Commands may not leave the client's sandbox."},
    {"/bash/wrap", "true", Danger::kNone, "Commands are run in the sandbox of ringfence."},
    {"/bash/wrap", "", Danger::kNone, "Commands are not run in the sandbox of ringfence."},
    {"/permitted", "allow", Danger::kOpensAll,
     "What is permitted runs without the client's own question."},
    {"/permitted", "", Danger::kNone, "The client asks its own questions."},
    {"/sandbox/mode", "rwx", Danger::kOpensAll,
     "Commands are not confined: ringfence's sandbox is off."},
    {"/sandbox/mode", "rx", Danger::kNone, "Commands may not write."},
    {"/sandbox/mode", "", Danger::kOpensMore, "Commands may write what the lists permit."},
    {"/sandbox/layers", "landlock", Danger::kOpensAll,
     "Commands get the weaker sandbox, without namespaces."},
    {"/sandbox/layers", "", Danger::kNone, "Commands get the whole sandbox."},
    {"/sandbox/missing", "warn", Danger::kOpensAll,
     "Where a sandbox cannot be set up, commands run without it."},
    {"/sandbox/missing", "", Danger::kNone,
     "Where a sandbox cannot be set up, commands do not run."},
    {"/sandbox/reads", "all", Danger::kOpensMore,
     "Commands may read every file that is not denied."},
    {"/sandbox/reads", "", Danger::kNone, "Commands may read only what is listed."},
    {"/audit/required", "true", Danger::kNone, "What cannot be logged is refused."},
    {"/audit/required", "", Danger::kOpensMore, "What cannot be logged is permitted."},
    {"/alerts/enabled", "true", Danger::kNone, "Alerts are on."},
    {"/alerts/enabled", "", Danger::kOpensMore, "Alerts are off."},
};

void SaySentence(GrantSpeaker& s, const JsonNode& n) {
  const std::string_view value = n.kind == JsonTree::Kind::kTrue ? "true" : n.content();
  for (const Sentence& one : kSentences) {
    const bool fits = one.value.empty() || one.value == value;
    if (fits && s.key().ends_with(one.key)) return s.Say(one.danger, one.says);
  }
}

// One function for each other key, for the rows of the table below.

void ToolsAllow(GrantSpeaker& s, const JsonNode& n) {
  SayLists(s, s.Entries(n), DangerOfTool, "May be called: ");
}
void ToolsAsk(GrantSpeaker& s, const JsonNode& n) {
  SayLists(s, s.Entries(n), DangerOfTool, "May be called after a question: ");
}
void ReadAllow(GrantSpeaker& s, const JsonNode& n) { SayPaths(s, s.Entries(n), "May be read: "); }
void ReadAsk(GrantSpeaker& s, const JsonNode& n) { SayAsk(s, n, "read"); }
void WriteAllow(GrantSpeaker& s, const JsonNode& n) {
  SayPaths(s, s.Entries(n), "May be written: ");
}
void WriteAsk(GrantSpeaker& s, const JsonNode& n) { SayAsk(s, n, "written"); }
void PackageStores(GrantSpeaker& s, const JsonNode& n) {
  if (s.Entries(n).empty()) return;  // node_modules is one without it
  s.Say(Danger::kOpensMore,
        "No question about files with several hard links, and about those that run code later, in "
        "directories called " +
            s.Quoted(s.Entries(n)));
}
void NetworkAllow(GrantSpeaker& s, const JsonNode& n) {
  SayLists(s, s.Entries(n), DangerOfHost, "Hosts that may be reached: ");
}
void NetworkInspect(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kNone, "Requests to these hosts are to be opened by a proxy: " + s.Raw(n));
}
void Mcp(GrantSpeaker& s, const JsonNode& n) {
  if (n.first_child == JsonTree::kNone) {
    return s.Say(Danger::kOpensAll, "No argument of these MCP tools is checked: " + s.NameOf(n));
  }
  s.Say(Danger::kOpensMore,
        "Of these MCP tools, only the arguments that are named are checked: " + s.NameOf(n));
}
void McpRead(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kOpensMore,
        "Arguments of " + s.ParentNameOf(n) + " that count as reads: " + s.Quoted(s.Entries(n)));
}
void McpWrite(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kNone,
        "Arguments of " + s.ParentNameOf(n) + " that count as writes: " + s.Quoted(s.Entries(n)));
}
void SandboxEnv(GrantSpeaker& s, const JsonNode& n) {
  if (s.Entries(n).empty()) return s.Say(Danger::kNone, "Commands see no variable.");
  s.Say(Danger::kOpensMore, "Commands see these variables: " + s.Quoted(s.Entries(n)));
}
void Stage(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kOpensMore,
        "For staged changes, which this version does not have: " + s.NameOf(n) + ": " + s.Raw(n));
}
void AuditFile(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kOpensAll, "Decisions are logged to another file: " + Quote(n.content(), 80));
}
void AuditRotate(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kNone, "The log is rotated at " + Quote(n.content(), 80));
}
void AuditSystemLog(GrantSpeaker& s, const JsonNode& n) {
  if (n.content() == "off") {
    return s.Say(Danger::kOpensMore, "Digests of the log do not go to the system's log.");
  }
  s.Say(Danger::kNone, "To the system's log go: " + Quote(n.content(), 80));
}
void AlertsInbox(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kOpensMore, "Alerts are written to " + Quote(n.content(), 80));
}
void AlertsField(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kNone, "Each alert holds " + s.NameOf(n) + ": " + s.Raw(n));
}
void Say_(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kOpensMore, "Each refusal tells the agent: " + Quote(n.content()));
}
void PermissionMode(GrantSpeaker& s, const JsonNode& n) {
  const bool asks_nothing = n.content() == "bypassPermissions" || n.content() == "dontAsk";
  s.Say(asks_nothing ? Danger::kOpensAll : Danger::kOpensMore,
        "The client is to be started in the mode " + Quote(n.content(), 80));
}
void Denies(GrantSpeaker& s, const JsonNode& n) {
  const std::vector<std::string> entries = s.Entries(n);
  if (entries.empty()) return;  // denials add up: a project's empty list removes none
  s.Say(Danger::kNone, "Refused: " + s.Quoted(entries));
}
void Limit(GrantSpeaker& s, const JsonNode& n) {
  s.Say(Danger::kNone, "Commands are limited: " + s.NameOf(n) + " " + s.Raw(n));
}
void Nothing(GrantSpeaker&, const JsonNode&) {}

// Returns the JSON text with one space in place of the white space between values.
std::string OnOneLine(std::string_view json) {
  std::string line;
  bool is_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    const bool is_space = !is_text && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
    if (is_space && (line.ends_with(' ') || line.ends_with('[') || line.ends_with('{'))) continue;
    const bool closes = !is_text && (c == ']' || c == '}');
    if (closes && line.ends_with(' ')) line.pop_back();
    line += is_space ? ' ' : c;
    if (c == '"') is_text = !is_text;
    if (is_text && c == '\\' && i + 1 < json.size()) line += json[++i];
  }
  return line;
}

constexpr GrantRow kRows[] = {
    {"/$schema", Nothing},
    {"/version", Nothing},
    {"/root", SaySentence},
    {"/tools/allow", ToolsAllow},
    {"/tools/ask", ToolsAsk},
    {"/tools/deny", Denies},
    {"/read/allow", ReadAllow},
    {"/read/ask", ReadAsk},
    {"/read/deny", Denies},
    {"/write/allow", WriteAllow},
    {"/write/ask", WriteAsk},
    {"/write/deny", Denies},
    {"/write/package_stores", PackageStores},
    {"/network/allow", NetworkAllow},
    {"/network/deny", Denies},
    {"/network/unlisted", SaySentence},
    {"/network/inspect", NetworkInspect},
    {"/bash/unsandboxed", SaySentence},
    {"/bash/wrap", SaySentence},
    {"/permitted", SaySentence},
    {"/mcp/*", Mcp},
    {"/mcp/*/read", McpRead},
    {"/mcp/*/write", McpWrite},
    {"/sandbox/mode", SaySentence},
    {"/sandbox/layers", SaySentence},
    {"/sandbox/missing", SaySentence},
    {"/sandbox/reads", SaySentence},
    {"/sandbox/memory", Limit},
    {"/sandbox/processes", Limit},
    {"/sandbox/cpus", Limit},
    {"/sandbox/io", Limit},
    {"/sandbox/env", SandboxEnv},
    {"/stage/verify", Stage},
    {"/stage/commands/sandbox", Stage},
    {"/stage/commands/auto_apply", Stage},
    {"/stage/commands/trusted", Stage},
    {"/audit/file", AuditFile},
    {"/audit/rotate", AuditRotate},
    {"/audit/required", SaySentence},
    {"/audit/system_log", AuditSystemLog},
    {"/alerts/enabled", SaySentence},
    {"/alerts/inbox", AlertsInbox},
    {"/alerts/fields/*", AlertsField},
    {"/denied/say", Say_},
    {"/client/permission_mode", PermissionMode},
};

}  // namespace

std::vector<std::string> GrantSpeaker::Entries(const JsonNode& list) const {
  std::vector<std::string> entries;
  for (JsonTree::Index i = list.first_child; i != JsonTree::kNone; i = tree_.node(i).next) {
    entries.emplace_back(tree_.node(i).content());
  }
  return entries;
}

std::string GrantSpeaker::Quoted(const std::vector<std::string>& entries) const {
  const size_t count = std::min(entries.size(), reader_.longest_list);
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + Quote(entries[i], 80);
  if (count == entries.size()) return text;
  return text + " and " + std::to_string(entries.size() - count) + " more: see the file";
}

std::string GrantSpeaker::Raw(const JsonNode& node) const {
  const std::string_view text =
      std::string_view(tree_.text()).substr(node.begin, node.end - node.begin);
  return Printable(CutText(OnOneLine(text), 200));
}

std::string GrantSpeaker::NameOf(const JsonNode& node) const {
  return Quote(tree_.KeyOf(node), 80);
}

std::string GrantSpeaker::ParentNameOf(const JsonNode& node) const {
  return NameOf(tree_.node(node.parent));
}

const GrantRow* GrantRowFor(std::string_view key) {
  const auto fits = [&](const GrantRow& row) {
    std::string_view pattern = row.key.substr(1);
    std::string_view rest = key.substr(std::min<size_t>(1, key.size()));
    while (!pattern.empty() || !rest.empty()) {
      const std::string_view wanted = TakeComponent(pattern);
      const std::string_view name = TakeComponent(rest);
      if (name.empty() || (wanted != "*" && wanted != name)) return false;
    }
    return true;
  };
  const auto row = std::ranges::find_if(kRows, fits);
  return row == std::end(kRows) ? nullptr : row;
}

bool HasGrantRowBelow(std::string_view key) {
  return std::ranges::any_of(kRows, [&](const GrantRow& row) {
    std::string_view pattern = row.key.substr(1);
    std::string_view rest = key.substr(std::min<size_t>(1, key.size()));
    while (!rest.empty()) {
      const std::string_view wanted = TakeComponent(pattern);
      const std::string_view name = TakeComponent(rest);
      if (wanted.empty() || (wanted != "*" && wanted != name)) return false;
    }
    return !pattern.empty();
  });
}

}  // namespace ringfence
