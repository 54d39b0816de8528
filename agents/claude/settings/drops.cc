#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "agents/claude/settings/keys.h"
#include "agents/claude/settings/settings.h"
#include "base/json_tree.h"
#include "base/text.h"
#include "policy/load/object_reader.h"

namespace ringfence {
namespace {

// The shapes that the client (measured on 2.1.330) requires of the values in its settings.
enum class Shape : uint8_t {
  kBool,
  kText,
  kSomeText,  // not empty
  kTexts,
  kTextMap,
  kObject,
  kArray,
  kPositive,
  kCount,  // a whole number above 0
  kUrl,
  kShell,
  kOnFailure,
  kMode,
  kDisable,
};

bool IsText(const JsonNode& node) { return node.kind == JsonKind::kString; }

double NumberOf(const JsonNode& node) {
  return std::strtod(std::string(node.content()).c_str(), nullptr);
}

// True for what `new URL()` accepts, as far as hook entries use it: a scheme, and a host for http.
bool IsUrl(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string scheme = LowerAscii(text.substr(0, colon));
  if (scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") != std::string::npos) {
    return false;
  }
  std::string_view rest = text.substr(colon + 1);
  if (scheme != "http" && scheme != "https") return true;
  while (rest.starts_with('/')) rest.remove_prefix(1);
  return !rest.empty();
}

bool IsOneOf(const JsonNode& node, std::initializer_list<std::string_view> words) {
  return IsText(node) && std::ranges::find(words, node.content()) != words.end();
}

bool Fits(const JsonTree& tree, const JsonNode& node, Shape shape) {
  switch (shape) {
    case Shape::kBool:
      return node.kind == JsonKind::kTrue || node.kind == JsonKind::kFalse;
    case Shape::kText:
      return IsText(node);
    case Shape::kSomeText:
      return IsText(node) && !node.content().empty();
    case Shape::kTexts:
      return node.kind == JsonKind::kArray && std::ranges::all_of(tree.ChildrenOf(node), IsText);
    case Shape::kTextMap:
      return node.kind == JsonKind::kObject && std::ranges::all_of(tree.ChildrenOf(node), IsText);
    case Shape::kObject:
      return node.kind == JsonKind::kObject;
    case Shape::kArray:
      return node.kind == JsonKind::kArray;
    case Shape::kPositive:
      return node.kind == JsonKind::kNumber && NumberOf(node) > 0;
    case Shape::kCount:
      return node.kind == JsonKind::kNumber && NumberOf(node) > 0 &&
             std::floor(NumberOf(node)) == NumberOf(node);
    case Shape::kUrl:
      return IsText(node) && IsUrl(node.content());
    case Shape::kShell:
      return IsOneOf(node, {"bash", "powershell"});
    case Shape::kOnFailure:
      return IsOneOf(node, {"block", "continue"});
    case Shape::kMode:
      return IsOneOf(node, {"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk",
                            "manual", "plan"});
    case Shape::kDisable:
      return IsOneOf(node, {"disable"});
  }
  return false;
}

// The message for a value of another shape; in the order of Shape.
constexpr std::string_view kWanted[] = {"must be true or false",
                                        "must be a string",
                                        "must be a string that is not empty",
                                        "must be an array of strings",
                                        "must be an object of strings",
                                        "must be an object",
                                        "must be an array",
                                        "must be a number above 0",
                                        "must be a whole number above 0",
                                        "must be a URL",
                                        R"(must be "bash" or "powershell")",
                                        R"(must be "block" or "continue")",
                                        "is not a permission mode",
                                        "must be \"disable\""};

std::string_view Wanted(Shape shape) { return kWanted[static_cast<size_t>(shape)]; }

// The client drops the whole file if one of these values has the wrong shape.
struct ShapeOf {
  Shape shape;
  std::string_view pointers;  // separated by spaces
};

constexpr std::string_view kBools =
    "/disableAllHooks /disableSkillShellExecution /respectGitignore /includeCoAuthoredBy "
    "/includeGitInstructions /enforceAvailableModels /enableAllProjectMcpServers "
    "/disableClaudeAiConnectors /disableBundledSkills /disableAgentView /disableRemoteControl "
    "/disableWorkflows /disableArtifact /enableArtifact /enableWorkflows "
    "/workflowKeywordTriggerEnabled /respondToBashCommands /allowManagedHooksOnly "
    "/allowManagedPermissionRulesOnly /allowManagedMcpServersOnly "
    "/disableCommandPluginSources /disableSideloadFlags /forceRemoteSettingsRefresh "
    "/skipWebFetchPreflight /spinnerTipsEnabled /syntaxHighlightingDisabled "
    "/terminalTitleFromRename /alwaysThinkingEnabled /fastMode /fastModePerSessionOptIn "
    "/promptSuggestionEnabled /awaySummaryEnabled /showClearContextOnPlanAccept "
    "/prefersReducedMotion /autoMemoryEnabled /autoDreamEnabled /showThinkingSummaries "
    "/skipDangerousModePermissionPrompt /skipWorkflowUsageWarning /verbose "
    "/autoCompactEnabled /fileCheckpointingEnabled /showTurnDuration /showMessageTimestamps "
    "/terminalProgressBarEnabled /todoFeatureEnabled /remoteControlAtStartup "
    "/autoUploadSessions /bashEditDiffEnabled /permissions/blockReadsOutsideWorkingDirectories "
    "/permissions/blockFileToolReadsOutsideWorkingDirectories "
    "/permissions/blockWritesOutsideWorkingDirectories /permissions/denyInsteadOfPrompting "
    "/sandbox/enabled /sandbox/failIfUnavailable /sandbox/autoAllowBashIfSandboxed "
    "/sandbox/allowUnsandboxedCommands /sandbox/enableWeakerNestedSandbox "
    "/sandbox/allowNestedUserNamespaces /sandbox/enableWeakerNetworkIsolation "
    "/sandbox/allowAppleEvents /sandbox/network/strictAllowlist "
    "/sandbox/network/allowManagedDomainsOnly /sandbox/network/allowAllUnixSockets "
    "/sandbox/network/allowLocalBinding /sandbox/filesystem/allowManagedReadPathsOnly "
    "/sandbox/filesystem/disabled";
constexpr std::string_view kTextKeys =
    "/$schema /model /apiKeyHelper /proxyAuthHelper /awsCredentialExport /awsAuthRefresh "
    "/gcpAuthRefresh /processWrapper /attributionProject /prUrlTemplate /otelHeadersHelper "
    "/outputStyle /language /advisorModel /agent /minimumVersion /requiredMinimumVersion "
    "/requiredMaximumVersion /plansDirectory /timeZone /autoMemoryDirectory /claudeMd "
    "/pluginTrustMessage /statusLine/command /fileSuggestion/command";
constexpr std::string_view kTextLists =
    "/fallbackModel /availableModels /deniedModels /enabledMcpjsonServers "
    "/disabledMcpjsonServers /allowedHttpHookUrls /httpHookAllowedEnvVars "
    "/pluginSuggestionMarketplaces /companyAnnouncements /claudeMdExcludes "
    "/permissions/additionalDirectories /sandbox/excludedCommands "
    "/sandbox/network/allowedDomains /sandbox/network/deniedDomains "
    "/sandbox/network/allowUnixSockets /sandbox/network/allowMachLookup "
    "/sandbox/filesystem/allowWrite /sandbox/filesystem/denyWrite "
    "/sandbox/filesystem/denyRead /sandbox/filesystem/allowRead";
constexpr std::string_view kObjects =
    "/env /permissions /sandbox /sandbox/network /sandbox/filesystem /sandbox/credentials "
    "/sandbox/ignoreViolations /enabledPlugins /statusLine /fileSuggestion /attribution "
    "/worktree /voice /remote /modelOverrides /skillOverrides /spinnerVerbs /pluginConfigs";
constexpr std::string_view kArrays = "/permissions/allow /permissions/deny /permissions/ask";
constexpr std::string_view kCounts = "/cleanupPeriodDays /skillListingMaxDescChars";
constexpr std::string_view kShellKeys = "/defaultShell";
constexpr std::string_view kModeKeys = "/permissions/defaultMode";
constexpr std::string_view kDisables =
    "/permissions/disableBypassPermissionsMode /permissions/disableAutoMode /disableAutoMode";

constexpr ShapeOf kKeyShapes[] = {
    {Shape::kBool, kBools},      {Shape::kText, kTextKeys}, {Shape::kTexts, kTextLists},
    {Shape::kObject, kObjects},  {Shape::kArray, kArrays},  {Shape::kCount, kCounts},
    {Shape::kShell, kShellKeys}, {Shape::kMode, kModeKeys}, {Shape::kDisable, kDisables},
};

struct EntryKey {
  std::string_view key;
  Shape shape;
  bool is_required = false;
};
constexpr EntryKey kCommandKeys[] = {
    {"command", Shape::kText, true},
    {"args", Shape::kTexts},
    {"if", Shape::kText},
    {"shell", Shape::kShell},
    {"timeout", Shape::kPositive},
    {"onFailure", Shape::kOnFailure},
    {"statusMessage", Shape::kText},
    {"once", Shape::kBool},
    {"async", Shape::kBool},
    {"asyncRewake", Shape::kBool},
    {"rewakeMessage", Shape::kSomeText},
    {"rewakeSummary", Shape::kSomeText},
};
constexpr EntryKey kHttpKeys[] = {
    {"url", Shape::kUrl, true},      {"if", Shape::kText},
    {"timeout", Shape::kPositive},   {"onFailure", Shape::kOnFailure},
    {"headers", Shape::kTextMap},    {"allowedEnvVars", Shape::kTexts},
    {"statusMessage", Shape::kText}, {"once", Shape::kBool},
};
constexpr EntryKey kMcpKeys[] = {
    {"server", Shape::kText, true}, {"tool", Shape::kText, true},  {"input", Shape::kObject},
    {"if", Shape::kText},           {"timeout", Shape::kPositive}, {"statusMessage", Shape::kText},
};
constexpr EntryKey kPromptKeys[] = {
    {"prompt", Shape::kText, true},  {"if", Shape::kText},
    {"timeout", Shape::kPositive},   {"model", Shape::kText},
    {"statusMessage", Shape::kText}, {"once", Shape::kBool},
};
struct EntryType {
  std::string_view type;
  std::span<const EntryKey> keys;
};
constexpr EntryType kEntryTypes[] = {
    {"command", kCommandKeys}, {"http", kHttpKeys},    {"mcp_tool", kMcpKeys},
    {"prompt", kPromptKeys},   {"agent", kPromptKeys},
};

class HookShapes {
 public:
  HookShapes(const JsonTree& tree, JsonDocument& drops, JsonDocument& ignored)
      : tree_(tree), drops_(drops), ignored_(ignored) {}

