#include "agents/claude/settings/settings.h"

#include <algorithm>
#include <cstdlib>

#include "agents/claude/settings/keys.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

std::string_view RawText(const JsonTree& tree, const JsonNode& node) {
  const std::string_view text = tree.text();
  return text.substr(node.begin, node.end - node.begin);
}

// Removes the white space between the tokens of JSON.
std::string Compact(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
    out.push_back(c);
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\' && i + 1 < json.size()) out.push_back(json[++i]);
  }
  return out;
}

bool IsTrue(const JsonTree& tree, const JsonNode& object, std::string_view key) {
  const JsonNode* node = tree.Find(object, key);
  return node != nullptr && node->kind == JsonKind::kTrue;
}

// Adds the strings of a list; for anything else, every value with its place:
// "source/url=https://...". Skips false and null, which request nothing.
void AddTexts(const JsonTree& tree, const JsonNode& node, const std::string& place,
              std::vector<std::string>& texts) {
  const bool is_true = node.kind == JsonKind::kTrue;
  if (is_true || node.kind == JsonKind::kString || node.kind == JsonKind::kNumber) {
    const std::string text(is_true ? "true" : node.content());
    texts.push_back(place.empty() ? text : place + "=" + text);
  }
  const bool is_list = node.kind == JsonKind::kArray;
  for (const JsonNode& child : tree.ChildrenOf(node)) {
    std::string below = place;
    if (!is_list) below += (place.empty() ? "" : "/") + std::string(tree.KeyOf(child));
    AddTexts(tree, child, below, texts);
  }
}

std::vector<std::string> AllTexts(const JsonTree& tree, const JsonNode& node) {
  std::vector<std::string> texts;
  AddTexts(tree, node, "", texts);
  return texts;
}

std::vector<std::string> ItemsOf(const JsonTree& tree, const JsonNode& list) {
  std::vector<std::string> items;
  for (const JsonNode& item : tree.ChildrenOf(list)) {
    items.push_back(Compact(RawText(tree, item)));
  }
  return items;
}

// Adds "/env/NAME" for each variable that makes programs run or load other code. The client
// converts any value to a string: true sets "true".
void ReadCodeVariables(const JsonTree& tree, ClientSettings& settings) {
  const JsonNode* env = NodeAt(tree, "/env");
  if (env == nullptr || env->kind != JsonKind::kObject) return;
  for (const JsonNode& value : tree.ChildrenOf(*env)) {
    const std::string_view name = tree.KeyOf(value);
    const std::string text = value.kind == JsonKind::kString ? std::string(value.content())
                                                             : Compact(RawText(tree, value));
    if (!IsCodeVariable(name) || IsUsualValue(name, text)) continue;
    settings.lists.push_back({std::string(kVariables) + std::string(name), {text}});
  }
}

HookEntry ReadEntry(const JsonTree& tree, const JsonNode& node) {
  HookEntry entry;
  entry.pointer = tree.Pointer(node);
  entry.place = tree.PlaceOf(node.begin);
  entry.type = tree.Text(node, "type");
  entry.command = tree.Text(node, "command");
  if (const JsonNode* args = tree.Find(node, "args")) {
    entry.is_exec_form = true;
    entry.args = AllTexts(tree, *args);
  }
  entry.blocks_on_failure = tree.Text(node, "onFailure") == "block";
  entry.is_async = IsTrue(tree, node, "async") || IsTrue(tree, node, "asyncRewake");
  if (const JsonNode* timeout = tree.Find(node, "timeout")) {
    entry.timeout = std::strtod(std::string(timeout->content()).c_str(), nullptr);
  }
  entry.is_conditional = tree.Find(node, "if") != nullptr || IsTrue(tree, node, "once");
  return entry;
}

void ReadGroup(const JsonTree& tree, const JsonNode& event, const JsonNode& group,
               std::vector<HookEntry>& hooks) {
  const JsonNode* entries = tree.Find(group, "hooks");
  if (entries == nullptr) return;
  for (const JsonNode& node : tree.ChildrenOf(*entries)) {
    HookEntry entry = ReadEntry(tree, node);
    entry.event = tree.KeyOf(event);
    entry.matcher = tree.Text(group, "matcher");
    entry.digest =
        Sha256Hex(entry.event + "\n" + entry.matcher + "\n" + Compact(RawText(tree, node)));
    hooks.push_back(std::move(entry));
  }
}

