#include "agents/claude/tools.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "policy/mcp/name_words.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

// A tool a line, the most common ones first, because each call looks its tool up, and then by the
// alphabet: its name, then
//   aka:NAME         another name of the same tool
//   code             runs code
//   data             KnownTool::takes_data
//   ROLE:/POINTER    an argument and its FieldRole, in the words below; "!": it must be there
// clang-format off
constexpr WordList kTools(
    "Bash code hosts:/allowed_domains other-host:/_host\n"
    "Edit edit!:/file_path other-host:/_host\n"
    "Glob folder:/path pattern!:/pattern other-host:/_host\n"
    "Grep folder:/path filter:/glob other-host:/_host\n"
    "Read read!:/file_path other-host:/_host\n"
    "Write write!:/file_path other-host:/_host\n"
    "Agent aka:Task code isolation:/isolation\n"
    "AppifactRepl code\n"
    "Artifact read:/file_path read:/file_paths folder:/root attachment:/files "
    "read:/files/*/path read:/files/*/from read:/writes/*/file_path no-path:/path "
    "no-path:/paths write:/out_dir url:/url url:/from_url url:/type_url\n"
    "ArtifactCheck read:/file_path read:/writes/*/file_path url:/url\n"
    "ArtifactComments read:/file_path read:/writes/*/file_path url:/url\n"
    "ArtifactData read:/file_path read:/writes/*/file_path url:/url\n"
    "AskUserQuestion\n"
    "BashOutput\nClaudeDesign\n"
    "CronCreate code\n"
    "CronDelete\nCronList\n"
    "DesignSync edit:/localDir edit:/files/*/localPath no-path:/files no-path:/path "
    "no-path:/paths no-path:/assets\n"
    "EndConversation\nEnterPlanMode\n"
    "EnterWorktree write:/path worktree:/name\n"
    "ExitPlanMode\nExitWorktree\nFetchInboxMessage\nGetGoal\nGetTask\n"
    "LS folder!:/path\n"
    "LSP read!:/filePath\n"
    "ListAgents aka:ListPeers\n"
    "ListConnectors\n"
    "ListMcpResourcesTool aka:ListMcpResources server:/server\n"
    "ListPlugins\nListSkills\nMcpTaskCheck\nMcpTaskResumePolling\nMcpTaskShowQuestion\n"
    "Monitor code url:/ws/url hosts:/allowed_domains\n"
    "MultiEdit edit!:/file_path other-host:/_host\n"
    "NotebookEdit edit!:/notebook_path\n"
    "NotebookRead read!:/notebook_path\n"
    "ObserverReport\nOfferChromeSetup\nPauseGoal\nPoll\n"
    "PowerShell code hosts:/allowed_domains other-host:/_host\n"
    "Projects read:/path edit:/local_path\n"
    "PublishPlugin read:/path no-path:/question\n"
    "PushNotification\n"
    "REPL aka:Eval code\n"
    "ReadMcpResourceDirTool aka:ReadMcpResourceDir server!:/server resource!:/uri\n"
    "ReadMcpResourceTool aka:ReadMcpResource server!:/server resource!:/uri\n"
    "ReadNotifications\nReadWidgetContext\nRefreshMcpTools\n"
    "RemoteTrigger code\n"
    "ReportFindings\nScheduleWakeup\nSearchMcpRegistry\nSearchPlugins\nSearchSkills\n"
    "SendFeedback\n"
    "SendFile read!:/files\n"
    "SendMessage\nSendToProject\nSendToProjectContext\n"
    "SendUserFile read!:/files\n"
    "SendUserMessage aka:Brief attachment:/attachments\n"
    "SetGoal aka:ProposeGoal\n"
    "ShareOnboardingGuide\nShowOnboardingRolePicker\n"
    "Skill code\n"
    "StructuredOutput data\n"
    "SubagentHandback\nSuggestConnectors\nSuggestPluginInstall\nSuggestSkills\nTaskCreate\n"
    "TaskGet\nTaskList\nTaskOutput\n"
    "TaskStop aka:KillBash aka:KillShell other-host:/_host\n"
    "TaskUpdate\nTodoWrite\nToolSearch\nWaitForMcpServers\n"
    "WebFetch url!:/url\n"
    "WebSearch\n"
    "Workflow aka:RunWorkflow code read:/scriptPath\n"
    "WrapUp\n"
    "Yield\nenable__mcp__claude-in-chrome\nenable__mcp__remote-devices__Claude_Browser\n"
    "enable__mcp__remote-devices__computer\nmemory_list\n"
    "memory_read no-path:/path\n"
    "memory_write no-path:/path\n"
    "propose_skills\nrequest_computer\nself_hosted_runner_get_pool\n"
    "self_hosted_runner_list_runners\nself_hosted_runner_list_secrets\n"
    "self_hosted_runner_list_sessions\nself_hosted_runner_read_health\n"
    "self_hosted_runner_read_metrics\n"
    "self_hosted_runner_requeue_session code\n"
    "self_hosted_runner_spawn_local code write:/base_dir write:/log_path "
    "edit:/secret_file_path\n"
    "self_hosted_runner_tail_log read:/log_path\n");
