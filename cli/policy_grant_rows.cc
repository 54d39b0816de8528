#include "cli/policy_grant_rows.h"

#include <algorithm>

#include "base/text.h"
#include "policy/path.h"

namespace ringfence {
namespace {

using Node = JsonTree::Node;

std::string Quoted(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "" : ", ") + Quote(entry, 80);
  return text;
}

// Says each group of the entries in one sentence: those that open all, more, and nothing new.
template <typename Classify>
void SayLists(GrantSpeaker& speaker, const std::vector<std::string>& entries, Classify classify,
              const std::string& what) {
  for (const Danger danger : {Danger::kOpensAll, Danger::kOpensMore, Danger::kNone}) {
    std::vector<std::string> group;
    for (const std::string& entry : entries) {
      if (classify(entry) == danger) group.push_back(entry);
    }
    if (!group.empty()) speaker.Say(danger, what + Quoted(group));
  }
}

bool IsAnyName(std::string_view name) {
  return name.find('*') != std::string_view::npos &&
         name.find_first_not_of("*?") == std::string_view::npos;
}

// "/", "/home", "~", "/**", "~/*": everything, or everything of a user.
Danger DangerOfPath(std::string_view entry) {
  if (entry.starts_with("@")) {
    return entry == "@claude-scratch" ? Danger::kNone : Danger::kOpensMore;
  }
  const bool is_outside = entry.starts_with('/') || entry.starts_with('~');
  if (!is_outside) return Danger::kNone;
  std::string_view rest = entry.starts_with("~") ? entry.substr(1) : entry;
  size_t names = entry.starts_with("~") ? 2 : 0;  // "~" is "/home/name"
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    if (IsAnyName(name)) break;
    ++names;
  }
  constexpr std::string_view kTops[] = {"/home", "/Users", "/root", "/etc", "/usr", "/var"};
  const bool is_of_all = std::ranges::any_of(kTops, [&](std::string_view top) {
    return entry.starts_with(top) && (entry.size() == top.size() || entry[top.size()] == '/');
  });
  const bool is_home =
      entry.starts_with("~") || entry.starts_with("/home/") || entry.starts_with("/Users/");
  const bool is_top = names == 0 || (names == 1 && is_of_all) || (names == 2 && is_home);
  return is_top ? Danger::kOpensAll : Danger::kOpensMore;
}

Danger DangerOfTool(std::string_view entry) {
  if (entry == "*" || entry.starts_with("mcp__*") || entry == "m*") return Danger::kOpensAll;
  const bool is_pattern = entry.find('*') != std::string_view::npos;
  return is_pattern || entry.starts_with("mcp__") ? Danger::kOpensMore : Danger::kNone;
}

Danger DangerOfHost(std::string_view entry) {
  if (entry == "*") return Danger::kOpensAll;
  return entry == "@agent-hosts" ? Danger::kNone : Danger::kOpensMore;
}

// An entry that names a place permits it after a question. A set, or an entry for any folder, only
// adds the question to what is permitted.
void SayAsk(GrantSpeaker& speaker, const Node& node, const std::string& verb) {
  std::vector<std::string> places;
  std::vector<std::string> questions;
  for (const std::string& entry : speaker.Entries(node)) {
    const bool only_asks = entry.starts_with('@') || entry.starts_with("**/");
    (only_asks ? questions : places).push_back(entry);
  }
  SayLists(speaker, places, DangerOfPath, "May be " + verb + " after a question: ");
  if (questions.empty()) return;
  speaker.Say(Danger::kNone,
              "The user is asked before these are " + verb + ": " + Quoted(questions));
}

// One function a key, as table rows below.

