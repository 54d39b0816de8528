#include "agents/claude/setup/plugin.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agents/claude/setup/settings_editor.h"
#include "base/json.h"
#include "base/path.h"
#include "base/regular_file.h"
#include "base/utf8.h"

namespace ringfence {
namespace {

constexpr const char* kMarketplace = "ringfence";
constexpr std::string_view kPluginProgram = "${CLAUDE_PLUGIN_ROOT}/../../../../bin/ringfence-hook";

// Returns null for a file that does not exist or is not JSON.
OrderedJson ReadPluginFile(const std::string& path) {
  const Result<std::optional<std::string>> text = ReadIfThere(path);
  if (!text || !*text) return nullptr;
  OrderedJson json = OrderedJson::parse(WithoutByteOrderMark(**text), nullptr, false);
  return json.is_discarded() ? OrderedJson() : json;
}

// Returns null if a member is missing on the way.
OrderedJson MemberAt(const OrderedJson& json, const std::vector<std::string>& keys) {
  const OrderedJson* at = &json;
  for (const std::string& key : keys) {
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return *at;
}

std::string TextAt(const OrderedJson& json, const std::vector<std::string>& keys) {
  const OrderedJson member = MemberAt(json, keys);
  return member.is_string() ? member.get<std::string>() : "";
}

std::string PluginFolder(const Registration& where) {
  return (where.config_dir.empty() ? where.home + "/.claude" : where.config_dir) + "/plugins";
}

void FindInstallations(const Registration& where, PluginState& state) {
  const OrderedJson json = ReadPluginFile(PluginFolder(where) + "/installed_plugins.json");
  for (const OrderedJson& one : MemberAt(json, {"plugins", std::string(kOwnPlugin)})) {
    const std::string project = TextAt(one, {"projectPath"});
    const bool is_here = project.empty() || project == where.project_dir;
    (is_here ? state.is_installed : state.is_elsewhere) = true;
  }
}

// True if the marketplace's file has the plugin; else the client drops it.
bool IsListed(const Path& marketplace) {
  const OrderedJson json =
      ReadPluginFile(marketplace.Child(".claude-plugin").Child("marketplace.json").text());
  const OrderedJson plugins = MemberAt(json, {"plugins"});
  return TextAt(json, {"name"}) == kMarketplace &&
         std::ranges::any_of(plugins, [](const OrderedJson& one) {
           return TextAt(one, {"name"}) == kMarketplace && TextAt(one, {"source"}) == "./ringfence";
         });
}

// True for the entries of the file that is installed.
bool IsOwnEntry(const HookEntry& entry) {
  return entry.type == "command" && entry.is_exec_form && entry.command == kPluginProgram &&
         entry.args == std::vector<std::string>{"--plugin"} && entry.blocks_on_failure &&
         entry.is_for_everything() && !entry.is_async && !entry.is_conditional;
}

// True if the plugin's file starts the hook for each event. The client reads it as it reads the
// hooks of settings: it drops the whole file because of one wrong value.
bool StartsHook(const std::string& path) {
  const Result<std::optional<std::string>> text = ReadIfThere(path);
  if (!text || !*text) return false;
  const ClientSettings file = ParseClientSettings(**text, path, path);
  return file.drops.empty() && std::ranges::all_of(ServedEvents(), [&](std::string_view event) {
           return std::ranges::any_of(file.hooks, [&](const HookEntry& entry) {
             return entry.event == event && IsOwnEntry(entry);
           });
         });
}

// For a marketplace that is a directory, the client starts the hook from there, not from its copy
// (measured on 2.1.331).
void FindMarketplace(const Registration& where, PluginState& state) {
  const OrderedJson json = ReadPluginFile(PluginFolder(where) + "/known_marketplaces.json");
  state.marketplace = TextAt(json, {kMarketplace, "installLocation"});
  if (!state.marketplace.starts_with('/')) return state.marketplace.clear();
  const Path folder = Path::Clean(state.marketplace).Child("ringfence");
  const Path prefix = folder.Parent().Parent().Parent().Parent();
  if (IsListed(folder.Parent())) {
    const Path file = folder.Child(".claude-plugin").Child("plugin.json");
    state.version = TextAt(ReadPluginFile(file.text()), {"version"});
  }
  state.program = prefix.Child("bin").Child("ringfence-hook").text();
  state.starts_hook =
      !state.version.empty() && StartsHook(folder.Child("hooks").Child("hooks.json").text());
}

void FindSwitch(const std::vector<SettingsFile>& files, PluginState& state) {
  for (const SettingsLayer layer : {SettingsLayer::kManaged, SettingsLayer::kLocal,
                                    SettingsLayer::kProject, SettingsLayer::kUser}) {
    for (const SettingsFile& file : files) {
      const bool counts = file.layer == layer && MayRunHooks(file) && file.settings.plugin;
      if (!counts || state.is_on) continue;
      state.is_on = file.settings.plugin;
      state.by = file.settings.name;
    }
  }
}

// The client treats a plugin's hooks as it treats those of the user's settings.
void FindOff(const std::vector<SettingsFile>& files, PluginState& state) {
  for (const SettingsFile& file : files) {
    if (!MayRunHooks(file)) continue;
    const bool only_managed = file.layer == SettingsLayer::kManaged &&
                              file.settings.Flag("/allowManagedHooksOnly") == true;
    if (file.settings.disables_hooks) {
      state.off.push_back("disableAllHooks in " + file.settings.name);
    } else if (only_managed) {
      state.off.push_back("allowManagedHooksOnly in " + file.settings.name);
    }
  }
}

}  // namespace

PluginState FindPlugin(const Registration& where, const std::vector<SettingsFile>& files) {
  PluginState state;
  FindInstallations(where, state);
  FindMarketplace(where, state);
  FindSwitch(files, state);
  FindOff(files, state);
  return state;
}

}  // namespace ringfence
