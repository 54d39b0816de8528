#include "hook/session_text.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "policy/client_settings.h"
#include "policy/sets.h"

namespace ringfence {
namespace {

constexpr size_t kMaxNamed = 12;  // entries that one line names

// "a", "b" and 3 more.
class WordList {
 public:
  void Add(const std::string& word) {
    if (std::ranges::find(words_, word) == words_.end()) words_.push_back(word);
  }
  bool is_empty() const { return words_.empty(); }
  std::string text() const {
    std::string text;
    for (size_t i = 0; i < std::min(words_.size(), kMaxNamed); ++i) {
      if (i > 0) text += ", ";
      text += words_[i];
    }
    if (words_.size() > kMaxNamed) {
      text += " and " + std::to_string(words_.size() - kMaxNamed) + " more";
    }
    return text;
  }

 private:
  std::vector<std::string> words_;
};

std::string RuleWord(const PathRule& rule) {
  if (rule.set != SetName::kNone) {
    const std::string_view name = SetText(rule.set);
    const PathSet* set = FindPathSet(name);
    return std::string(name) + (set == nullptr ? "" : " (" + std::string(set->what) + ")");
  }
  return rule.tail.empty() && rule.base == RuleBase::kRoot ? "the project" : Quote(rule.written());
}

std::string Words(const PathRuleList& rules) {
  WordList words;
  for (const std::span<const PathRule> list : rules) {
    for (const PathRule& rule : list) {
      if (rule.is_quotable()) words.Add(RuleWord(rule));
    }
  }
  return words.text();
}

void AppendLine(std::string& text, std::string_view label, const std::string& words) {
  if (!words.empty()) text += "- " + std::string(label) + words + ".\n";
}

void AppendPaths(std::string& text, const PathRules& rules, std::string_view verb) {
  for (const PathRuleList& list : rules.allow) {
    const bool first = &list == &rules.allow.front();
    AppendLine(text, std::string(verb) + (first ? " only: " : ", and of that only: "), Words(list));
  }
  AppendLine(text, std::string(verb) + " never: ", Words(rules.deny));
  AppendLine(text, std::string(verb) + " after the user agreed: ", Words(rules.ask));
}

void AppendTools(std::string& text, const ToolRules& rules) {
  WordList denied;
  for (const NameRule& rule : rules.deny) {
    if (rule.place.quotable) denied.Add(Quote(rule.pattern));
  }
  AppendLine(text, "Tools that are refused: ", denied.text());
  WordList mcp;
  for (const NameRule& rule : rules.names) {
    if (rule.pattern.starts_with("mcp__")) mcp.Add(Quote(rule.pattern));
  }
  text += mcp.is_empty() ? "- MCP tools are refused; none is named in the policy.\n"
                         : "- MCP tools that may be called: " + mcp.text() + ".\n";
}

void AppendNetwork(std::string& text, const Policy& policy) {
  if (!policy.network) return;
  for (const HostList& list : policy.network->lists) {
    if (list.unlisted == Unlisted::kAllow) continue;
    WordList hosts;
    for (const HostRule& rule : list.allow) {
      if (rule.place.quotable) hosts.Add(Quote(rule.written));
    }
    AppendLine(text,
               list.unlisted == Unlisted::kAsk ? "Hosts that are not asked about: "
                                               : "Hosts that may be reached: ",
               hosts.is_empty() ? "none" : hosts.text());
  }
}

std::string ModeLine(SandboxMode mode) {
  switch (mode) {
    case SandboxMode::kRx:
      return "- This run may read and execute, and change nothing in the project.\n";
    case SandboxMode::kSandbox:
      return "";
    case SandboxMode::kRwx:
      return "- This run is not confined by a sandbox; the rules above hold for tools all the "
             "same.\n";
  }
  return "";
}

// What the client's settings say about its own sandbox.
struct ClientSandbox {
  bool enabled = false;
  bool leaves_out_some = false;
  bool leaves_out_all = false;
  bool leaves_out_files = false;
};

ClientSandbox ClientSandboxOf(const std::vector<Path>& files) {
  ClientSandbox sandbox;
  std::optional<bool> enabled;  // of the strongest file that says it
  for (const Path& file : files) {
    Result<PolicyBytes> bytes = ReadPolicyBytes(file.text());
    if (!bytes || bytes->missing) continue;
    const ClientSettings settings =
        ParseClientSettings(std::move(bytes->text), file.text(), file.text());
    if (!settings.drops.empty()) continue;  // the client drops it as a whole
    if (!enabled) enabled = settings.Flag("/sandbox/enabled");
    sandbox.leaves_out_files |= settings.Flag("/sandbox/filesystem/disabled") == true;
    if (const auto* commands = settings.Texts("/sandbox/excludedCommands")) {
      sandbox.leaves_out_some |= !commands->empty();
      sandbox.leaves_out_all |= std::ranges::find(*commands, "*") != commands->end();
    }
  }
  sandbox.enabled = enabled.value_or(false);
  return sandbox;
}

}  // namespace

std::string BashConfinement(const Places& places) {
  // From the strongest to the weakest, as the client merges them.
  std::vector<Path> files{Path::Clean("/etc/claude-code/managed-settings.json"),
                          places.root.Child(".claude").Child("settings.local.json"),
                          places.root.Child(".claude").Child("settings.json")};
  for (const Path& folder : places.settings_folders) files.push_back(folder.Child("settings.json"));
  if (places.settings_folders.empty()) {  // CLAUDE_CONFIG_DIR stands for ~/.claude
    for (const Path& home : places.homes) {
      files.push_back(home.Child(".claude").Child("settings.json"));
    }
  }
  const ClientSandbox sandbox = ClientSandboxOf(files);
  if (!sandbox.enabled || sandbox.leaves_out_all || sandbox.leaves_out_files) return "";
  return sandbox.leaves_out_some ? "the client's sandbox, but for those that its settings leave out"
                                 : "the client's sandbox";
}

std::string BoundaryText(const Policy& policy, const Ground& ground, SandboxMode mode) {
  const bool is_wrapped = policy.wrap_bash && mode != SandboxMode::kRwx;
  const std::string confinement = is_wrapped ? "ringfence's sandbox, with a /tmp of this session's"
                                             : BashConfinement(ground.places);
  std::string text =
      "ringfence enforces a policy on this session. A refused call says why; do not try to get "
      "around it, ask the user instead.\n"
      "- The project is " +
      Quote(ground.places.root.text()) + ".\n";
  AppendPaths(text, policy.read, "Read");
  AppendPaths(text, policy.write, "Write");
  text += "- Write never: the client's settings, hooks' registration and policies.\n";
  AppendTools(text, policy.tools);
  AppendNetwork(text, policy);
  text += policy.unsandboxed == Unsandboxed::kAsk
              ? "- \"dangerouslyDisableSandbox\" asks the user.\n"
              : "- \"dangerouslyDisableSandbox\" is refused.\n";
  text += confinement.empty()
              ? "- Commands that Bash starts are not confined by a sandbox here.\n"
              : "- Commands that Bash starts are confined by " + confinement + ".\n";
  text += ModeLine(mode);
  for (const std::string& note : ground.sources.notes) text += "- " + note + ".\n";
  if (!policy.say.empty()) text += "- When refused: " + Printable(policy.say) + "\n";
  return text;
}

}  // namespace ringfence