void Root(GrantSpeaker& s, const Node&) {
  s.Say(Danger::kOpensMore, "The project is the whole repository around it.");
}
void ToolsAllow(GrantSpeaker& s, const Node& n) {
  SayLists(s, s.Entries(n), DangerOfTool, "May be called: ");
}
void ToolsAsk(GrantSpeaker& s, const Node& n) {
  SayLists(s, s.Entries(n), DangerOfTool, "May be called after a question: ");
}
void ReadAllow(GrantSpeaker& s, const Node& n) {
  SayLists(s, s.Entries(n), DangerOfPath, "May be read: ");
}
void ReadAsk(GrantSpeaker& s, const Node& n) { SayAsk(s, n, "read"); }
void WriteAllow(GrantSpeaker& s, const Node& n) {
  SayLists(s, s.Entries(n), DangerOfPath, "May be written: ");
}
void WriteAsk(GrantSpeaker& s, const Node& n) { SayAsk(s, n, "written"); }
void PackageStores(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kOpensMore,
        "No question about files with several hard links, and about those that run code later, in "
        "folders called " +
            Quoted(s.Entries(n)));
}
void NetworkAllow(GrantSpeaker& s, const Node& n) {
  SayLists(s, s.Entries(n), DangerOfHost, "Hosts that may be reached: ");
}
void NetworkUnlisted(GrantSpeaker& s, const Node& n) {
  if (n.content() == "allow") {
    return s.Say(Danger::kOpensAll,
                 "Every host that is not denied may be reached, and confined commands get the "
                 "network of this machine.");
  }
  if (n.content() == "ask") {
    return s.Say(Danger::kOpensMore, "Hosts that are not listed may be reached after a question.");
  }
  s.Say(Danger::kNone, "Hosts that are not listed are refused.");
}
void NetworkInspect(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kNone, "Requests to these hosts are to be opened by a proxy: " + s.Raw(n));
}
void Unsandboxed_(GrantSpeaker& s, const Node& n) {
  if (n.content() == "ask") {
    return s.Say(Danger::kOpensAll, "Commands may leave the client's sandbox after a question.");
  }
  s.Say(Danger::kNone, "Commands may not leave the client's sandbox.");
}
void Wrap(GrantSpeaker& s, const Node& n) {
  const bool is_on = n.kind == JsonTree::Kind::kTrue;
  s.Say(Danger::kNone, is_on ? "Commands are run in the sandbox of ringfence."
                             : "Commands are not run in the sandbox of ringfence.");
}
void PermittedCalls(GrantSpeaker& s, const Node& n) {
  if (n.content() == "allow") {
    return s.Say(Danger::kOpensAll, "What is permitted runs without the client's own question.");
  }
  s.Say(Danger::kNone, "The client asks its own questions.");
}
void Mcp(GrantSpeaker& s, const Node& n) {
  if (n.first_child == JsonTree::kNone) {
    return s.Say(Danger::kOpensAll, "No argument of these MCP tools is checked: " + s.NameOf(n));
  }
  s.Say(Danger::kOpensMore,
        "Of these MCP tools, only the arguments that are named are checked: " + s.NameOf(n));
}
void McpRead(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kOpensMore,
        "Arguments of " + s.ParentNameOf(n) + " that count as reads: " + Quoted(s.Entries(n)));
}
void McpWrite(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kNone,
        "Arguments of " + s.ParentNameOf(n) + " that count as writes: " + Quoted(s.Entries(n)));
}
void SandboxModeWords(GrantSpeaker& s, const Node& n) {
  if (n.content() == "rwx") {
    return s.Say(Danger::kOpensAll, "Commands are not confined: ringfence's sandbox is off.");
  }
  if (n.content() == "rx") return s.Say(Danger::kNone, "Commands may not write.");
  s.Say(Danger::kOpensMore, "Commands may write what the lists permit.");
}
void SandboxLayersWords(GrantSpeaker& s, const Node& n) {
  if (n.content() == "landlock") {
    return s.Say(Danger::kOpensAll, "Commands get the weaker sandbox, without namespaces.");
  }
  s.Say(Danger::kNone, "Commands get the whole sandbox.");
}
void SandboxMissingWords(GrantSpeaker& s, const Node& n) {
  if (n.content() == "warn") {
    return s.Say(Danger::kOpensAll, "Where a sandbox cannot be set up, commands run without it.");
  }
  s.Say(Danger::kNone, "Where a sandbox cannot be set up, commands do not run.");
}
void SandboxReadsWords(GrantSpeaker& s, const Node& n) {
  if (n.content() == "all") {
    return s.Say(Danger::kOpensMore, "Commands may read every file that is not denied.");
  }
  s.Say(Danger::kNone, "Commands may read only what is listed.");
}
void SandboxEnv(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kOpensMore, "Commands see these variables: " + Quoted(s.Entries(n)));
}
void Stage(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kOpensMore,
        "For staged changes, which this version does not have: " + s.NameOf(n) + ": " + s.Raw(n));
}
void AuditFile(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kOpensAll, "Decisions are logged to another file: " + Quote(n.content(), 80));
}
void AuditRequired(GrantSpeaker& s, const Node& n) {
  const bool is_on = n.kind == JsonTree::Kind::kTrue;
  s.Say(is_on ? Danger::kNone : Danger::kOpensMore,
        is_on ? "What cannot be logged is refused." : "What cannot be logged is permitted.");
}
void AuditRotate(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kNone, "The log is rotated at " + Quote(n.content(), 80));
}
void AuditSystemLog(GrantSpeaker& s, const Node& n) {
  if (n.content() == "off") {
    return s.Say(Danger::kOpensMore, "Digests of the log do not go to the system's log.");
  }
  s.Say(Danger::kNone, "To the system's log go: " + Quote(n.content(), 80));
}
void AlertsEnabled(GrantSpeaker& s, const Node& n) {
  const bool is_on = n.kind == JsonTree::Kind::kTrue;
  s.Say(is_on ? Danger::kNone : Danger::kOpensMore, is_on ? "Alerts are on." : "Alerts are off.");
}
void AlertsInbox(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kOpensMore, "Alerts are written to " + Quote(n.content(), 80));
}
void AlertsField(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kNone, "Each alert holds " + s.NameOf(n) + ": " + s.Raw(n));
}
void Say_(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kOpensMore, "Each refusal tells the agent: " + Quote(n.content()));
}
void PermissionMode(GrantSpeaker& s, const Node& n) {
  const bool asks_nothing = n.content() == "bypassPermissions" || n.content() == "dontAsk";
  s.Say(asks_nothing ? Danger::kOpensAll : Danger::kOpensMore,
        "The client is to be started in the mode " + Quote(n.content(), 80));
}
void Denies(GrantSpeaker& s, const Node& n) {
  const std::vector<std::string> entries = s.Entries(n);
  if (entries.empty()) return;  // denials add up: a project's empty list takes nothing away
  s.Say(Danger::kNone, "Refused: " + Quoted(entries));
}
void Limit(GrantSpeaker& s, const Node& n) {
  s.Say(Danger::kNone, "Commands are limited: " + s.NameOf(n) + " " + s.Raw(n));
}
void Nothing(GrantSpeaker&, const Node&) {}

