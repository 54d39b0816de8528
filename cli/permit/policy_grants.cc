#include "cli/permit/policy_grants.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "agents/claude/agent.h"
#include "base/json_pointer.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/common/markup.h"
#include "cli/common/wide_host.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/rules/domain.h"
#include "policy/rules/path_entry.h"

namespace ringfence {
namespace {

// The danger of one entry of a list; nothing if the row does not describe the entry.
using EntryDanger = std::optional<Danger>;

PathRule RuleOfEntry(const std::string& entry, ListKind kind, std::deque<std::string>& strings) {
  PathRule rule;
  (void)ParsePathEntry(entry, kind, strings, &rule);
  return rule;
}

EntryDanger DangerOfPath(const GrantReader& reader, const std::string& entry) {
  std::deque<std::string> strings;
  const PathRule rule = RuleOfEntry(entry, ListKind::kAllow, strings);
  if (rule.set == SetName::kAgentScratch) return Danger::kNone;
  if (rule.set == SetName::kNone && rule.base == RuleBase::kRoot) return Danger::kNone;
  return reader.reach.OpensMost(entry) ? Danger::kOpensAll : Danger::kOpensMore;
}

// True for a set, or an entry for any directory: in an "ask" list it only adds a question about
// what is permitted anyway. An entry that names a location permits it after a question.
bool OnlyAsks(const std::string& entry) {
  std::deque<std::string> strings;
  const PathRule rule = RuleOfEntry(entry, ListKind::kAsk, strings);
  return rule.set != SetName::kNone || rule.base == RuleBase::kAnywhere;
}

EntryDanger DangerOfAskedPath(const GrantReader& reader, const std::string& entry) {
  return OnlyAsks(entry) ? std::nullopt : DangerOfPath(reader, entry);
}

EntryDanger DangerOfQuestion(const GrantReader&, const std::string& entry) {
  return OnlyAsks(entry) ? EntryDanger(Danger::kNone) : std::nullopt;
}

// Denials add up: a project's empty list removes none, and is not described.
EntryDanger DangerOfDenied(const GrantReader&, const std::string&) { return Danger::kNone; }

EntryDanger DangerOfTool(const GrantReader&, const std::string& entry) {
  if (ToolScopeOf(entry) != ToolScope::kSome) return Danger::kOpensAll;
  if (entry == "@session-tools" || entry == "@known-tools") return Danger::kNone;
  return EvaluateTool(entry, Policy{.agent = &ClaudeCode()}).verdict == Verdict::kPermit
             ? Danger::kNone
             : Danger::kOpensMore;
}

EntryDanger DangerOfHost(const GrantReader&, const std::string& entry) {
  if (entry == "@agent-hosts") return Danger::kNone;
  return WideHostText(entry).empty() ? Danger::kOpensMore : Danger::kOpensAll;
}

// Describes a value of the key. Of several rows of a key, those with `danger_of` describe the
// entries of a list, in one sentence for each level of danger; of the others, the first whose value
// fits counts. An object whose members have rows needs no row.
struct GrantRow {
  std::string_view key;    // "/write/allow"; "*" matches any name
  std::string_view value;  // "true" of a switch; "[]" of an empty list; "" for every other value
  Danger danger;
  // The sentence, "" for none. {{name}} is the key's last part, {{parent}} the part before that,
  // {{entries}} those of a list, {{text}} and {{say}} a short and a long string, and {{raw}} the
  // value as written.
  std::string_view says;
  EntryDanger (*danger_of)(const GrantReader&, const std::string&) = nullptr;
};

constexpr const char* kStartsIn = "The client starts in the mode {{text}}";

constexpr GrantRow kRows[] = {
    {"/$schema", "", Danger::kNone, ""},
    {"/version", "", Danger::kNone, ""},
    {"/root", "", Danger::kOpensMore, "The project is the whole repository around it."},
    {"/tools/allow", "", Danger::kNone, "May be called: ", DangerOfTool},
    {"/tools/ask", "", Danger::kNone, "May be called after a question: ", DangerOfTool},
    {"/tools/deny", "", Danger::kNone, "Refused: ", DangerOfDenied},
    {"/read/allow", "", Danger::kNone, "May be read: ", DangerOfPath},
    {"/read/ask", "", Danger::kNone, "The user is asked before this is read: ", DangerOfAskedPath},
    {"/read/ask", "", Danger::kNone, "The user is asked before these are read: ", DangerOfQuestion},
    {"/read/deny", "", Danger::kNone, "Refused: ", DangerOfDenied},
    {"/write/allow", "", Danger::kNone, "May be written: ", DangerOfPath},
    {"/write/ask", "", Danger::kNone, "May be written after a question: ", DangerOfAskedPath},
    {"/write/ask", "", Danger::kNone,
     "The user is asked before these are written: ", DangerOfQuestion},
    {"/write/deny", "", Danger::kNone, "Refused: ", DangerOfDenied},
    {"/write/package_stores", "[]", Danger::kNone, ""},  // node_modules is one without it
    {"/write/package_stores", "", Danger::kOpensMore,
     "No question about files with several hard links, and about those that run code later, in "
     "directories called {{entries}}"},
    {"/network/allow", "", Danger::kNone, "Hosts that may be reached: ", DangerOfHost},
    {"/network/deny", "", Danger::kNone, "Refused: ", DangerOfDenied},
    {"/network/unlisted", "allow", Danger::kOpensAll,
     "Every host that is not denied may be reached, and confined commands get the network of this "
     "machine."},
    {"/network/unlisted", "ask", Danger::kOpensMore,
     "Hosts that are not listed may be reached after a question."},
    {"/network/unlisted", "", Danger::kNone, "Hosts that are not listed are refused."},
    {"/network/private/*", "", Danger::kOpensMore,
     "{{name}} may lead to these addresses of the user's own networks: {{entries}}"},
    {"/network/upstream", "", Danger::kOpensAll, "Connections go through the proxy {{text}}"},
    {"/network/inspect", "", Danger::kNone,
     "A proxy is to decrypt requests to these hosts: {{raw}}"},
    {"/bash/unsandboxed", "ask", Danger::kOpensAll,
     "Commands may leave the client's sandbox after a question."},
    {"/bash/unsandboxed", "", Danger::kNone, "Commands may not leave the client's sandbox."},
    {"/bash/wrap", "true", Danger::kNone, "Commands are run in the sandbox of ringfence."},
    {"/bash/wrap", "", Danger::kNone, "Commands are not run in the sandbox of ringfence."},
    {"/permitted", "allow", Danger::kOpensAll, "Permitted calls skip the client's own question."},
    {"/permitted", "", Danger::kNone, "The client asks its own questions."},
    {"/mcp/*", "[]", Danger::kOpensAll, "No argument of these MCP tools is checked: {{name}}"},
    {"/mcp/*", "", Danger::kOpensMore,
     "Of these MCP tools, only the arguments that are named are checked: {{name}}"},
    {"/mcp/*/read", "", Danger::kOpensMore,
     "Arguments of {{parent}} that count as reads: {{entries}}"},
    {"/mcp/*/write", "", Danger::kNone,
     "Arguments of {{parent}} that count as writes: {{entries}}"},
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
    {"/sandbox/memory", "", Danger::kNone, "Commands are limited: {{name}} {{raw}}"},
    {"/sandbox/processes", "", Danger::kNone, "Commands are limited: {{name}} {{raw}}"},
    {"/sandbox/cpus", "", Danger::kNone, "Commands are limited: {{name}} {{raw}}"},
    {"/sandbox/io", "", Danger::kNone, "Commands are limited: {{name}} {{raw}}"},
    {"/sandbox/env", "[]", Danger::kNone, "Commands see no variable."},
    {"/sandbox/env", "", Danger::kOpensMore, "Commands see these variables: {{entries}}"},
    {"/stage/verify", "", Danger::kOpensMore,
     "Run in the sandbox to check merged changes: {{raw}}"},
    {"/stage/buffer", "", Danger::kNone, "Changes in stages are kept in: {{text}}"},
    {"/stage/buffer_size", "", Danger::kNone, "Limit of a stage in memory: {{raw}}"},
    {"/stage/keep_days", "", Danger::kNone, "Applied stages are kept for days: {{raw}}"},
    {"/stage/keep_size", "", Danger::kNone, "Applied stages are kept up to: {{raw}}"},
    {"/stage/commands/sandbox", "true", Danger::kNone, "Commands in a stage are confined."},
    {"/stage/commands/sandbox", "", Danger::kNone, "Commands cannot be run in a stage."},
    {"/stage/commands/auto_apply", "true", Danger::kOpensAll,
     "What a staged command has changed is applied without a question."},
    {"/stage/commands/auto_apply", "", Danger::kNone,
     "The user is asked before changes of a staged command are applied."},
    {"/stage/commands/auto_apply_trusted", "true", Danger::kNone,
     "What a trusted command has changed is applied without a question."},
    {"/stage/commands/auto_apply_trusted", "", Danger::kNone,
     "The user is asked before changes of a trusted command are applied."},
    {"/stage/commands/trusted", "", Danger::kOpensMore, "Trusted commands in stages: {{entries}}"},
    {"/stage/commands/show_diff_threshold", "", Danger::kNone,
     "The diff is shown before the question if the preview has more lines than {{raw}}"},
    {"/audit/file", "", Danger::kOpensAll, "Decisions are logged to another file: {{text}}"},
    {"/audit/rotate", "", Danger::kNone, "The log is rotated at {{text}}"},
    {"/audit/required", "true", Danger::kNone, "Calls that cannot be logged are refused."},
    {"/audit/required", "", Danger::kOpensMore, "Calls that cannot be logged are permitted."},
    {"/audit/system_log", "off", Danger::kOpensMore,
     "Digests of the log do not go to the system's log."},
    {"/audit/system_log", "", Danger::kNone, "Sent to the system's log: {{text}}"},
    {"/alerts/enabled", "true", Danger::kNone, "Alerts are on."},
    {"/alerts/enabled", "", Danger::kOpensMore, "Alerts are off."},
    {"/alerts/inbox", "", Danger::kOpensMore, "Alerts are written to {{text}}"},
    {"/alerts/fields/*", "", Danger::kNone, "Each alert holds {{name}}: {{raw}}"},
    {"/denied/say", "", Danger::kOpensMore, "Each refusal tells the agent: {{say}}"},
    {"/client/permission_mode", "bypassPermissions", Danger::kOpensAll, kStartsIn},
    {"/client/permission_mode", "dontAsk", Danger::kOpensAll, kStartsIn},
    {"/client/permission_mode", "", Danger::kOpensMore, kStartsIn},
};

// True if the row is about `key` or, with `below`, about a member of it, at any depth.
bool IsAbout(const GrantRow& row, std::string_view key, bool below) {
  std::string_view pattern = row.key;
  while (!key.empty()) {
    const std::string_view wanted = TakeComponent(pattern);
    const std::string_view name = TakeComponent(key);
    if (wanted.empty() || name.empty() || (wanted != "*" && wanted != name)) return false;
  }
  return pattern.empty() != below;
}

bool HasGrantRow(std::string_view key, bool below) {
  return std::ranges::any_of(kRows, [&](const GrantRow& row) { return IsAbout(row, key, below); });
}

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

// The part of the file that a description is about. A profile that an event chooses only narrows.
struct Frame {
  std::string prefix;  // "In profile "x": "
  std::string pointer;
  bool only_narrows = false;
};

class Reader {
 public:
  Reader(const PolicyFile& file, const GrantReader& reader)
      : file_(file), tree_(*file.tree), reader_(reader) {}

