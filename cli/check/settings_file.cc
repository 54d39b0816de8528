#include "cli/check/settings_file.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "agents/claude/setup/client_sandbox.h"
#include "agents/claude/setup/plugin.h"
#include "agents/claude/setup/settings_editor.h"
#include "base/contains.h"
#include "base/json_pointer.h"
#include "base/text.h"
#include "cli/check/programs.h"
#include "cli/common/confinement.h"
#include "cli/common/init_command.h"
#include "cli/common/registered.h"

namespace ringfence {
namespace {

constexpr double kLongestTimeout = 60;  // seconds; the hook itself takes at most a few
bool IsServed(std::string_view event) { return Contains(ServedEvents(), event); }

std::string RegisterAgain(const SettingsFileQuestion& question) {
  return "register it again: " + InitCommand(question.file, question.where);
}

// Checks one entry that starts our hook.
class EntryChecker {
 public:
  EntryChecker(const HookEntry& entry, const SettingsFileQuestion& question, Findings& findings)
      : entry_(entry), question_(question), findings_(findings) {}

  void Run() {
    CheckProgram();
    CheckBlocking();
    if (!IsServed(entry_.event)) {
      Warn("wrong-event", "the hook is not registered for " + Quote(entry_.event));
    }
    if (!entry_.is_for_everything()) {
      Wrong("matcher", "the matcher " + Quote(entry_.matcher) + " excludes calls");
    }
    if (entry_.is_conditional) Wrong("conditional", "\"if\" or \"once\" lets calls bypass it");
  }

 private:
  void Wrong(const char* code, std::string what) {
    Wrong(code, std::move(what), RegisterAgain(question_));
  }
  void Wrong(const char* code, std::string what, std::string hint) {
    Add(findings_, Severity::kError, code,
        ConfigError(entry_.place, std::move(what), std::move(hint)));
  }
  void Warn(const char* code, std::string what) {
    Add(findings_, Severity::kWarning, code,
        ConfigError(entry_.place, std::move(what), RegisterAgain(question_)));
  }

  void CheckProgram() {
    if (!entry_.is_exec_form) {
      return Wrong("shell-form",
                   "starts the hook through a shell, whose environment a project's settings can "
                   "poison (it has no \"args\")");
    }
    if (!entry_.command.starts_with('/')) {
      return Wrong("relative-path", Quote(entry_.command) +
                                        " is not an absolute path: it is searched for in a PATH "
                                        "that you do not control");
    }
    if (!question_.is_elsewhere) CheckInstalled();
    const Result<Registration> options = RegistrationOf(entry_, {});
    if (!options) return Wrong("wrong-options", options.error().what);
    if (!options->policy.empty() && !question_.is_elsewhere) CheckPolicyFile(options->policy);
  }

  void CheckInstalled() {
    std::error_code failure;
    const bool is_program = std::filesystem::is_regular_file(entry_.command, failure) &&
                            ::access(entry_.command.c_str(), X_OK) == 0;
    if (!is_program) Wrong("no-program", Quote(entry_.command) + " is not a program");
    if (is_program && !IsSameProgram(entry_.command, question_.program)) {
      Wrong("other-program",
            Quote(entry_.command) + " is not the installed hook, " + Quote(question_.program));
    }
  }

  void CheckPolicyFile(const std::string& policy) {
    std::error_code failure;
    if (std::filesystem::is_regular_file(policy, failure)) return;
    const bool is_there = std::filesystem::exists(policy, failure);
    Wrong("no-policy",
          "--policy " + Quote(policy) + (is_there ? " is not a file" : " does not exist"),
          "write that policy, or register without it: " +
              InitCommand(question_.file, question_.where, PolicyOption::kDrop));
  }

  void CheckBlocking() {
    if (!entry_.blocks_on_failure) {
      Wrong("on-failure",
            "a hook that cannot be started lets the call through: it has no "
            "\"onFailure\": \"block\"");
    }
    if (entry_.is_async) Wrong("async", "its answer comes too late (\"async\")");
    if (!entry_.timeout || *entry_.timeout > kLongestTimeout) {
      Warn("timeout", "the client would wait " +
                          (entry_.timeout ? std::to_string(static_cast<long>(*entry_.timeout))
                                          : std::string("600")) +
                          " seconds for the hook");
    }
  }

  const HookEntry& entry_;
  const SettingsFileQuestion& question_;
  Findings& findings_;
};

// Checks a whole file: its hook entries, and other settings that disable or bypass the hook.
class FileChecker {
 public:
  FileChecker(const SettingsFileQuestion& question, Findings& findings)
      : question_(question), settings_(question.file.settings), findings_(findings) {}

  void Run() {
    CheckReading();
    for (const HookEntry& entry : settings_.hooks) {
      if (Runs(entry, question_.program)) {
        EntryChecker(entry, question_, findings_).Run();
      } else {
        CheckOther(entry);
      }
    }
    if (!settings_.drops.empty() && !is_managed()) return;
    CheckSwitches();
    CheckEnvironment();
  }

