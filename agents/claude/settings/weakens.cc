#include <algorithm>

#include "agents/claude/settings/keys.h"
#include "agents/claude/settings/settings.h"
#include "base/contains.h"
#include "base/json_pointer.h"
#include "base/text.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

// clang-format off
// Commands that the client runs outside its sandbox.
constexpr WordList kClientCommands(
    "/apiKeyHelper\n/proxyAuthHelper\n/awsAuthRefresh\n/awsCredentialExport\n"
    "/gcpAuthRefresh\n/otelHeadersHelper\n/processWrapper\n/policyHelper\n/policyHelpers\n"
    "/sshHostCommands\n/statusLine/command\n/subagentStatusLine/command\n"
    "/fileSuggestion/command\n");
// Plugins add hooks, MCP servers, mods and programs; marketplaces run commands. The client
// downloads its next program from the mirror. A configuration root is another directory whose
// plugins and skills are used.
constexpr WordList kPlugins(
    "/enabledPlugins\n/pluginConfigs\n/prependPlugins\n/appendPlugins\n"
    "/extraKnownMarketplaces\n/additionalMarketplaces\n/enabledMcpjsonServers\n"
    "/managedMcpServers\n/downloadsMirrorUrl\n/additionalDirectoryConfigRoots\n");
// Gaps in the client's own fence, and the paths that the fence keeps closed. The client reads these
// only from the settings of the program that starts it (--settings).
constexpr WordList kFenceGaps("/permissions/blockReadsExemptPaths\n");
constexpr WordList kFenceDenies("/permissions/workingDirectoriesExclude\n");
// Settings that bypass the sandbox, widen it or replace its programs.
constexpr WordList kSandboxKey(
    "/sandbox/enabledPlatforms\n/sandbox/excludedCommands\n/sandbox/filesystem/allowWrite\n"
    "/sandbox/filesystem/allowRead\n/sandbox/network/allowedDomains\n"
    "/sandbox/network/allowUnixSockets\n/sandbox/network/allowMachLookup\n"
    "/sandbox/network/httpProxyPort\n/sandbox/network/socksProxyPort\n/sandbox/bwrapPath\n"
    "/sandbox/ripgrep/command\n/sandbox/ripgrep/args\n/sandbox/socatPath\n");
constexpr WordList kSandboxDenies(
    "/sandbox/filesystem/denyWrite\n/sandbox/filesystem/denyRead\n"
    "/sandbox/network/deniedDomains\n");
// Secrets that commands in the sandbox see only as a placeholder, and the hosts that still get
// them.
constexpr WordList kSandboxMasks(
    "/sandbox/credentials/awsPairs\n/sandbox/credentials/envVars\n/sandbox/credentials/files\n"
    "/sandbox/credentials/sigv4\n");
// Flags, grouped by the stronger value.
constexpr WordList kStrongTrue(
    "/disableSkillShellExecution\n/allowManagedHooksOnly\n"
    "/permissions/blockReadsOutsideWorkingDirectories\n"
    "/permissions/blockFileToolReadsOutsideWorkingDirectories\n"
    "/permissions/blockWritesOutsideWorkingDirectories\n/disableCommandPluginSources\n"
    "/sandbox/enabled\n/sandbox/failIfUnavailable\n/sandbox/network/strictAllowlist\n"
    "/sandbox/network/allowManagedDomainsOnly\n");
constexpr WordList kStrongFalse(
    "/enableAllProjectMcpServers\n/sandbox/allowUnsandboxedCommands\n"
    "/sandbox/enableWeakerNestedSandbox\n/sandbox/allowNestedUserNamespaces\n"
    "/sandbox/enableWeakerNetworkIsolation\n/sandbox/allowAppleEvents\n"
    "/sandbox/filesystem/disabled\n/sandbox/network/allowAllUnixSockets\n"
    "/sandbox/network/allowLocalBinding\n/sandbox/credentials/allowPlaintextInject\n");