  void Run() {
    const JsonNode* hooks = tree_.Find(tree_.root(), "hooks");
    if (hooks == nullptr) return;
    if (hooks->kind != JsonKind::kObject) return drops_.Wrong(*hooks, "must be an object");
    for (const JsonNode& event : tree_.ChildrenOf(*hooks)) CheckEvent(event);
  }

 private:
  // The client drops the whole file if it cannot load a hook that may be a guard; it ignores any
  // other hook that it cannot load.
  void CheckEvent(const JsonNode& event) {
    const bool guards =
        tree_.KeyOf(event) == "PreToolUse" || tree_.KeyOf(event) == "PermissionRequest";
    JsonDocument& mistakes = guards ? drops_ : ignored_;
    if (event.kind == JsonKind::kNull) return;
    if (event.kind != JsonKind::kArray) return mistakes.Wrong(event, "must be an array");
    for (const JsonNode& group : tree_.ChildrenOf(event)) CheckGroup(group, mistakes);
  }

  void CheckGroup(const JsonNode& group, JsonDocument& mistakes) {
    if (group.kind != JsonKind::kObject) return mistakes.Wrong(group, "must be an object");
    const JsonNode* matcher = tree_.Find(group, "matcher");
    if (matcher != nullptr && !IsText(*matcher)) mistakes.Wrong(*matcher, "must be a string");
    const JsonNode* entries = tree_.Find(group, "hooks");
    if (entries == nullptr) return mistakes.Wrong(group, "has no \"hooks\"");
    if (entries->kind != JsonKind::kArray) return mistakes.Wrong(*entries, "must be an array");
    for (const JsonNode& entry : tree_.ChildrenOf(*entries)) CheckEntry(entry, mistakes);
  }