  std::vector<GrantText> Run() {
    Members(tree_.root(), "");
    std::ranges::stable_sort(said_, {}, &GrantText::danger);
    return std::move(said_);
  }

 private:
  void Members(const JsonNode& object, const std::string& key) {
    for (const JsonNode& node : tree_.ChildrenOf(object)) {
      const std::string name(tree_.KeyOf(node));
      const bool is_top = key.empty() && frame_.pointer.empty();
      if (is_top && name == "profiles") {
        Profiles(node);
      } else if (!(key.empty() && !is_top && name == "when")) {
        std::string pointer = std::string(key) + "/";
        AppendPointerKey(pointer, name);
        Value(node, pointer);
      }
    }
  }

  void Value(const JsonNode& node, const std::string& key) {
    const bool has_members = node.kind == JsonTree::Kind::kObject && HasGrantRow(key, true);
    if (HasGrantRow(key, false)) {
      SayRows(node, key);
    } else if (!has_members) {
      Say(Danger::kOpensAll, key, "Sets " + Quote(key, 80) + " to " + Raw(node));
    }
    if (has_members) Members(node, key);
  }

  void SayRows(const JsonNode& node, const std::string& key) {
    const bool is_list =
        node.kind == JsonTree::Kind::kArray || node.kind == JsonTree::Kind::kObject;
    const std::string_view value = node.kind == JsonTree::Kind::kTrue ? "true"
                                   : is_list && node.first_child == JsonTree::kNone
                                       ? "[]"
                                       : node.content();
    for (const GrantRow& row : kRows) {
      if (!IsAbout(row, key, false) || (!row.value.empty() && row.value != value)) continue;
      if (row.danger_of == nullptr) return Say(row.danger, key, Sentence(row, node));
      SayEntries(row, key, EntriesIn(node));
    }
  }