// clang-format on

// Compares one file, in its present state, with what was approved.
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
    return std::ranges::any_of(
        approvals_.files, [&](const ApprovedFile& file) { return Contains(file.*list, digest); });
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

  // An entry that starts ringfence's hook but was not written by init: users may register by hand,
  // as long as nothing in the entry lets a call through.
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
    const std::string name = QuotedKey(key.pointer);
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
    if (key.direction == Direction::kChangedIsWeaker) return CompareMasks(key, before, now);
    const bool longer = key.direction == Direction::kLongerIsWeaker;
    std::vector<std::string> weaker = longer ? now : before;
    std::erase_if(weaker, [&](const auto& text) { return Contains(longer ? before : now, text); });
    if (!longer && weaker.size() > 1) {
      Say(QuotedKey(key.pointer) + " no longer has " + Quote(weaker.front(), 80) + " and " +
          std::to_string(weaker.size() - 1) + " more");
      return;
    }
    for (const std::string& text : weaker) {
      if (IsOwnPlugin(key.pointer, text)) continue;
      Say(QuotedKey(key.pointer) + (longer ? " has " : " no longer has ") + Quote(text, 80) +
          (longer ? ", which is not approved" : ""));
    }
  }

  // True for the values that enable the plugin of this installation.
  bool IsOwnPlugin(std::string_view pointer, std::string_view text) const {
    if (pointer == kPluginSwitches) return text == std::string(kOwnPlugin) + "=true";
    if (pointer != "/extraKnownMarketplaces" || !program_.starts_with('/')) return false;
    return text == "ringfence/source/source=directory" ||
           text == "ringfence/source/path=" + MarketplaceOf(Path::Clean(program_)).text();
  }

  void CompareMasks(const TextsKey& key, const std::vector<std::string>& before,
                    const std::vector<std::string>& now) {
    for (const std::string& item : before) {
      if (!Contains(now, item)) Say(QuotedKey(key.pointer) + " no longer has " + Quote(item, 80));
    }
    for (const std::string& item : now) {
      const bool leaves = item.find("\"injectHosts\"") != item.npos;
      if (leaves && !Contains(before, item)) {
        Say(QuotedKey(key.pointer) + " has " + Quote(item, 80) + ", which is not approved");
      }
    }
  }

  static std::string QuotedKey(std::string_view pointer) {
    return "\"" + DottedKey(pointer) + "\"";
  }

  const ClientSettings& now_;
  const Approvals& approvals_;
  std::string_view program_;
  ApprovedFile before_;
  std::vector<std::string> sentences_;
};

}  // namespace

Path MarketplaceOf(const Path& program) {
  return program.Parent().Parent().Child("share").Child("ringfence").Child("claude-plugin");
}

std::vector<FlagKey> SettingFlags() {
  std::vector<FlagKey> keys;
  for (const std::string_view pointer : kStrongTrue) keys.push_back({pointer, true});
  for (const std::string_view pointer : kStrongFalse) keys.push_back({pointer, false});
  return keys;
}

std::vector<TextsKey> SettingLists() {
  std::vector<TextsKey> keys;
  for (const WordList& list : {kClientCommands, kPlugins, kSandboxKey, kFenceGaps}) {
    for (const std::string_view pointer : list) keys.push_back({pointer});
  }
  for (const WordList& list : {kSandboxDenies, kFenceDenies}) {
    for (const std::string_view pointer : list) {
      keys.push_back({pointer, Direction::kShorterIsWeaker});
    }
  }
  for (const std::string_view pointer : kSandboxMasks) {
    keys.push_back({pointer, Direction::kChangedIsWeaker});
  }
  keys.push_back({kDenyRules, Direction::kShorterIsWeaker});
  return keys;
}

std::vector<std::string> Weakens(const ClientSettings& settings, const Approvals& approvals,
                                 std::string_view our_program) {
  return Comparison(settings, approvals, our_program).Run();
}

}  // namespace ringfence
