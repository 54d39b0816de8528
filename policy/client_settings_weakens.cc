#include <algorithm>

#include "base/text.h"
#include "policy/client_settings.h"
#include "policy/client_settings_keys.h"

namespace ringfence {
namespace {

bool Has(const std::vector<std::string>& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

// Holds one file as it is now against what was approved.
class Comparison {
 public:
  Comparison(const ClientSettings& now, const Approvals& approvals, std::string_view program)
      : now_(now), approvals_(approvals), program_(program) {
    if (const ApprovedFile* file = approvals.Find(now.path)) before_ = *file;
  }

  std::vector<std::string> Run() {
    for (const Error& drop : now_.drops) {
      Say("the client may drop the whole file: " + drop.text());
    }
    if (now_.disables_hooks) Say("\"disableAllHooks\" is true");
    CompareRegistration();
    CompareHooks();
    for (const FlagKey& key : SettingFlags()) CompareFlag(key);
    for (const TextsKey& key : SettingLists()) CompareTexts(key);
    for (const SettingTexts& list : now_.lists) {
      if (list.pointer.starts_with(kVariables)) CompareTexts({list.pointer});
    }
    return std::move(sentences_);
  }

 private:
  void Say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  bool IsApproved(std::string_view digest, std::vector<std::string> ApprovedFile::*list) const {
    return std::ranges::any_of(approvals_.files,
                               [&](const ApprovedFile& file) { return Has(file.*list, digest); });
  }

  bool IsRegisteredAnywhere() const {
    return std::ranges::any_of(approvals_.files,
                               [](const ApprovedFile& file) { return !file.registration.empty(); });
  }

  void CompareRegistration() {
    size_t gone = 0;
    for (const std::string& digest : before_.registration) {
      if (std::ranges::find(now_.hooks, digest, &HookEntry::digest) == now_.hooks.end()) ++gone;
    }
    if (gone > 0) {
      Say(std::to_string(gone) + " of the " + std::to_string(before_.registration.size()) +
          " hook entries that ringfence registered here are gone or changed");
    }
    const bool alone = std::ranges::none_of(
        now_.hooks, [&](const HookEntry& entry) { return Runs(entry, program_); });
    if (now_.Flag("/allowManagedHooksOnly") == true && alone &&
        !HasFlag(before_, "/allowManagedHooksOnly", true)) {
      Say("\"allowManagedHooksOnly\" would drop the registration of ringfence elsewhere");
    }
  }

  void CompareHooks() {
    for (const HookEntry& entry : now_.hooks) {
      if (Runs(entry, program_)) {
        CompareOwn(entry);
      } else if (!IsApproved(entry.digest, &ApprovedFile::hooks)) {
        Say("the " + Quote(entry.event, 60) + " hook at " + entry.place +
            (entry.command.empty() ? "" : " (" + Quote(entry.command, 80) + ")") +
            " is not approved");
      }
    }
  }

  // An entry that starts our program but was not written by init: a person may register by hand, as
  // long as nothing in the entry lets a call through.
  void CompareOwn(const HookEntry& entry) {
    if (IsApproved(entry.digest, &ApprovedFile::registration)) return;
    const std::string what =
        "the registration of ringfence for " + Quote(entry.event, 60) + " at " + entry.place;
    if (entry.command != program_) Say(what + " starts another program");
    if (!entry.blocks_on_failure) Say(what + R"( has no "onFailure": "block")");
    if (entry.is_async) Say(what + " is asynchronous");
    if (entry.is_conditional) Say(what + " has a condition");
    if (!entry.is_for_everything()) Say(what + " has a matcher");
    if (!entry.is_exec_form) Say(what + " is started by a shell, not with \"args\"");
    if (IsRegisteredAnywhere()) Say(what + " is not approved");
  }

  static bool HasFlag(const ApprovedFile& file, std::string_view pointer, bool value) {
    return std::ranges::find(file.flags, SettingFlag{std::string(pointer), value}) !=
           file.flags.end();
  }

  void CompareFlag(const FlagKey& key) {
    const std::optional<bool> now = now_.Flag(key.pointer);
    const std::string name = Dotted(key.pointer);
    if (now == !key.strong && !HasFlag(before_, key.pointer, !key.strong)) {
      Say(name + (key.strong ? " is false" : " is true"));
    } else if (!now && HasFlag(before_, key.pointer, key.strong)) {
      Say(name + " is gone; it was " + (key.strong ? "true" : "false"));
    }
  }

  void CompareTexts(const TextsKey& key) {
    const std::vector<std::string> none;
    const std::vector<std::string>* set = now_.Texts(key.pointer);
    const auto old = std::ranges::find(before_.lists, key.pointer, &SettingTexts::pointer);
    const std::vector<std::string>& now = set == nullptr ? none : *set;
    const std::vector<std::string>& before = old == before_.lists.end() ? none : old->texts;
    const bool longer = key.direction == Direction::kLongerIsWeaker;
    std::vector<std::string> weaker = longer ? now : before;
    std::erase_if(weaker, [&](const auto& text) { return Has(longer ? before : now, text); });
    if (!longer && weaker.size() > 1) {
      Say(Dotted(key.pointer) + " no longer has " + Quote(weaker.front(), 80) + " and " +
          std::to_string(weaker.size() - 1) + " more");
      return;
    }
    for (const std::string& text : weaker) {
      Say(Dotted(key.pointer) + (longer ? " has " : " no longer has ") + Quote(text, 80) +
          (longer ? ", which is not approved" : ""));
    }
  }

  // "/sandbox/enabled" as people write it: "sandbox.enabled".
  static std::string Dotted(std::string_view pointer) {
    std::string name(pointer.substr(1));
    std::ranges::replace(name, '/', '.');
    return "\"" + name + "\"";
  }

  const ClientSettings& now_;
  const Approvals& approvals_;
  std::string_view program_;
  ApprovedFile before_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::span<const FlagKey> SettingFlags() {
  static constexpr FlagKey kFlags[] = {
      {"/disableSkillShellExecution", true},
      {"/allowManagedHooksOnly", true},
      {"/permissions/blockReadsOutsideWorkingDirectories", true},
      {"/permissions/blockWritesOutsideWorkingDirectories", true},
      {"/enableAllProjectMcpServers", false},
      {"/disableCommandPluginSources", true},
      {"/sandbox/enabled", true},
      {"/sandbox/failIfUnavailable", true},
      {"/sandbox/allowUnsandboxedCommands", false},
      {"/sandbox/enableWeakerNestedSandbox", false},
      {"/sandbox/allowNestedUserNamespaces", false},
      {"/sandbox/enableWeakerNetworkIsolation", false},
      {"/sandbox/allowAppleEvents", false},
      {"/sandbox/filesystem/disabled", false},
      {"/sandbox/network/strictAllowlist", true},
      {"/sandbox/network/allowManagedDomainsOnly", true},
      {"/sandbox/network/allowAllUnixSockets", false},
      {"/sandbox/network/allowLocalBinding", false},
  };
  return kFlags;
}

std::span<const TextsKey> SettingLists() {
  using enum Direction;
  static constexpr TextsKey kLists[] = {
      // Commands that the client runs outside of its sandbox.
      {"/apiKeyHelper", kLongerIsWeaker},
      {"/proxyAuthHelper", kLongerIsWeaker},
      {"/awsAuthRefresh", kLongerIsWeaker},
      {"/awsCredentialExport", kLongerIsWeaker},
      {"/gcpAuthRefresh", kLongerIsWeaker},
      {"/otelHeadersHelper", kLongerIsWeaker},
      {"/processWrapper", kLongerIsWeaker},
      {"/policyHelper", kLongerIsWeaker},
      {"/policyHelpers", kLongerIsWeaker},
      {"/sshHostCommands", kLongerIsWeaker},
      {"/statusLine/command", kLongerIsWeaker},
      {"/subagentStatusLine/command", kLongerIsWeaker},
      {"/fileSuggestion/command", kLongerIsWeaker},
      // Plugins bring hooks, MCP servers, mods and programs; marketplaces run commands.
      {"/enabledPlugins", kLongerIsWeaker},
      {"/pluginConfigs", kLongerIsWeaker},
      {"/prependPlugins", kLongerIsWeaker},
      {"/appendPlugins", kLongerIsWeaker},
      {"/extraKnownMarketplaces", kLongerIsWeaker},
      {"/additionalMarketplaces", kLongerIsWeaker},
      {"/enabledMcpjsonServers", kLongerIsWeaker},
      {"/managedMcpServers", kLongerIsWeaker},
      {"/downloadsMirrorUrl", kLongerIsWeaker},        // where the client's next program comes from
      {kDenyRules, kShorterIsWeaker},
      {"/sandbox/enabledPlatforms", kLongerIsWeaker},  // all others have none
      {"/sandbox/excludedCommands", kLongerIsWeaker},
      {"/sandbox/filesystem/allowWrite", kLongerIsWeaker},
      {"/sandbox/filesystem/allowRead", kLongerIsWeaker},
      {"/sandbox/filesystem/denyWrite", kShorterIsWeaker},
      {"/sandbox/filesystem/denyRead", kShorterIsWeaker},
      {"/sandbox/network/allowedDomains", kLongerIsWeaker},
      {"/sandbox/network/deniedDomains", kShorterIsWeaker},
      {"/sandbox/network/allowUnixSockets", kLongerIsWeaker},
      {"/sandbox/network/allowMachLookup", kLongerIsWeaker},
      {"/sandbox/network/httpProxyPort", kLongerIsWeaker},
      {"/sandbox/network/socksProxyPort", kLongerIsWeaker},
      {"/sandbox/bwrapPath", kLongerIsWeaker},
      {"/sandbox/ripgrep/command", kLongerIsWeaker},
      {"/sandbox/ripgrep/args", kLongerIsWeaker},
      {"/sandbox/socatPath", kLongerIsWeaker},
  };
  return kLists;
}

std::vector<std::string> Weakens(const ClientSettings& settings, const Approvals& approvals,
                                 std::string_view our_program) {
  return Comparison(settings, approvals, our_program).Run();
}

}  // namespace ringfence
