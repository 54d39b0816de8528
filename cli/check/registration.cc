#include "cli/check/registration.h"

#include <algorithm>

#include "agents/claude/setup/client_fence.h"
#include "agents/claude/setup/settings_editor.h"
#include "base/text.h"
#include "cli/check/settings_file.h"
#include "cli/common/confinement.h"
#include "cli/setup/init_command.h"

namespace ringfence {
namespace {

// Checks all layers together.
class LayersChecker {
 public:
  LayersChecker(const RegistrationQuestion& question, Findings& findings)
      : question_(question), findings_(findings) {}

  void Run() {
    for (const SettingsFile& file : question_.files) CheckFile(file);
    CheckEvents();
    if (question_.wraps_bash) CheckSandbox();
    for (const SettingsFile& file : question_.files) CheckFence(file);
  }

 private:
  void CheckFile(const SettingsFile& file) {
    const ClientSettings& settings = file.settings;
    const SettingsFileQuestion question{.file = file,
                                        .program = question_.program,
                                        .approvals = question_.approvals,
                                        .where = question_.where,
                                        .is_alone = false};
    for (Finding& finding : CheckSettingsFile(question)) findings_.push_back(std::move(finding));
    // These mistakes are reported already.
    const bool is_said = !settings.drops.empty() || settings.disables_hooks;
    if (question_.approvals.files.empty() || is_said) return;
    for (const std::string& weaker : Weakens(settings, question_.approvals, question_.program)) {
      Add(findings_, Severity::kError, "weakened",
          ConfigError(settings.name, weaker, RegisterAgain(InitCommand(file, question_.where))));
    }
  }

  bool Registers(const SettingsFile& file, std::string_view event) const {
    const auto serves = [&](const HookEntry& entry) {
      return entry.event == event && Runs(entry, question_.program);
    };
    return MayRunHooks(file) && std::ranges::any_of(file.settings.hooks, serves);
  }

  static std::string RegisterAgain(const std::string& init) { return "register it again: " + init; }

  std::string InitInForce() const {
    return InitCommandInForce(question_.files, question_.approvals, question_.where);
  }

  // True if the client runs the hook: no file switches off the hooks of its layer.
  bool IsInForce(std::string_view event) const {
    return std::ranges::any_of(question_.files, [&](const SettingsFile& file) {
      return Registers(file, event) && FindHookSwitches(question_.files, file.layer).empty();
    });
  }

  // Reports settings that switch a registration off, as notes if another one still runs. Returns
  // true if this leaves none.
  bool CheckSwitches() {
    const std::string_view decides = ServedEvents().front();
    const bool goes_on = IsInForce(decides);
    bool is_off = false;
    for (const SettingsFile& file : question_.files) {
      if (!Registers(file, decides)) continue;
      for (const HookSwitch& off : FindHookSwitches(question_.files, file.layer)) {
        is_off = true;
        Add(findings_, goes_on ? Severity::kNote : Severity::kError, "hooks-disabled",
            ConfigError(off.place,
                        off.what + (goes_on ? "; the hook in the managed settings still runs" : ""),
                        "remove it, or register the hook in the managed settings: ringfence init "
                        "--managed"));
      }
    }
    return is_off && !goes_on;
  }

  void CheckEvents() {
    if (CheckSwitches()) return;
    const auto missing = [&](std::string_view event) { return !IsInForce(event); };
    if (std::ranges::all_of(ServedEvents(), missing)) {
      return Add(
          findings_, Severity::kError, "not-registered",
          ConfigError("registration", "no settings file registers the hook, so no call is decided",
                      "register it: " + InitInForce()));
    }
    for (const std::string_view event : ServedEvents()) {
      if (!missing(event)) continue;
      const bool decides = event == ServedEvents().front();
      Add(findings_, decides ? Severity::kError : Severity::kWarning, "not-registered",
          ConfigError("registration",
                      "no settings file registers the hook for " + std::string(event) +
                          (decides ? ": no call is decided" : ""),
                      RegisterAgain(InitInForce())));
    }
  }

  // The two sandboxes cannot be nested.
  void CheckSandbox() {
    for (const SettingsFile& file : question_.files) {
      if (!MayRunHooks(file) || file.settings.Flag("/sandbox/enabled") != true) continue;
      Add(findings_, Severity::kError, "two-sandboxes",
          ConfigError(
              file.settings.name,
              "sandbox.enabled is true and the policy has bash.wrap: every wrapped command fails",
              InitCommand(file, question_.where) + " switches the client's sandbox off"));
    }
  }

  // Reports a fence: with it, the client refuses paths that the policy permits.
  void CheckFence(const SettingsFile& file) {
    if (!file.settings.drops.empty() && file.layer != SettingsLayer::kManaged) return;
    for (const ClientFenceKey& key : kClientFence) {
      if (file.settings.Flag(key.pointer) != true) continue;
      const bool is_read = key.access == Access::kRead;
      const std::string& beyond = is_read ? question_.reads_beyond : question_.writes_beyond;
      std::string name(key.pointer.substr(1));
      std::ranges::replace(name, '/', '.');
      std::string what = name + " is true: the client itself refuses " +
                         (is_read ? "reads" : "writes") + " outside the project";
      if (!beyond.empty()) {
        what += std::string(", also of what ") + (is_read ? "read.allow" : "write.allow") +
                " names (" + Quote(beyond, 60) + ")";
      }
      Add(findings_, beyond.empty() ? Severity::kNote : Severity::kWarning, "client-fence",
          ConfigError(
              file.settings.name, what,
              InitCommand(file, question_.where) +
                  " removes it if init --client-fence set it; otherwise remove it from the file"));
    }
  }

  const RegistrationQuestion& question_;
  Findings& findings_;
};

}  // namespace

Findings CheckRegistration(const RegistrationQuestion& question) {
  Findings findings;
  LayersChecker(question, findings).Run();
  return findings;
}

}  // namespace ringfence