  // Describes the entries in one sentence for each level of danger.
  void SayEntries(const GrantRow& row, const std::string& key,
                  const std::vector<std::string>& entries) {
    for (const Danger danger : {Danger::kOpensAll, Danger::kOpensMore, Danger::kNone}) {
      std::vector<std::string> group;
      for (const std::string& entry : entries) {
        if (row.danger_of(reader_, entry) == danger) group.push_back(entry);
      }
      if (!group.empty()) Say(danger, key, std::string(row.says) + Quoted(group));
    }
  }

  void Say(Danger danger, const std::string& key, const std::string& text) {
    if (text.empty()) return;
    said_.push_back(
        {frame_.only_narrows ? Danger::kNone : danger, frame_.pointer + key, frame_.prefix + text});
  }

  std::string Sentence(const GrantRow& row, const JsonNode& node) const {
    const auto name = [&](const JsonNode& named) { return Quote(tree_.KeyOf(named), 80); };
    const Slot slots[] = {{"name", name(node)},
                          {"parent", name(tree_.node(node.parent))},
                          {"entries", Quoted(EntriesIn(node))},
                          {"text", Quote(node.content(), 80)},
                          {"say", Quote(node.content())},
                          {"raw", Raw(node)}};
    return Fill(row.says, slots);
  }

