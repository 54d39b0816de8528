#include "cli/confinement.h"

#include <optional>

#include "base/text.h"

namespace ringfence {
namespace {

class Judge {
 public:
  explicit Judge(const std::vector<SettingsFile>& files) : files_(files) {}

  std::optional<bool> In(SettingsLayer layer, std::string_view pointer) const {
    for (const SettingsFile& file : files_) {
      if (file.layer == layer && file.settings.drops.empty()) return file.settings.Flag(pointer);
    }
    return {};
  }

  // Managed settings come first. A user who forbids commands outside of the sandbox cannot be
  // overruled by a project; else the most specific file counts.
  bool IsEnabled() const {
    constexpr std::string_view kEnabled = "/sandbox/enabled";
    if (const auto managed = In(SettingsLayer::kManaged, kEnabled)) return *managed;
    const auto user = In(SettingsLayer::kUser, kEnabled);
    const bool is_strict =
        In(SettingsLayer::kUser, "/sandbox/allowUnsandboxedCommands") == false ||
        In(SettingsLayer::kManaged, "/sandbox/allowUnsandboxedCommands") == false;
    if (user == true && is_strict) return true;
    if (const auto local = In(SettingsLayer::kLocal, kEnabled)) return *local;
    if (const auto project = In(SettingsLayer::kProject, kEnabled)) return *project;
    return user == true;
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
        holes.push_back(Quote(command, 80) + " runs outside of the sandbox (excludedCommands of " +
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

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " and ") + word;
  return text;
}

}  // namespace

Confinement JudgeConfinement(const std::vector<SettingsFile>& files, const SandboxTools& tools) {
  const Judge judge(files);
  Confinement confinement;
  if (!judge.IsEnabled()) {
    confinement.sentence =
        "Bash is NOT confined: the client's sandbox is off, and the hook does not look into "
        "commands";
  } else if (!tools.missing.empty()) {
    confinement.sentence = "Bash is NOT confined: the client's sandbox is on, but " +
                           Join(tools.missing) + " cannot be found";
  } else if (!tools.broken.empty()) {
    confinement.sentence =
        "Bash is NOT confined: the client's sandbox cannot start: " + tools.broken;
  } else if (judge.In(SettingsLayer::kUser, "/sandbox/filesystem/disabled") == true ||
             judge.In(SettingsLayer::kManaged, "/sandbox/filesystem/disabled") == true) {
    confinement.sentence =
        "Bash is NOT confined: sandbox.filesystem.disabled leaves every file open to commands";
  } else {
    confinement.is_confined = true;
    confinement.sentence = "Bash is confined by the client's own sandbox";
    confinement.holes = judge.Holes();
  }
  return confinement;
}

}  // namespace ringfence
