#include "policy/tools.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "base/utf8.h"
#include "policy/word_list.h"

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
constexpr ToolField kAgent[] = {{"/isolation", FieldRole::kIsolation, false}};
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
    {"Agent", kAgent, true},
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
    {"Task", kAgent, true},
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

bool ReachesMcpServer(std::string_view name) {
  if (IsMcpTool(name)) return true;
  const KnownTool* tool = FindTool(name);
  return tool != nullptr && std::ranges::find(tool->fields, FieldRole::kResourceUri,
                                              &ToolField::role) != tool->fields.end();
}

bool RunsCommand(std::string_view name) { return name == "Bash" || name == "Monitor"; }

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
