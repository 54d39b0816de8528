#include "policy/tools.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/utf8.h"
#include "policy/tool_fields.h"
#include "policy/word_list.h"

namespace ringfence {
namespace {

using namespace tool_fields;

constexpr KnownTool kTools[] = {
    {"Agent", kAgent, true},
    {"AppifactRepl", {}, true},
    {"Artifact", kArtifact},
    {"ArtifactCheck", kArtifactPart},
    {"ArtifactComments", kArtifactPart},
    {"ArtifactData", kArtifactPart},
    {"AskUserQuestion", {}},
    {"Bash", kShell, true},
    {"BashOutput", {}},
    {"ClaudeDesign", {}},
    {"CronCreate", {}, true},
    {"CronDelete", {}},
    {"CronList", {}},
    {"DesignSync", kDesignSync},
    {"Edit", kEditFile},
    {"EndConversation", {}},
    {"EnterPlanMode", {}},
    {"EnterWorktree", kWorktree},
    {"ExitPlanMode", {}},
    {"ExitWorktree", {}},
    {"FetchInboxMessage", {}},
    {"GetGoal", {}},
    {"GetTask", {}},
    {"Glob", kGlob},
    {"Grep", kGrep},
    {"LS", kList},
    {"LSP", kLanguageServer},
    {"ListAgents", {}},
    {"ListConnectors", {}},
    {"ListMcpResourcesTool", kResources},
    {"ListPlugins", {}},
    {"ListSkills", {}},
    {"McpTaskCheck", {}},
    {"McpTaskResumePolling", {}},
    {"McpTaskShowQuestion", {}},
    {"Monitor", kMonitor, true},
    {"MultiEdit", kEditFile},
    {"NotebookEdit", kEditNotebook},
    {"NotebookRead", kReadNotebook},
    {"ObserverReport", {}},
    {"OfferChromeSetup", {}},
    {"PauseGoal", {}},
    {"Poll", {}},
    {"PowerShell", kShell, true},
    {"Projects", kProjects},
    {"PublishPlugin", kPlugin},
    {"PushNotification", {}},
    {"REPL", {}, true},
    {"Read", kReadFile},
    {"ReadMcpResourceDirTool", kResource},
    {"ReadMcpResourceTool", kResource},
    {"ReadNotifications", {}},
    {"ReadWidgetContext", {}},
    {"RefreshMcpTools", {}},
    {"RemoteTrigger", {}, true},
    {"ReportFindings", {}},
    {"ScheduleWakeup", {}},
    {"SearchMcpRegistry", {}},
    {"SearchPlugins", {}},
    {"SearchSkills", {}},
    {"SendFeedback", {}},
    {"SendFile", kFiles},
    {"SendMessage", {}},
    {"SendToProject", {}},
    {"SendToProjectContext", {}},
    {"SendUserFile", kFiles},
    {"SendUserMessage", kAttachments},
    {"SetGoal", {}},
    {"ShareOnboardingGuide", {}},
    {"ShowOnboardingRolePicker", {}},
    {"Skill", {}, true},
    {"StructuredOutput", {}, false, true},
    {"SubagentHandback", {}},
    {"SuggestConnectors", {}},
    {"SuggestPluginInstall", {}},
    {"SuggestSkills", {}},
    {"TaskCreate", {}},
    {"TaskGet", {}},
    {"TaskList", {}},
    {"TaskOutput", {}},
    {"TaskStop", kStop},
    {"TaskUpdate", {}},
    {"TodoWrite", {}},
    {"ToolSearch", {}},
    {"WaitForMcpServers", {}},
    {"WebFetch", kFetch},
    {"WebSearch", {}},
    {"Workflow", kWorkflow, true},
    {"WrapUp", {}},
    {"Write", kWriteFile},
    {"Yield", {}},
    {"enable__mcp__claude-in-chrome", {}},
    {"enable__mcp__remote-devices__Claude_Browser", {}},
    {"enable__mcp__remote-devices__computer", {}},
    {"memory_list", {}},
    {"memory_read", kMemory},
    {"memory_write", kMemory},
    {"propose_skills", {}},
    {"request_computer", {}},
    {"self_hosted_runner_get_pool", {}},
    {"self_hosted_runner_list_runners", {}},
    {"self_hosted_runner_list_secrets", {}},
    {"self_hosted_runner_list_sessions", {}},
    {"self_hosted_runner_read_health", {}},
    {"self_hosted_runner_read_metrics", {}},
    {"self_hosted_runner_requeue_session", {}, true},
    {"self_hosted_runner_spawn_local", kRunner, true},
    {"self_hosted_runner_tail_log", kRunnerLog},
};

constexpr ToolAlias kAliases[] = {
    {"Brief", "SendUserMessage"},
    {"Eval", "REPL"},
    {"KillBash", "TaskStop"},
    {"KillShell", "TaskStop"},
    {"ListMcpResources", "ListMcpResourcesTool"},
    {"ListPeers", "ListAgents"},
    {"ProposeGoal", "SetGoal"},
    {"ReadMcpResource", "ReadMcpResourceTool"},
    {"ReadMcpResourceDir", "ReadMcpResourceDirTool"},
    {"RunWorkflow", "Workflow"},
    {"Task", "Agent"},
};

// Normal keys. What file, git and editor servers call their path arguments.
constexpr WordList kPathNames(
    "absolutepath\n"
    "basedir\n"
    "basepath\n"
    "configfile\n"
    "configpath\n"
    "cwd\n"
    "dbpath\n"
    "dest\n"
    "destination\n"
    "destinationpath\n"
    "destpath\n"
    "dir\n"
    "directory\n"
    "directorypath\n"
    "dirpath\n"
    "dst\n"
    "file\n"
    "filename\n"
    "filepath\n"
    "folder\n"
    "folderpath\n"
    "frompath\n"
    "fullpath\n"
    "inputfile\n"
    "inputpath\n"
    "localpath\n"
    "newpath\n"
    "notebookpath\n"
    "oldpath\n"
    "outdir\n"
    "outfile\n"
    "outputdir\n"
    "outputdirectory\n"
    "outputfile\n"
    "outputpath\n"
    "path\n"
    "pathname\n"
    "projectdir\n"
    "projectpath\n"
    "projectroot\n"
    "relativepath\n"
    "repo\n"
    "repopath\n"
    "repository\n"
    "repositorypath\n"
    "root\n"
    "rootdir\n"
    "rootpath\n"
    "savepath\n"
    "scriptpath\n"
    "source\n"
    "sourcepath\n"
    "src\n"
    "target\n"
    "targetpath\n"
    "topath\n"
    "workdir\n"
    "workingdir\n"
    "workingdirectory\n"
    "workspacepath\n");
constexpr WordList kPathListNames(
    "destinations\ndirectories\ndirs\nfilenames\nfilepaths\nfiles\n"
    "folders\npaths\nroots\nsources\ntargets\n");
constexpr WordList kUrlNames("href\nuri\nuris\nurl\nurls\n");
// They only end like one.
constexpr WordList kOtherNames("classpath\njsonpath\nkeypath\nprofile\nprofiles\nxpath\n");

// Single words of the names that MCP tools have.
constexpr WordList kPathWords(
    "cwd\ndest\ndestination\ndir\ndirectory\ndst\nfile\nfilename\nfilepath\nfolder\noutput\n"
    "path\nroot\nsrc\nworkdir\nworkspace\n");
constexpr WordList kPathListWords(
    "dirs\ndirectories\nfilenames\nfilepaths\nfiles\nfolders\npaths\n");
constexpr WordList kUrlWords(
    "domain\ndomains\nendpoint\nhost\nhostname\nhosts\nhref\nlink\nlinks\norigin\nsite\nuri\nuris\n"
    "url\nurls\nwebsite\n");
constexpr WordList kOutputWords("dest\ndestination\ndownload\ndst\nout\noutput\nsave\n");

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Takes the next word off `rest`, in lower case: "file" of "fileName", "url" of "URLPath".
std::string TakeWord(std::string_view& rest) {
  while (!rest.empty() && !IsLower(rest[0]) && !IsUpper(rest[0])) rest.remove_prefix(1);
  size_t size = 0;
  for (; size < rest.size() && (IsLower(rest[size]) || IsUpper(rest[size])); ++size) {
    if (size == 0 || !IsUpper(rest[size])) continue;
    const bool ends_capitals = size + 1 < rest.size() && IsLower(rest[size + 1]);
    if (IsLower(rest[size - 1]) || ends_capitals) break;
  }
  std::string word = LowerAscii(rest.substr(0, size));
  rest.remove_prefix(size);
  return word;
}

}  // namespace

std::span<const KnownTool> KnownTools() { return kTools; }

const KnownTool* FindTool(std::string_view name) {
  name = MainToolName(name);
  const auto* tool = std::ranges::lower_bound(kTools, name, {}, &KnownTool::name);
  return tool != std::end(kTools) && tool->name == name ? tool : nullptr;
}

std::span<const ToolAlias> ToolAliases() { return kAliases; }

std::string_view MainToolName(std::string_view name) {
  const auto* alias = std::ranges::find(kAliases, name, &ToolAlias::alias);
  return alias == std::end(kAliases) ? name : alias->tool;
}

bool ReachesMcpServer(std::string_view name) {
  if (IsMcpTool(name)) return true;
  const KnownTool* tool = FindTool(name);
  return tool != nullptr && std::ranges::find(tool->fields, FieldRole::kResourceUri,
                                              &ToolField::role) != tool->fields.end();
}

bool RunsCommand(std::string_view name) { return name == "Bash" || name == "Monitor"; }

bool IsOtherShell(std::string_view name) { return name == "Monitor" || name == "PowerShell"; }

std::string NormalKey(std::string_view key) {
  std::string normal;
  while (!key.empty()) {
    const CodePoint point = DecodeUtf8(key);
    const size_t length = point.length == 0 ? 1 : point.length;
    const bool dropped = point.length != 0 && (point.value == '_' || point.value == '-' ||
                                               IsTrimmed(point.value) || IsInvisible(point.value));
    if (!dropped && length == 1) {
      const char c = key[0];
      normal.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
    } else if (!dropped) {
      normal.append(key.substr(0, length));
    }
    key.remove_prefix(length);
  }
  return normal;
}

bool IsSandboxFlag(std::string_view key) {
  return key.size() >= 25 && NormalKey(key) == "dangerouslydisablesandbox";
}

UsualName UsualNameOf(std::string_view key) {
  if (key.empty() || key.size() > 64) return UsualName::kNone;
  const std::string normal = NormalKey(key);
  if (kPathNames.Contains(normal)) return UsualName::kPath;
  if (kPathListNames.Contains(normal)) return UsualName::kPaths;
  if (kUrlNames.Contains(normal)) return UsualName::kUrl;
  if (kOtherNames.Contains(normal)) return UsualName::kNone;
  const auto ends = [&normal](std::string_view end) { return normal.ends_with(end); };
  if (ends("paths") || ends("files") || ends("folders")) return UsualName::kPaths;
  if (ends("path") || ends("file") || ends("filename") || ends("folder")) return UsualName::kPath;
  if (ends("url") || ends("urls") || ends("uri") || ends("uris")) return UsualName::kUrl;
  return UsualName::kNone;
}

UsualName McpNameOf(std::string_view key) {
  const UsualName usual = UsualNameOf(key);
  if (usual != UsualName::kNone || key.empty() || key.size() > 64) return usual;
  if (kOtherNames.Contains(NormalKey(key))) return usual;
  UsualName found = UsualName::kNone;
  std::string_view rest = key;
  for (std::string word = TakeWord(rest); !word.empty(); word = TakeWord(rest)) {
    if (kPathWords.Contains(word)) return UsualName::kPath;
    if (kPathListWords.Contains(word)) return UsualName::kPaths;
    if (kUrlWords.Contains(word)) found = UsualName::kUrl;
  }
  return found;
}

bool NamesOutput(std::string_view key) {
  if (key.size() > 64) return false;
  std::string_view rest = key;
  for (std::string word = TakeWord(rest); !word.empty(); word = TakeWord(rest)) {
    if (kOutputWords.Contains(word)) return true;
  }
  return false;
}

}  // namespace ringfence