constexpr GrantRow kRows[] = {
    {"/$schema", Nothing},
    {"/version", Nothing},
    {"/root", Root},
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
    {"/network/unlisted", NetworkUnlisted},
    {"/network/inspect", NetworkInspect},
    {"/bash/unsandboxed", Unsandboxed_},
    {"/bash/wrap", Wrap},
    {"/permitted", PermittedCalls},
    {"/mcp/*", Mcp},
    {"/mcp/*/read", McpRead},
    {"/mcp/*/write", McpWrite},
    {"/sandbox/mode", SandboxModeWords},
    {"/sandbox/layers", SandboxLayersWords},
    {"/sandbox/missing", SandboxMissingWords},
    {"/sandbox/reads", SandboxReadsWords},
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
    {"/audit/required", AuditRequired},
    {"/audit/system_log", AuditSystemLog},
    {"/alerts/enabled", AlertsEnabled},
    {"/alerts/inbox", AlertsInbox},
    {"/alerts/fields/*", AlertsField},
    {"/denied/say", Say_},
    {"/client/permission_mode", PermissionMode},
};

}  // namespace

std::vector<std::string> GrantSpeaker::Entries(const Node& list) const {
  std::vector<std::string> entries;
  for (JsonTree::Index i = list.first_child; i != JsonTree::kNone; i = tree_.node(i).next) {
    entries.emplace_back(tree_.node(i).content());
  }
  return entries;
}

std::string GrantSpeaker::Raw(const Node& node) const {
  return Printable(CutText(tree_.text().substr(node.begin, node.end - node.begin), 200));
}

std::string GrantSpeaker::NameOf(const Node& node) const { return Quote(tree_.KeyOf(node), 80); }

std::string GrantSpeaker::ParentNameOf(const Node& node) const {
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