// clang-format on

constexpr std::string_view kAka = "aka:";
// In the order of FieldRole.
constexpr WordList kRoles(
    "read\nwrite\nedit\nfolder\npattern\nfilter\nurl\nhosts\nother-host\nattachment\nno-path\n"
    "resource\nworktree\nserver\nisolation\n");

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
// Also for what is no host, so that the value must look like one.
constexpr WordList kPeerWords(
    "addr\naddress\naddresses\naddrs\nbroker\nbrokers\ncallback\ncallbacks\ndsn\nfqdn\nfqdns\n"
    "gateway\ngateways\nip\nips\nipv\nmirror\nmirrors\nnameserver\nnameservers\npeer\npeers\n"
    "proxies\nproxy\nregistries\nregistry\nrelay\nrelays\nresolver\nresolvers\nserver\nservers\n"
    "upstream\nupstreams\nwebhook\nwebhooks\n");
constexpr WordList kMailboxWords("addr\naddress\naddresses\naddrs\n");
constexpr WordList kPropertiesWords("claims\ncontext\nnamespaces\nprefixes\nproperties\n");
constexpr WordList kLinkWords("endpoint\nlink\nlinks\n");
// Behind a word of URLs: something about it, but not the URL.
constexpr WordList kAboutWords(
    "count\ndescription\nid\nids\nindex\nkind\nlabel\nlabels\nname\nnames\nnumber\nos\nstate\n"
    "status\ntext\ntitle\ntype\ntypes\nversion\n");
// "host_name" is the host
constexpr WordList kNamedHosts("domain\ndomains\nhost\nhosts\npeer\nproxy\nserver\nservers\n");
constexpr WordList kRepositoryWords(
    "clone\ngit\nmirror\nremote\nremotes\nrepo\nrepos\nrepositories\nrepository\nsource\nsrc\n"
    "upstream\n");
constexpr WordList kContentWords("body\ncontent\ncontents\ndata\nstring\nstrings\ntext\ntexts\n");
constexpr WordList kBindingWords("bind\nbinds\nmount\nmounts\nvolume\nvolumes\n");
constexpr WordList kOutputWords("dest\ndestination\ndownload\ndst\nout\noutput\nsave\n");

bool IsNamed(std::string_view key, const WordList& words) {
  return key.size() <= 64 && HoldsWord(key, words);
}

FieldRole RoleOf(std::string_view word) {
  uint8_t role = 0;
  for (const std::string_view name : kRoles) {
    if (name == word) break;
    ++role;
  }
  return static_cast<FieldRole>(role);
}

KnownTool ParseRow(std::string_view row) {
  KnownTool tool;
  tool.name = TakeWord(row);
  while (!row.empty()) {
    const std::string_view word = TakeWord(row);
    const size_t colon = word.find(':');
    const std::string_view value = colon == word.npos ? "" : word.substr(colon + 1);
    if (word == "code") {
      tool.runs_code = true;
    } else if (word == "data") {
      tool.takes_data = true;
    } else if (word.starts_with(kAka)) {
      tool.aliases.push_back(value);
    } else {
      std::string_view role = word.substr(0, colon);
      const bool required = role.ends_with('!');
      if (required) role.remove_suffix(1);
      tool.fields.push_back({value, RoleOf(role), required});
    }
  }
  return tool;
}