 private:
  bool is_managed() const { return question_.file.layer == SettingsLayer::kManaged; }

  void CheckReading() {
    const char* const consequence =
        is_managed() ? ": because of this the client skips the key, or does not start where it is "
                       "not JSON or a hook"
                     : ": because of this the client drops the whole file, hooks included";
    for (const Error& drop : settings_.drops) {
      Add(findings_, Severity::kError, "dropped-file",
          ConfigError(drop.where, drop.what + consequence,
                      drop.hint.empty() ? "fix it" : drop.hint));
    }
    for (const Error& ignored : settings_.ignored) {
      Add(findings_, Severity::kWarning, "ignored-entry",
          ConfigError(ignored.where, "the client ignores a hook entry: " + ignored.what,
                      ignored.hint));
    }
  }

  bool IsApproved(const HookEntry& entry) const {
    return std::ranges::any_of(question_.approvals.files, [&](const ApprovedFile& file) {
      return Contains(file.hooks, entry.digest);
    });
  }

  // True if the hook's name is in the command of another program, such as "sh -c" or "env".
  bool StartsOurs(const HookEntry& entry) const {
    const std::string name = std::filesystem::path(question_.program).filename();
    const auto names = [&](const std::string& word) { return word.find(name) != word.npos; };
    return entry.type == "command" &&
           (names(entry.command) || std::ranges::any_of(entry.args, names));
  }

  // Hooks run in parallel: none sees how another one changed or answered the call.
  void CheckOther(const HookEntry& entry) {
    const std::string what = Quote(entry.command.empty() ? entry.type : entry.command, 80);
    if (StartsOurs(entry)) {
      return Add(findings_, Severity::kError, "shell-form",
                 ConfigError(entry.place, what + " starts the hook instead of the client",
                             RegisterAgain(question_)));
    }
    const bool rewrites = entry.event == "PreToolUse";
    if (!rewrites && entry.event != "PermissionRequest") return;
    if (entry.is_async) return;  // its answer comes too late to count
    const bool is_approved = IsApproved(entry);
    Add(findings_, is_approved ? Severity::kNote : Severity::kWarning, "other-hook",
        ConfigError(entry.place,
                    "another hook (" + what + ") may " +
                        (rewrites ? "rewrite a call after ringfence has decided it"
                                  : "approve a call that ringfence asked the user about") +
                        (is_approved ? "; it was there at ringfence init" : ""),
                    "allowManagedHooksOnly in the managed settings excludes others"));
  }

  void CheckSwitches() {
    if (settings_.disables_hooks && question_.is_alone) {
      Add(findings_, Severity::kError, "hooks-disabled",
          ConfigError(settings_.disables_hooks_at,
                      "\"disableAllHooks\" is true: the client starts no hook", "remove it"));
    }
    if (settings_.permission_mode == "bypassPermissions") {
      Add(findings_, Severity::kNote, "bypass",
          ConfigError(
              settings_.name,
              "permissions.defaultMode is \"bypassPermissions\": the client asks nothing, and only "
              "what the policy denies is stopped",
              ""));
    }
    const std::vector<std::string>* excluded = settings_.Texts("/sandbox/excludedCommands");
    if (excluded == nullptr) return;
    for (const std::string& pattern : *excluded) {
      if (pattern.find_first_not_of("*: ") != pattern.npos) continue;
      Add(findings_, Severity::kError, "everything-excluded",
          ConfigError(settings_.name,
                      "sandbox.excludedCommands has " + Quote(pattern) +
                          ": every command runs outside the client's sandbox",
                      "name the commands, or remove it"));
    }
  }

  // The client applies "env" in its settings to hooks, except for HOME (measured on 2.1.330).
  void CheckEnvironment() {
    for (const char* name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT"}) {
      if (settings_.Texts(std::string("/env/") + name) == nullptr) continue;
      Add(findings_, Severity::kWarning, "environment",
          ConfigError(settings_.name,
                      std::string("env.") + name +
                          " puts code into every dynamic program that the client starts",
                      "remove it"));
    }
  }

  const SettingsFileQuestion& question_;
  const ClientSettings& settings_;
  Findings& findings_;
};

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
    const bool is_missing = std::ranges::all_of(ServedEvents(), missing);
    if (is_missing && FindPlugin(question_.where, question_.files).is_in_force()) {
      return Add(
          findings_, Severity::kWarning, "only-plugin",
          ConfigError("registration",
                      "only the plugin registers the hook: a project can disable it, and calls run "
                      "unchecked if its directory is removed",
                      "register the hook in your settings as well: " + InitInForce()));
    }
    if (is_missing) {
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
      std::string what = DottedKey(key.pointer) + " is true: the client itself refuses " +
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

Findings CheckSettingsFile(const SettingsFileQuestion& question) {
  Findings findings;
  FileChecker(question, findings).Run();
  return findings;
}

Findings CheckRegistration(const RegistrationQuestion& question) {
  Findings findings;
  LayersChecker(question, findings).Run();
  return findings;
}

}  // namespace ringfence