std::vector<HookEntry> ReadHooks(const JsonTree& tree) {
  std::vector<HookEntry> hooks;
  const JsonNode* all = tree.Find(tree.root(), "hooks");
  if (all == nullptr || all->kind != JsonKind::kObject) return hooks;
  for (const JsonNode& event : tree.ChildrenOf(*all)) {
    if (event.kind != JsonKind::kArray) continue;
    for (const JsonNode& group : tree.ChildrenOf(event)) ReadGroup(tree, event, group, hooks);
  }
  return hooks;
}

// Returns the first word of a shell command, without quotes around it.
std::string_view FirstWord(std::string_view command) {
  command.remove_prefix(std::min(command.find_first_not_of(" \t"), command.size()));
  if (command.starts_with('"') || command.starts_with('\'')) {
    const char quote = command[0];
    command.remove_prefix(1);
    return command.substr(0, command.find(quote));
  }
  return command.substr(0, command.find_first_of(" \t\n;|&<>"));
}

}  // namespace

bool HookEntry::is_for_everything() const {
  return matcher.empty() || matcher == "*" || matcher == ".*";
}

bool Runs(const HookEntry& entry, std::string_view program) {
  if (entry.type != "command" || program.empty()) return false;
  std::string_view started = entry.command;
  if (!entry.is_exec_form) started = FirstWord(started);
  return started == program || BaseName(started) == BaseName(program);
}

std::optional<bool> ClientSettings::Flag(std::string_view pointer) const {
  const auto found = std::ranges::find(flags, pointer, &SettingFlag::pointer);
  if (found == flags.end()) return {};
  return found->value;
}

const std::vector<std::string>* ClientSettings::Texts(std::string_view pointer) const {
  const auto found = std::ranges::find(lists, pointer, &SettingTexts::pointer);
  return found == lists.end() ? nullptr : &found->texts;
}

bool OpensWrites(const ClientSettings& settings, const Path& folder) {
  const std::vector<std::string>* texts = settings.Texts("/sandbox/filesystem/allowWrite");
  return texts != nullptr && std::ranges::any_of(*texts, [&](const std::string& text) {
           return text.starts_with('/') && folder.IsInside(Path::Clean(text));
         });
}

ClientSettings ReadClientSettings(const JsonTree& tree, std::string path) {
  ClientSettings settings;
  settings.path = std::move(path);
  settings.name = tree.name();
  FindDropReasons(tree, settings);
  settings.hooks = ReadHooks(tree);
  if (const JsonNode* mode = NodeAt(tree, "/permissions/defaultMode")) {
    settings.permission_mode = mode->content();
  }
  if (const JsonNode* node = NodeAt(tree, "/disableAllHooks")) {
    settings.disables_hooks = node->kind == JsonKind::kTrue;
    settings.disables_hooks_at = tree.PlaceOf(node->begin);
  }
  const std::string plugin = std::string(kPluginSwitches) + "/" + std::string(kOwnPlugin);
  if (const JsonNode* node = NodeAt(tree, plugin)) settings.plugin = node->kind == JsonKind::kTrue;
  for (const FlagKey& key : SettingFlags()) {
    const JsonNode* node = NodeAt(tree, key.pointer);
    const bool is_flag =
        node != nullptr && (node->kind == JsonKind::kTrue || node->kind == JsonKind::kFalse);
    if (is_flag)
      settings.flags.push_back({std::string(key.pointer), node->kind == JsonKind::kTrue});
  }
  for (const TextsKey& key : SettingLists()) {
    const JsonNode* node = NodeAt(tree, key.pointer);
    if (node == nullptr) continue;
    const bool is_whole = key.direction == Direction::kChangedIsWeaker;
    settings.lists.push_back(
        {std::string(key.pointer), is_whole ? ItemsOf(tree, *node) : AllTexts(tree, *node)});
  }
  ReadCodeVariables(tree, settings);
  return settings;
}

ClientSettings ParseClientSettings(std::string text, std::string name, std::string path) {
  text.erase(0, text.size() - WithoutByteOrderMark(text).size());
  Result<JsonTree> tree = JsonTree::Parse(std::move(text), name, false);
  if (tree) return ReadClientSettings(*tree, std::move(path));
  ClientSettings settings;
  settings.path = std::move(path);
  settings.name = std::move(name);
  settings.drops.push_back(tree.error());
  return settings;
}

}  // namespace ringfence
