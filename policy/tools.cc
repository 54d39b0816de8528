#include "policy/tools.h"

#include <algorithm>
#include <iterator>

#include "base/utf8.h"

namespace ringfence {
namespace {

using enum FieldRole;

constexpr ToolField kReadFile[] = {{"/file_path", kRead, true}};
constexpr ToolField kWriteFile[] = {{"/file_path", kWrite, true}};
constexpr ToolField kEditFile[] = {{"/file_path", kReadWrite, true}};
constexpr ToolField kEditNotebook[] = {{"/notebook_path", kReadWrite, true}};
constexpr ToolField kReadNotebook[] = {{"/notebook_path", kRead, true}};
constexpr ToolField kList[] = {{"/path", kSearchFolder, true}};
constexpr ToolField kGlob[] = {{"/path", kSearchFolder, false}, {"/pattern", kSearchPattern, true}};
constexpr ToolField kGrep[] = {{"/path", kSearchFolder, false}, {"/glob", kSearchFilter, false}};
constexpr ToolField kFetch[] = {{"/url", kUrl, true}};
constexpr ToolField kMonitor[] = {{"/ws/url", kUrl, false}};
constexpr ToolField kWorktree[] = {{"/path", kWrite, false}, {"/name", kWorktreeName, false}};
constexpr ToolField kWorkflow[] = {{"/scriptPath", kRead, false}};
constexpr ToolField kResource[] = {{"/server", kMcpServer, true}, {"/uri", kResourceUri, true}};
constexpr ToolField kResources[] = {{"/server", kMcpServer, false}};
constexpr ToolField kArtifact[] = {{"/file_path", kRead, false},
                                   {"/file_paths", kRead, false},
                                   {"/out_dir", kWrite, false},
                                   {"/url", kUrl, false}};
constexpr ToolField kProjects[] = {{"/path", kRead, false}, {"/local_path", kReadWrite, false}};
constexpr ToolField kLanguageServer[] = {{"/filePath", kRead, true}};

constexpr KnownTool kTools[] = {
    {"Agent", {}, true},
    {"Artifact", kArtifact},
    {"AskUserQuestion", {}},
    {"Bash", {}, true},
    {"BashOutput", {}},
    {"ClaudeDesign", {}},
    {"CronCreate", {}},
    {"CronDelete", {}},
    {"CronList", {}},
    {"Edit", kEditFile},
    {"EnterPlanMode", {}},
    {"EnterWorktree", kWorktree},
    {"ExitPlanMode", {}},
    {"ExitWorktree", {}},
    {"Glob", kGlob},
    {"Grep", kGrep},
    {"KillShell", {}},
    {"LS", kList},
    {"LSP", kLanguageServer},
    {"ListAgents", {}},
    {"ListMcpResourcesTool", kResources},
    {"Monitor", kMonitor, true},
    {"MultiEdit", kEditFile},
    {"NotebookEdit", kEditNotebook},
    {"NotebookRead", kReadNotebook},
    {"PowerShell", {}, true},
    {"Projects", kProjects},
    {"PushNotification", {}},
    {"Read", kReadFile},
    {"ReadMcpResourceDirTool", kResource},
    {"ReadMcpResourceTool", kResource},
    {"RemoteTrigger", {}},
    {"ReportFindings", {}},
    {"ScheduleWakeup", {}},
    {"SendFeedback", {}},
    {"SendMessage", {}},
    {"Skill", {}, true},
    {"Task", {}, true},
    {"TaskCreate", {}},
    {"TaskGet", {}},
    {"TaskList", {}},
    {"TaskOutput", {}},
    {"TaskStop", {}},
    {"TaskUpdate", {}},
    {"TodoWrite", {}},
    {"ToolSearch", {}},
    {"WebFetch", kFetch},
    {"WebSearch", {}},
    {"Workflow", kWorkflow, true},
    {"Write", kWriteFile},
};

struct Alias {
  std::string_view one, other;
};
constexpr Alias kAliases[] = {{"Agent", "Task"}, {"TaskStop", "KillShell"}};

// Normal keys, sorted. What file, git and editor servers call their path arguments.
constexpr std::string_view kPathNames[] = {
    "absolutepath",
    "basedir",
    "basepath",
    "configfile",
    "configpath",
    "cwd",
    "dbpath",
    "dest",
    "destination",
    "destinationpath",
    "destpath",
    "dir",
    "directory",
    "directorypath",
    "dirpath",
    "dst",
    "file",
    "filename",
    "filepath",
    "folder",
    "folderpath",
    "frompath",
    "fullpath",
    "inputfile",
    "inputpath",
    "localpath",
    "newpath",
    "notebookpath",
    "oldpath",
    "outdir",
    "outfile",
    "outputdir",
    "outputdirectory",
    "outputfile",
    "outputpath",
    "path",
    "pathname",
    "projectdir",
    "projectpath",
    "projectroot",
    "relativepath",
    "repo",
    "repopath",
    "repository",
    "repositorypath",
    "root",
    "rootdir",
    "rootpath",
    "savepath",
    "scriptpath",
    "source",
    "sourcepath",
    "src",
    "target",
    "targetpath",
    "topath",
    "workdir",
    "workingdir",
    "workingdirectory",
    "workspacepath",
};
constexpr std::string_view kPathListNames[] = {
    "destinations", "directories", "dirs",  "filenames", "filepaths", "files",
    "folders",      "paths",       "roots", "sources",   "targets",
};
constexpr std::string_view kUrlNames[] = {"uri", "uris", "url", "urls"};

template <size_t N>
bool Contains(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::binary_search(names, name);
}

}  // namespace

std::span<const KnownTool> KnownTools() { return kTools; }

const KnownTool* FindTool(std::string_view name) {
  const auto* tool = std::ranges::lower_bound(kTools, name, {}, &KnownTool::name);
  return tool != std::end(kTools) && tool->name == name ? tool : nullptr;
}

std::string_view OtherToolName(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (alias.one == name) return alias.other;
    if (alias.other == name) return alias.one;
  }
  return "";
}

bool IsMcpTool(std::string_view name) { return name.starts_with("mcp__"); }

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
  if (Contains(kPathNames, normal)) return UsualName::kPath;
  if (Contains(kPathListNames, normal)) return UsualName::kPaths;
  if (Contains(kUrlNames, normal)) return UsualName::kUrl;
  return UsualName::kNone;
}

}  // namespace ringfence
