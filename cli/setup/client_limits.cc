#include "cli/setup/client_limits.h"

#include <algorithm>
#include <utility>

#include "agents/claude/setup/client_rules.h"
#include "agents/claude/setup/client_sandbox.h"
#include "agents/claude/setup/derived_settings.h"
#include "base/json_pointer.h"
#include "cli/common/registered.h"
#include "cli/setup/guarded_paths.h"
#include "cli/setup/installation.h"

namespace ringfence {
namespace {

class ClientLimiter {
 public:
  ClientLimiter(const LimitQuestion& question, SettingsEditor& editor)
      : question_(question),
        request_(question.request),
        policy_(question.policy),
        places_(question.context.places),
        editor_(editor) {}

  Result<LimitedClient> Run() {
    KeepOrSet(NoSkillShell());
    Apply(ClientFenceFor(policy_, request_.client_fence));
    DenyMentions();
    if (policy_.wrap_bash) {
      LeaveSandbox();
    } else {
      LimitSandbox();
    }
    if (Status s = PermitWrapping(); !s) return s.error();
    return std::move(limited_);
  }

 private:
  void Note(std::string note) { limited_.notes.push_back(std::move(note)); }

  void Apply(const ClientLimits& limits) {
    for (const std::string& pointer : limits.dropped) editor_.DropFlag(pointer);
    for (const ClientLimits::Flag& flag : limits.flags) editor_.SetFlag(flag.pointer, flag.value);
    for (const ClientLimits::Texts& list : limits.lists) {
      editor_.SyncTexts(list.pointer, list.texts);
    }
    for (const std::string& note : limits.notes) Note(note);
  }

  // Denies @path in prompts by the client's own rules, because the client calls no hook for it.
  void DenyMentions() {
    Places places = places_;
    const bool is_shared =
        request_.layer == SettingsLayer::kProject || request_.layer == SettingsLayer::kManaged;
    if (is_shared) places.settings_folders.clear();  // this user's only
    editor_.SyncTexts(std::string(kDenyRules), MentionRulesFor(policy_, places));
  }

  // Sets the flag. If the user has switched it off, leaves it off and adds a note.
  void KeepOrSet(const ClientLimits::Flag& flag) {
    const ClientSettings& own = question_.own.settings;
    if (own.Flag(flag.pointer) != !flag.value) return editor_.SetFlag(flag.pointer, flag.value);
    Note(DottedKey(flag.pointer) + " is off in " + own.name + " and stays off");
  }

  void LimitSandbox() {
    const SandboxTools& tools = limited_.tools = FindSandboxTools();
    if (request_.keeps_client_sandbox) {
      return Note("--no-client-sandbox: the client's sandbox was left as it is");
    }
    if (!tools.missing.empty()) {
      return Note(
          "the client's sandbox was not switched on: " + tools.MissingText() +
          " cannot be found, and with failIfUnavailable the client would refuse to start. Install "
          "them (apt install bubblewrap socat, dnf install bubblewrap socat) and run ringfence "
          "init again");
    }
    if (!tools.broken.empty()) {
      return Note("the client's sandbox was not switched on, because it cannot work here: " +
                  tools.broken);
    }
    limited_.limits_sandbox = true;
    if (request_.root.empty() && !question_.is_borrowed) {
      limited_.writes = RepositoryWritesFor(places_);
    }
    ClientLimits limits = SandboxFor(policy_, places_, request_.layer,
                                     GuardedPaths({request_.where, request_.layer, request_.hook,
                                                   request_.policy, question_.context, policy_}));
    if (request_.layer == SettingsLayer::kLocal) AddTo(limits, limited_.writes);
    Apply(limits);
    NoteCaches();
  }

  void NoteCaches() {
    std::string names;
    for (const std::string& cache : ClosedCaches(policy_, places_)) {
      names += (names.empty() ? "" : ", ") + cache;
    }
    if (names.empty()) return;
    Note(
        "commands in the client's sandbox cannot write package caches, so installing packages may "
        "fail: " +
        names + ". To permit one, run: ringfence allow " + names.substr(0, names.find(',')) +
        ", and ringfence init again. Then they can also change what your other projects take from "
        "it");
  }

  // Without wrapping, removes the rules that an earlier run added.
  Status PermitWrapping() {
    std::vector<std::string> rules;
    if (policy_.wrap_bash) {
      if (Status s = WrappingRules(request_.hook.path).MoveTo(rules); !s) return s.error();
    } else if (MayWrap(question_.context.sources)) {
      Note(kWrapsForSome);
    }
    editor_.SyncTexts("/permissions/allow", rules);
    return Unit{};
  }

  // Switches the client's sandbox off: sandboxes cannot be nested, and the client exempts a command
  // from its own sandbox only if it knows every part of the command.
  void LeaveSandbox() {
    const std::string kSandboxSwitch = "/sandbox/enabled";
    const ClientLimits limits = SandboxFor(policy_, places_, request_.layer, {});
    for (const std::string& pointer : limits.dropped) editor_.DropFlag(pointer);
    for (const ClientLimits::Flag& flag : limits.flags) {
      if (flag.pointer != kSandboxSwitch) editor_.DropFlag(flag.pointer);
    }
    for (const ClientLimits::Texts& list : limits.lists) editor_.SyncTexts(list.pointer, {});
    if (editor_.Has(kSandboxSwitch)) editor_.SetFlag(kSandboxSwitch, false);
    for (const SettingsFile& file : question_.files) {
      if (file.layer == request_.layer || !file.settings.drops.empty()) continue;
      if (file.settings.Flag(kSandboxSwitch) != true) continue;
      Note("sandbox.enabled is true in " + file.settings.name +
           ": while the client's own sandbox is on, every wrapped command fails");
    }
  }

  const LimitQuestion& question_;
  const InstallRequest& request_;
  const Policy& policy_;
  const Places& places_;
  SettingsEditor& editor_;
  LimitedClient limited_;
};

}  // namespace

Result<LimitedClient> LimitClient(const LimitQuestion& question, SettingsEditor& editor) {
  return ClientLimiter(question, editor).Run();
}

}  // namespace ringfence