  void CheckEntry(const JsonNode& entry, JsonDocument& mistakes) {
    if (entry.kind != JsonKind::kObject) return mistakes.Wrong(entry, "must be an object");
    const JsonNode* type = tree_.Find(entry, "type");
    if (type == nullptr) return mistakes.Wrong(entry, "has no \"type\"");
    const auto known = std::ranges::find(kEntryTypes, type->content(), &EntryType::type);
    if (!IsText(*type) || known == std::ranges::end(kEntryTypes)) {
      return mistakes.Wrong(*type, "is not a type of hook");
    }
    for (const EntryKey& key : known->keys) {
      const JsonNode* value = tree_.Find(entry, key.key);
      if (value == nullptr) {
        if (key.is_required) mistakes.Wrong(entry, "has no \"" + std::string(key.key) + "\"");
      } else if (!Fits(tree_, *value, key.shape)) {
        mistakes.Wrong(*value, Wanted(key.shape));
      }
    }
  }

  const JsonTree& tree_;
  JsonDocument& drops_;
  JsonDocument& ignored_;
};

}  // namespace

void FindDropReasons(const JsonTree& tree, ClientSettings& settings) {
  JsonDocument drops(tree, settings.drops);
  JsonDocument ignored(tree, settings.ignored);
  if (tree.root().kind != JsonKind::kObject) {
    return drops.Wrong(tree.root(), "the file must hold an object");
  }
  for (const ShapeOf& row : kKeyShapes) {
    std::string_view rest = row.pointers;
    while (!rest.empty()) {
      const JsonNode* node = NodeAt(tree, TakeUntil(rest, ' '));
      if (node != nullptr && !Fits(tree, *node, row.shape)) drops.Wrong(*node, Wanted(row.shape));
    }
  }
  for (const std::string_view pointer : {"/statusLine", "/fileSuggestion"}) {
    const JsonNode* node = NodeAt(tree, pointer);
    if (node == nullptr || node->kind != JsonKind::kObject) continue;
    const JsonNode* type = tree.Find(*node, "type");
    if (type == nullptr || !IsOneOf(*type, {"command"})) {
      drops.Wrong(*node, "needs the type \"command\"");
    }
    if (tree.Find(*node, "command") == nullptr) drops.Wrong(*node, "has no \"command\"");
  }
  HookShapes(tree, drops, ignored).Run();
}

}  // namespace ringfence
