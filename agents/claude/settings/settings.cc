#include "agents/claude/settings/settings.h"

#include <algorithm>
#include <cstdlib>

#include "agents/claude/settings/keys.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

using Node = JsonTree::Node;
using Kind = JsonTree::Kind;

std::string_view RawText(const JsonTree& tree, const Node& node) {
  const std::string_view text = tree.text();
  return text.substr(node.begin, node.end - node.begin);
}

// JSON without the white space between its tokens.
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

std::string_view TextOf(const JsonTree& tree, const Node& object, std::string_view key) {
  const Node* node = tree.Find(object, key);
  return node != nullptr && node->kind == Kind::kString ? node->content() : std::string_view();
}

bool IsTrue(const JsonTree& tree, const Node& object, std::string_view key) {
  const Node* node = tree.Find(object, key);
  return node != nullptr && node->kind == Kind::kTrue;
}

// The strings of a list; of anything else every value, with its place: "source/url=https://...".
// What is false or null asks for nothing.
void AddTexts(const JsonTree& tree, const Node& node, const std::string& place,
              std::vector<std::string>& texts) {
  const bool is_true = node.kind == Kind::kTrue;
  if (is_true || node.kind == Kind::kString || node.kind == Kind::kNumber) {
    const std::string text(is_true ? "true" : node.content());
    texts.push_back(place.empty() ? text : place + "=" + text);
  }
  const bool is_list = node.kind == Kind::kArray;
  for (JsonTree::Index i = node.first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    const Node& child = tree.node(i);
    std::string below = place;
    if (!is_list) below += (place.empty() ? "" : "/") + std::string(tree.KeyOf(child));
    AddTexts(tree, child, below, texts);
  }
}

std::vector<std::string> TextsOf(const JsonTree& tree, const Node& node) {
  std::vector<std::string> texts;
  AddTexts(tree, node, "", texts);
  return texts;
}

std::vector<std::string> ItemsOf(const JsonTree& tree, const Node& list) {
  std::vector<std::string> items;
  for (JsonTree::Index i = list.first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    items.push_back(Compact(RawText(tree, tree.node(i))));
  }
  return items;
}

// "/env/NAME" for each variable by which programs run or load other code. The client makes a string
// of whatever the value is: true sets "true".
void ReadCodeVariables(const JsonTree& tree, ClientSettings& settings) {
  const Node* env = NodeAt(tree, "/env");
  if (env == nullptr || env->kind != Kind::kObject) return;
  for (JsonTree::Index i = env->first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    const Node& value = tree.node(i);
    const std::string_view name = tree.KeyOf(value);
    const std::string text =
        value.kind == Kind::kString ? std::string(value.content()) : Compact(RawText(tree, value));
    if (!IsCodeVariable(name) || IsUsualValue(name, text)) continue;
    settings.lists.push_back({std::string(kVariables) + std::string(name), {text}});
  }
}

HookEntry ReadEntry(const JsonTree& tree, const Node& node) {
  HookEntry entry;
  entry.pointer = tree.Pointer(node);
  entry.place = PlaceText(tree.name(), tree.text(), node.begin);
  entry.type = TextOf(tree, node, "type");
  entry.command = TextOf(tree, node, "command");
  if (const Node* args = tree.Find(node, "args")) {
    entry.is_exec_form = true;
    entry.args = TextsOf(tree, *args);
  }
  entry.blocks_on_failure = TextOf(tree, node, "onFailure") == "block";
  entry.is_async = IsTrue(tree, node, "async") || IsTrue(tree, node, "asyncRewake");
  if (const Node* timeout = tree.Find(node, "timeout")) {
    entry.timeout = std::strtod(std::string(timeout->content()).c_str(), nullptr);
  }
  entry.is_conditional = tree.Find(node, "if") != nullptr || IsTrue(tree, node, "once");
  return entry;
}

void ReadGroup(const JsonTree& tree, const Node& event, const Node& group,
               std::vector<HookEntry>& hooks) {
  const Node* entries = tree.Find(group, "hooks");
  if (entries == nullptr) return;
  for (JsonTree::Index i = entries->first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    HookEntry entry = ReadEntry(tree, tree.node(i));
    entry.event = tree.KeyOf(event);
    entry.matcher = TextOf(tree, group, "matcher");
    entry.digest =
        Sha256Hex(entry.event + "\n" + entry.matcher + "\n" + Compact(RawText(tree, tree.node(i))));
    hooks.push_back(std::move(entry));
  }
}

std::vector<HookEntry> ReadHooks(const JsonTree& tree) {
  std::vector<HookEntry> hooks;
  const Node* all = tree.Find(tree.root(), "hooks");
  if (all == nullptr || all->kind != Kind::kObject) return hooks;
  for (JsonTree::Index i = all->first_child; i != JsonTree::kNone; i = tree.node(i).next) {
    const Node& event = tree.node(i);
    if (event.kind != Kind::kArray) continue;
    for (JsonTree::Index j = event.first_child; j != JsonTree::kNone; j = tree.node(j).next) {
      ReadGroup(tree, event, tree.node(j), hooks);
    }
  }
  return hooks;
}

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The first word of a shell command, without quotes around it.
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
  if (const Node* mode = NodeAt(tree, "/permissions/defaultMode")) {
    settings.permission_mode = mode->content();
  }
  if (const Node* node = NodeAt(tree, "/disableAllHooks")) {
    settings.disables_hooks = node->kind == Kind::kTrue;
    settings.disables_hooks_at = PlaceText(tree.name(), tree.text(), node->begin);
  }
  for (const FlagKey& key : SettingFlags()) {
    const Node* node = NodeAt(tree, key.pointer);
    const bool is_flag =
        node != nullptr && (node->kind == Kind::kTrue || node->kind == Kind::kFalse);
    if (is_flag) settings.flags.push_back({std::string(key.pointer), node->kind == Kind::kTrue});
  }
  for (const TextsKey& key : SettingLists()) {
    const Node* node = NodeAt(tree, key.pointer);
    if (node == nullptr) continue;
    const bool is_whole = key.direction == Direction::kChangedIsWeaker;
    settings.lists.push_back(
        {std::string(key.pointer), is_whole ? ItemsOf(tree, *node) : TextsOf(tree, *node)});
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
