#include "cli/common/confinement.h"

#include <algorithm>
#include <optional>

#include "base/contains.h"
#include "base/text.h"

namespace ringfence {
namespace {

class MergedSettings {
 public:
  explicit MergedSettings(const std::vector<SettingsFile>& files) : files_(files) {}

  std::optional<bool> In(SettingsLayer layer, std::string_view pointer) const {
    for (const SettingsFile& file : files_) {
      if (file.layer == layer && file.settings.drops.empty()) return file.settings.Flag(pointer);
    }
    return {};
  }

  // Returns the file that switches the sandbox on or off: the first one with the key, in the
  // client's order of precedence; nullptr if none has it. The hook tells the agent the same.
  const SettingsFile* Switch() const {
    for (const SettingsLayer layer : {SettingsLayer::kManaged, SettingsLayer::kLocal,
                                      SettingsLayer::kProject, SettingsLayer::kUser}) {
      for (const SettingsFile& file : files_) {
        if (file.layer == layer && In(layer, "/sandbox/enabled")) return &file;
      }
    }
    return nullptr;
  }

  // Returns a file whose excludedCommands excludes every command, or nullptr.
  const SettingsFile* LeavesOutAll() const {
    for (const SettingsFile& file : files_) {
      const std::vector<std::string>* excluded = file.settings.Texts("/sandbox/excludedCommands");
      if (!file.settings.drops.empty() || excluded == nullptr) continue;
      if (Contains(*excluded, "*")) return &file;
    }
    return nullptr;
  }

  bool IsSetAnywhere(std::string_view pointer, bool value) const {
    for (const SettingsFile& file : files_) {
      if (file.settings.drops.empty() && file.settings.Flag(pointer) == value) return true;
    }
    return false;
  }

  std::vector<std::string> Holes() const {
    std::vector<std::string> holes;
    for (const SettingsFile& file : files_) {
      const std::vector<std::string>* excluded = file.settings.Texts("/sandbox/excludedCommands");
      if (excluded == nullptr) continue;
      for (const std::string& command : *excluded) {
        holes.push_back(Quote(command, 80) + " runs outside the sandbox (excludedCommands of " +
                        file.settings.name + ")");
      }
    }
    if (IsSetAnywhere("/sandbox/enableWeakerNestedSandbox", true)) {
      holes.emplace_back("sandbox.enableWeakerNestedSandbox is on: the host's /proc can be read");
    }
    return holes;
  }

 private:
  const std::vector<SettingsFile>& files_;
};

}  // namespace

Confinement CheckConfinement(const std::vector<SettingsFile>& files, const SandboxTools& tools) {
  const MergedSettings merged(files);
  Confinement confinement;
  const SettingsFile* const by = merged.Switch();
  const SettingsFile* const open = merged.LeavesOutAll();
  if (by == nullptr || by->settings.Flag("/sandbox/enabled") != true) {
    confinement.sentence = "Bash is NOT confined: the client's sandbox is off" +
                           (by == nullptr ? "" : " (" + by->settings.name + ")") +
                           ", and the hook does not parse commands";
  } else if (open != nullptr) {
    confinement.sentence = "Bash is NOT confined: sandbox.excludedCommands of " +
                           open->settings.name + " excludes every command";
  } else if (!tools.missing.empty()) {
    confinement.sentence = "Bash is NOT confined: the client's sandbox is on, but " +
                           tools.MissingText() + " cannot be found";
  } else if (!tools.broken.empty()) {
    confinement.sentence =
        "Bash is NOT confined: the client's sandbox cannot start: " + tools.broken;
  } else if (merged.In(SettingsLayer::kUser, "/sandbox/filesystem/disabled") == true ||
             merged.In(SettingsLayer::kManaged, "/sandbox/filesystem/disabled") == true) {
    confinement.sentence =
        "Bash is NOT confined: sandbox.filesystem.disabled leaves every file open to commands";
  } else {
    confinement.is_confined = true;
    confinement.sentence = "Bash is confined by the client's own sandbox";
    confinement.holes = merged.Holes();
  }
  return confinement;
}

Confinement WrappedConfinement(SandboxMode mode) {
  if (mode == SandboxMode::kRwx) {
    return {false, "Bash is NOT confined: commands are wrapped, but sandbox.mode is \"rwx\"", {}};
  }
  return {true, "Bash is confined by ringfence's own sandbox: the hook wraps each command", {}};
}

std::vector<HookSwitch> FindHookSwitches(const std::vector<SettingsFile>& files,
                                         SettingsLayer layer) {
  std::vector<HookSwitch> switches;
  for (const SettingsFile& file : files) {
    const std::string& name = file.settings.name;
    if (!MayRunHooks(file)) continue;  // the client drops the whole file
    const bool is_managed = file.layer == SettingsLayer::kManaged;
    // In the home directory, two layers share one file.
    if (std::ranges::find(switches, name, &HookSwitch::file) != switches.end()) continue;
    // Only a managed file can switch off managed hooks.
    if (file.settings.disables_hooks && (is_managed || layer != SettingsLayer::kManaged)) {
      switches.push_back({name, file.settings.disables_hooks_at,
                          "disableAllHooks is true, so the client runs no hook"});
    } else if (is_managed && layer != SettingsLayer::kManaged &&
               file.settings.Flag("/allowManagedHooksOnly") == true) {
      switches.push_back({name, name,
                          "allowManagedHooksOnly is true, so the client runs no hook but "
                          "those of the managed settings"});
    }
  }
  return switches;
}

}  // namespace ringfence
