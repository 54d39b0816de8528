#include "cli/check/registration.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/text.h"
#include "cli/settings_editor.h"
#include "hook/options.h"

namespace ringfence {
namespace {

constexpr double kLongestTimeout = 60;  // seconds; the hook itself takes at most a few
constexpr const char* kInit = "register it anew: ringfence init";

Error At(const std::string& where, std::string what, std::string hint = kInit) {
  return Error{Error::Kind::kInvalidConfig, where, std::move(what), std::move(hint)};
}

bool IsServed(std::string_view event) {
  return std::ranges::find(ServedEvents(), event) != ServedEvents().end();
}

Result<HookOptions> OptionsOf(const HookEntry& entry) {
  std::vector<std::string> words = entry.args;
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) pointers.push_back(word.data());
  return ParseHookOptions(pointers);
}

// One entry that starts our hook.
class EntryJudge {
 public:
  EntryJudge(const HookEntry& entry, Findings& findings) : entry_(entry), findings_(findings) {}

  void Run() {
    JudgeProgram();
    JudgeBlocking();
    if (!IsServed(entry_.event)) {
      Warn("wrong-event", "the hook says nothing to " + Quote(entry_.event));
    }
    if (!entry_.is_for_everything()) {
      Wrong("matcher", "the matcher " + Quote(entry_.matcher) + " leaves calls out");
    }
    if (entry_.is_conditional) {
      Wrong("conditional", "\"if\" or \"once\" lets calls go past it");
    }
  }

 private:
  void Wrong(const char* code, std::string what, std::string hint = kInit) {
    Add(findings_, Severity::kError, code, At(entry_.place, std::move(what), std::move(hint)));
  }
  void Warn(const char* code, std::string what, std::string hint = kInit) {
    Add(findings_, Severity::kWarning, code, At(entry_.place, std::move(what), std::move(hint)));
  }

  void JudgeProgram() {
    if (!entry_.is_exec_form) {
      return Wrong("shell-form",
                   "starts the hook through a shell, whose environment a project's settings can "
                   "poison (it has no \"args\")");
    }
    if (!entry_.command.starts_with('/')) {
      return Wrong("relative-path", Quote(entry_.command) +
                                        " is not an absolute path: it is looked for in a PATH "
                                        "that is not yours");
    }
    std::error_code failure;
    const bool is_program = std::filesystem::is_regular_file(entry_.command, failure) &&
                            ::access(entry_.command.c_str(), X_OK) == 0;
    if (!is_program) {
      Wrong("no-program", Quote(entry_.command) + " is not a program");
    }
    const Result<HookOptions> options = OptionsOf(entry_);
    if (!options) return Wrong("wrong-options", options.error().what);
    if (options->policy.empty()) return;
    if (!std::filesystem::is_regular_file(options->policy, failure)) {
      Wrong("no-policy", "--policy " + Quote(options->policy) + " does not exist",
            "write that policy, or register without it: ringfence init");
    }
  }

  void JudgeBlocking() {
    if (!entry_.blocks_on_failure) {
      Wrong("on-failure",
            "a hook that cannot be started lets the call through: it has no "
            "\"onFailure\": \"block\"");
    }
    if (entry_.is_async) Wrong("async", "its answer comes too late: \"async\"");
    if (!entry_.timeout || *entry_.timeout > kLongestTimeout) {
      Warn("timeout", "the client would wait " +
                          (entry_.timeout ? std::to_string(static_cast<long>(*entry_.timeout))
                                          : std::string("600")) +
                          " seconds for the hook");
    }
  }

  const HookEntry& entry_;
  Findings& findings_;
};

// All layers together.
class LayersJudge {
 public:
  LayersJudge(const RegistrationQuestion& question, Findings& findings)
      : question_(question), findings_(findings) {}

  void Run() {
    for (const SettingsFile& file : question_.files) JudgeFile(file);
    JudgeEvents();
    JudgeSwitches();
    if (question_.wraps_bash) JudgeSandbox();
  }

