#include "agents/claude/config_change.h"

#include <algorithm>

#include "agents/claude/settings/settings.h"
#include "base/add_once.h"
#include "base/contains.h"
#include "base/regular_file.h"
#include "policy/load/sources.h"

namespace ringfence {
namespace {

// Returns all settings files that the client reads for this project, and the one that the event
// names.
std::vector<Path> SettingsFiles(const Event& event, const Places& places) {
  std::vector<Path> files;
  const auto add = [&files](const Path& file) { AddOnce(files, file); };
  for (const char* name : {"settings.json", "settings.local.json"}) {
    add(places.root.Child(".claude").Child(name));
    for (const Path& home : places.homes) add(home.Child(".claude").Child(name));
    for (const Path& folder : places.settings_folders) add(folder.Child(name));
  }
  // The event also reports skills and other files of the client that are not settings.
  const std::optional<Path> named = Path::Parse(event.config_file);
  if (named && named->name().ends_with(".json")) add(*named);
  return files;
}

Result<Approvals> ReadApprovals(const Places& places) {
  if (places.homes.empty()) return Approvals{};
  const std::string path = ApprovalsPath(places.homes.front().text());
  Result<FileBytes> bytes = ReadRegularFile(path);
  if (!bytes) return bytes.error();
  if (bytes->missing) return Approvals{};
  return ParseApprovals(std::move(bytes->text), path);
}

Result<ClientSettings> ReadSettings(const Path& file) {
  Result<FileBytes> bytes = ReadRegularFile(file.text());
  if (!bytes) return bytes.error();
  if (!bytes->missing) {
    return ParseClientSettings(std::move(bytes->text), file.text(), file.text());
  }
  ClientSettings settings;
  settings.path = file.text();
  settings.name = file.text();
  return settings;
}

// The client's order: the project's local settings, the project's, the user's.
class PluginSwitch {
 public:
  explicit PluginSwitch(const Places& places)
      : local_(places.root.Child(".claude").Child("settings.local.json")),
        project_(places.root.Child(".claude").Child("settings.json")) {}

  void Take(const ClientSettings& settings) {
    if (!settings.plugin) return;
    const int rank = settings.path == local_.text() ? 2 : settings.path == project_.text() ? 1 : 0;
    if (rank < rank_) return;
    rank_ = rank;
    is_on_ = settings.plugin;
    file_ = settings.name;
  }

  // Returns the sentence for a plugin that no longer runs at the next start; "" if it does.
  std::string Off(const Approvals& approvals) const {
    const std::string name = "\"" + std::string(kOwnPlugin) + "\"";
    if (is_on_ == true) return "";
    if (is_on_) return file_ + " disables the plugin " + name + ", which registers this hook";
    const bool was_on = std::ranges::any_of(approvals.files, EnablesPlugin);
    return was_on ? "no file enables the plugin " + name + ", which registers this hook" : "";
  }

 private:
  static bool EnablesPlugin(const ApprovedFile& file) {
    return std::ranges::any_of(file.lists, [](const SettingTexts& list) {
      return list.pointer == kPluginSwitches &&
             Contains(list.texts, std::string(kOwnPlugin) + "=true");
    });
  }

  Path local_;
  Path project_;
  int rank_ = 0;
  std::optional<bool> is_on_;
  std::string file_;
};

}  // namespace

Result<std::vector<std::string>> WeakenedSettings(const Event& event, const Places& places,
                                                  const OwnHook& hook) {
  const Result<Approvals> approvals = ReadApprovals(places);
  if (!approvals) return approvals.error();
  std::vector<std::string> reasons;
  PluginSwitch plugin(places);
  for (const Path& file : SettingsFiles(event, places)) {
    const Result<ClientSettings> settings = ReadSettings(file);
    if (!settings) return settings.error();
    plugin.Take(*settings);
    for (std::string& reason : Weakens(*settings, *approvals, hook.program)) {
      reasons.push_back(std::move(reason));
    }
  }
  if (std::string off = hook.is_plugin ? plugin.Off(*approvals) : ""; !off.empty()) {
    reasons.push_back(std::move(off));
  }
  return reasons;
}

bool IsRegisteredInSettings(const Event& event, const Places& places) {
  const Result<Approvals> approvals = ReadApprovals(places);
  if (!approvals) return false;
  bool is_registered = false;
  for (const Path& path : SettingsFiles(event, places)) {
    const Result<ClientSettings> file = ReadSettings(path);
    if (!file || file->disables_hooks) return false;
    const ApprovedFile* approved = approvals->Find(path.text());
    if (approved == nullptr || !file->drops.empty()) continue;
    const auto is_approved = [&](const HookEntry& entry) {
      return entry.event == event.name && Contains(approved->registration, entry.digest);
    };
    if (std::ranges::any_of(file->hooks, is_approved)) is_registered = true;
  }
  return is_registered;
}

}  // namespace ringfence
