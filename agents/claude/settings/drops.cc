#include <algorithm>
#include <span>
#include <string>

#include "agents/claude/settings/keys.h"
#include "agents/claude/settings/settings.h"
#include "agents/claude/settings/shape.h"
#include "base/text.h"

namespace ringfence {
namespace {

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
    "/autoUploadSessions /bashEditDiffEnabled "
    "/permissions/blockReadsOutsideWorkingDirectories "
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
  HookShapes(const JsonTree& tree, ClientSettings& settings) : tree_(tree), settings_(settings) {}

  void Run() {
    const JsonNode* hooks = tree_.Find(tree_.root(), "hooks");
    if (hooks == nullptr) return;
    if (hooks->kind != JsonKind::kObject) {
      Add(settings_.drops, *hooks, "must be an object");
      return;
    }
    for (JsonTree::Index i = hooks->first_child; i != JsonTree::kNone; i = tree_.node(i).next) {
      CheckEvent(tree_.node(i));
    }
  }

 private:
  // The client drops the whole file if it cannot load a hook that may be a guard; it ignores any
  // other hook that it cannot load.
  void CheckEvent(const JsonNode& event) {
    const bool guards =
        tree_.KeyOf(event) == "PreToolUse" || tree_.KeyOf(event) == "PermissionRequest";
    std::vector<Error>& mistakes = guards ? settings_.drops : settings_.ignored;
    if (event.kind == JsonKind::kNull) return;
    if (event.kind != JsonKind::kArray) {
      Add(mistakes, event, "must be an array");
      return;
    }
    for (JsonTree::Index i = event.first_child; i != JsonTree::kNone; i = tree_.node(i).next) {
      CheckGroup(tree_.node(i), mistakes);
    }
  }

  void CheckGroup(const JsonNode& group, std::vector<Error>& mistakes) {
    if (group.kind != JsonKind::kObject) return Add(mistakes, group, "must be an object");
    const JsonNode* matcher = tree_.Find(group, "matcher");
    if (matcher != nullptr && matcher->kind != JsonKind::kString)
      Add(mistakes, *matcher, "must be a string");
    const JsonNode* entries = tree_.Find(group, "hooks");
    if (entries == nullptr) return Add(mistakes, group, "has no \"hooks\"");
    if (entries->kind != JsonKind::kArray) return Add(mistakes, *entries, "must be an array");
    for (JsonTree::Index i = entries->first_child; i != JsonTree::kNone; i = tree_.node(i).next) {
      CheckEntry(tree_.node(i), mistakes);
    }
  }

  void CheckEntry(const JsonNode& entry, std::vector<Error>& mistakes) {
    if (entry.kind != JsonKind::kObject) return Add(mistakes, entry, "must be an object");
    const JsonNode* type = tree_.Find(entry, "type");
    if (type == nullptr) return Add(mistakes, entry, "has no \"type\"");
    const auto known = std::ranges::find(kEntryTypes, type->content(), &EntryType::type);
    if (type->kind != JsonKind::kString || known == std::ranges::end(kEntryTypes)) {
      return Add(mistakes, *type, "is not a type of hook");
    }
    for (const EntryKey& key : known->keys) {
      const JsonNode* value = tree_.Find(entry, key.key);
      if (value == nullptr) {
        if (key.is_required) Add(mistakes, entry, "has no \"" + std::string(key.key) + "\"");
      } else if (!Fits(tree_, *value, key.shape)) {
        Add(mistakes, *value, Wanted(key.shape));
      }
    }
  }

  void Add(std::vector<Error>& mistakes, const JsonNode& node, std::string_view what) const {
    mistakes.push_back({Error::Kind::kInvalidConfig,
                        PlaceText(settings_.name, tree_.text(), node.begin),
                        Printable(tree_.Pointer(node)) + " " + std::string(what), ""});
  }

  const JsonTree& tree_;
  ClientSettings& settings_;
};

}  // namespace

void FindDropReasons(const JsonTree& tree, ClientSettings& settings) {
  const auto drop = [&](const JsonNode& node, std::string_view what) {
    const std::string pointer = Printable(tree.Pointer(node));
    settings.drops.push_back({Error::Kind::kInvalidConfig,
                              PlaceText(settings.name, tree.text(), node.begin),
                              (pointer.empty() ? "" : pointer + " ") + std::string(what), ""});
  };
  if (tree.root().kind != JsonKind::kObject)
    return drop(tree.root(), "the file must hold an object");
  for (const ShapeOf& row : kKeyShapes) {
    std::string_view rest = row.pointers;
    while (!rest.empty()) {
      const std::string_view pointer = TakeUntil(rest, ' ');
      const JsonNode* node = NodeAt(tree, pointer);
      if (node != nullptr && !Fits(tree, *node, row.shape)) drop(*node, Wanted(row.shape));
    }
  }
  for (const std::string_view pointer : {"/statusLine", "/fileSuggestion"}) {
    const JsonNode* node = NodeAt(tree, pointer);
    if (node == nullptr || node->kind != JsonKind::kObject) continue;
    const JsonNode* type = tree.Find(*node, "type");
    if (type == nullptr || !IsOneOf(*type, {"command"})) drop(*node, "needs the type \"command\"");
    if (tree.Find(*node, "command") == nullptr) drop(*node, "has no \"command\"");
  }
  HookShapes(tree, settings).Run();
}

}  // namespace ringfence