  std::vector<std::string> EntriesIn(const JsonNode& list) const {
    std::vector<std::string> entries;
    for (const JsonNode& entry : tree_.ChildrenOf(list)) entries.emplace_back(entry.content());
    return entries;
  }

  // Returns the entries on one line, at most `GrantReader::longest_list` of them.
  std::string Quoted(const std::vector<std::string>& entries) const {
    const size_t count = std::min(entries.size(), reader_.longest_list);
    std::string text;
    for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + Quote(entries[i], 80);
    if (count == entries.size()) return text;
    return text + " and " + std::to_string(entries.size() - count) + " more: see the file";
  }

  // Returns the value as written, shortened and on one line.
  std::string Raw(const JsonNode& node) const {
    const std::string_view text =
        std::string_view(tree_.text()).substr(node.begin, node.end - node.begin);
    return Printable(CutText(OnOneLine(text), 200));
  }

  void Profiles(const JsonNode& profiles) {
    size_t position = 0;
    for (const JsonNode& node : tree_.ChildrenOf(profiles)) {
      const Profile& profile = file_.profiles[position++];
      frame_ = {"In profile " + Quote(profile.name, 80), "/profiles/" + std::string(profile.name),
                profile.when && profile.when->is_chosen_by_event()};
      if (frame_.only_narrows) {
        frame_.prefix += ", which can only narrow";
      } else if (profile.when && profile.when->root) {
        const JsonNode* root = tree_.Find(*tree_.Find(node, "when"), "root");
        frame_.prefix += ", for projects below " + Quote(root->content(), 80);
      }
      frame_.prefix += ": ";
      Members(node, "");
    }
    frame_ = {};
  }

  const PolicyFile& file_;
  const JsonTree& tree_;
  const GrantReader& reader_;
  Frame frame_;
  std::vector<GrantText> said_;
};

}  // namespace

std::vector<GrantText> GrantsOf(const PolicyFile& file, const GrantReader& reader) {
  return Reader(file, reader).Run();
}

bool HasWordsFor(const std::string& key) {
  return HasGrantRow(key, false) || HasGrantRow(key, true);
}

}  // namespace ringfence