// The row of the tool with this name or alias, else "". It looks for the name in the whole text,
// since this is asked several times for each call.
std::string_view RowOf(std::string_view name) {
  if (name.empty() || name.find_first_of(" \n") != name.npos) return "";
  const std::string_view all = kTools.text();
  for (size_t at = all.find(name); at != all.npos; at = all.find(name, at + 1)) {
    const char next = all[at + name.size()];  // each row ends with a line feed
    if (next != ' ' && next != '\n') continue;
    const size_t begin = at == 0 ? 0 : all.rfind('\n', at - 1) + 1;
    if (begin != at && !all.substr(begin, at - begin).ends_with(kAka)) continue;
    return all.substr(begin, all.find('\n', at) - begin);
  }
  return "";
}

}  // namespace

std::string_view NearestTool(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KnownTool& tool : KnownTools()) {
    names.push_back(tool.name);
    names.insert(names.end(), tool.aliases.begin(), tool.aliases.end());
  }
  return Nearest(name, names);
}

std::optional<KnownTool> FindTool(std::string_view name) {
  const std::string_view row = RowOf(name);
  if (row.empty()) return {};
  return ParseRow(row);
}

std::string_view MainToolName(std::string_view name) {
  std::string_view row = RowOf(name);
  return row.empty() ? name : TakeWord(row);
}

std::vector<KnownTool> KnownTools() {
  std::vector<KnownTool> tools;
  for (const std::string_view row : kTools) tools.push_back(ParseRow(row));
  std::ranges::sort(tools, {}, &KnownTool::name);
  return tools;
}

bool ReachesMcpServer(std::string_view name) {
  return IsMcpTool(name) || RowOf(name).find(" resource") != std::string_view::npos;
}

bool RunsCommand(std::string_view name) { return name == "Bash" || name == "Monitor"; }

bool IsOtherShell(std::string_view name) { return name == "Monitor" || name == "PowerShell"; }

std::string NormalKey(std::string_view key) {
  std::string normal;
  while (!key.empty()) {
    const char c = key[0];
    if (c > ' ' && c < 0x7F) {
      if (c != '_' && c != '-') {
        normal.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
      }
      key.remove_prefix(1);
      continue;
    }
    const CodePoint point = DecodeUtf8(key);
    const size_t length = point.length == 0 ? 1 : point.length;
    const bool dropped = point.length != 0 && (IsTrimmed(point.value) || IsInvisible(point.value));
    if (!dropped) normal.append(key.substr(0, length));
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
  std::string url_word;
  std::string_view rest = key;
  for (std::string word = TakeNameWord(rest); !word.empty(); word = TakeNameWord(rest)) {
    if (kPathWords.Contains(word)) return UsualName::kPath;
    if (kPathListWords.Contains(word)) return UsualName::kPaths;
    const bool is_peer = kPeerWords.Contains(word) && !kUrlWords.Contains(url_word);
    if (is_peer || kUrlWords.Contains(word)) {
      url_word = word;
    } else if (kAboutWords.Contains(word)) {
      const bool is_host = word.starts_with("name") && kNamedHosts.Contains(url_word);
      if (!is_host) url_word.clear();
    }
  }
  if (kPeerWords.Contains(url_word)) return UsualName::kPeer;
  return url_word.empty() ? UsualName::kNone : UsualName::kUrl;
}

bool NamesLink(std::string_view key) {
  if (UsualNameOf(key) != UsualName::kNone) return false;
  bool found = false;
  std::string_view rest = key;
  for (std::string word = TakeNameWord(rest); !word.empty(); word = TakeNameWord(rest)) {
    const bool is_link = kLinkWords.Contains(word);
    if (!is_link && kUrlWords.Contains(word)) return false;
    found |= is_link;
  }
  return found;
}

bool NamesRepository(std::string_view key) { return IsNamed(key, kRepositoryWords); }

bool NamesMailbox(std::string_view key) { return IsNamed(key, kMailboxWords); }

bool NamesProperties(std::string_view key) { return IsNamed(key, kPropertiesWords); }

bool NamesContent(std::string_view key) { return IsNamed(key, kContentWords); }

bool NamesBinding(std::string_view key) { return IsNamed(key, kBindingWords); }

bool NamesOutput(std::string_view key) { return IsNamed(key, kOutputWords); }

}  // namespace ringfence