 private:
  void JudgeFile(const SettingsFile& file) {
    const ClientSettings& settings = file.settings;
    for (Finding& finding : JudgeSettingsFile(settings, question_.program)) {
      findings_.push_back(std::move(finding));
    }
    for (const HookEntry& entry : settings.hooks) JudgeOther(entry);
    // What is said already is not said twice.
    const bool is_said = !settings.drops.empty() || settings.disables_hooks;
    if (question_.approvals.files.empty() || is_said) return;
    for (const std::string& weaker : Weakens(settings, question_.approvals, question_.program)) {
      Add(findings_, Severity::kError, "weakened", At(settings.name, weaker));
    }
  }

  // Hooks run side by side: nobody sees what another one made of the call.
  void JudgeOther(const HookEntry& entry) {
    if (entry.event != "PreToolUse" || Runs(entry, question_.program)) return;
    const bool is_approved =
        std::ranges::any_of(question_.approvals.files, [&](const ApprovedFile& file) {
          return std::ranges::find(file.hooks, entry.digest) != file.hooks.end();
        });
    const std::string what = entry.command.empty() ? entry.type : entry.command;
    Add(findings_, is_approved ? Severity::kNote : Severity::kWarning, "other-hook",
        At(entry.place,
           "another hook (" + Quote(what, 80) +
               ") may rewrite a call after ringfence has judged it" +
               (is_approved ? "; it was there at ringfence init" : ""),
           "allowManagedHooksOnly in the managed settings keeps others out"));
  }

  bool Counts(const SettingsFile& file) const { return file.settings.drops.empty(); }

  bool IsRegistered(std::string_view event) const {
    const auto serves = [&](const HookEntry& entry) {
      return entry.event == event && Runs(entry, question_.program);
    };
    const auto has = [&](const SettingsFile& file) {
      return Counts(file) && std::ranges::any_of(file.settings.hooks, serves);
    };
    return std::ranges::any_of(question_.files, has);
  }

  void JudgeEvents() {
    const auto missing = [&](std::string_view event) { return !IsRegistered(event); };
    if (std::ranges::all_of(ServedEvents(), missing)) {
      return Add(findings_, Severity::kError, "not-registered",
                 At("registration", "no settings file registers the hook: nothing is decided",
                    "register it: ringfence init"));
    }
    for (const std::string_view event : ServedEvents()) {
      if (!missing(event)) continue;
      const bool decides = event == ServedEvents().front();
      Add(findings_, decides ? Severity::kError : Severity::kWarning, "not-registered",
          At("registration", "no settings file registers the hook for " + std::string(event) +
                                 (decides ? ": no call is decided" : "")));
    }
  }

  void JudgeSwitches() {
    for (const SettingsFile& file : question_.files) {
      if (!file.settings.disables_hooks || !Counts(file)) continue;
      Add(findings_, Severity::kError, "hooks-disabled",
          At(file.settings.name, "\"disableAllHooks\" is true: the client starts no hook",
             "take it out"));
    }
  }

  // A sandbox in a sandbox cannot be.
  void JudgeSandbox() {
    for (const SettingsFile& file : question_.files) {
      if (!Counts(file) || file.settings.Flag("/sandbox/enabled") != true) continue;
      Add(findings_, Severity::kError, "two-sandboxes",
          At(file.settings.name,
             "sandbox.enabled is true and the policy has bash.wrap: every wrapped command fails",
             "ringfence init switches the client's sandbox off"));
    }
  }

  const RegistrationQuestion& question_;
  Findings& findings_;
};

}  // namespace

Findings JudgeSettingsFile(const ClientSettings& settings, const std::string& program) {
  Findings findings;
  for (const Error& drop : settings.drops) {
    Add(findings, Severity::kError, "dropped-file",
        At(drop.where, drop.what + ": for this the client drops the whole file, hooks included",
           drop.hint.empty() ? "mend it" : drop.hint));
  }
  for (const Error& ignored : settings.ignored) {
    Add(findings, Severity::kWarning, "ignored-entry",
        At(ignored.where, "the client ignores a hook entry: " + ignored.what, ignored.hint));
  }
  for (const HookEntry& entry : settings.hooks) {
    if (Runs(entry, program)) EntryJudge(entry, findings).Run();
  }
  return findings;
}

Findings JudgeRegistration(const RegistrationQuestion& question) {
  Findings findings;
  LayersJudge(question, findings).Run();
  return findings;
}

}  // namespace ringfence
