#include "cli/common/grant_target.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include "agents/claude/agent.h"
#include "base/contains.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/common/entry_scope.h"
#include "cli/common/wide_host.h"
#include "policy/evaluate/evaluate_host.h"
#include "policy/evaluate/evaluate_path.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/evaluate/fix.h"
#include "policy/evaluate/host_or_file.h"
#include "policy/files/real_files.h"
#include "policy/files/resolve.h"
#include "policy/load/layers.h"
#include "policy/load/load.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/domain.h"
#include "policy/rules/pattern.h"
#include "policy/rules/sets.h"
#include "policy/sandbox_network.h"

namespace ringfence {
namespace {

Result<GrantTarget> MakePath(GrantTarget grant, const std::string& folder,
                             const std::string& home) {
  std::string whole = grant.text;
  if (whole == "~" || whole.starts_with("~/")) {
    whole = home + whole.substr(1);
  } else if (whole.starts_with('~')) {
    return UsageError(Quote(grant.text), "begins with ~ and a name", "write the whole path");
  } else if (!whole.starts_with('/')) {
    whole = folder + "/" + whole;
  }
  if (!IsValidUtf8(whole))
    return UsageError(Quote(grant.text), "is not UTF-8, so a policy cannot name it");
  grant.path = Path::Clean(whole).text();
  grant.named = grant.path;
  // The name of an existing file is literal, even if it has pattern characters.
  grant.is_pattern = HasPattern(grant.path) && ::access(grant.path.c_str(), F_OK) != 0;
  if (grant.is_pattern) return grant;
  const RealFiles files;
  const Walked walked = Walk(grant.path, files);
  if (walked.stop != Walked::Stop::kEnd) {
    return UsageError(Quote(grant.text), "cannot be resolved", "name the file itself");
  }
  grant.path = walked.end.text();
  return grant;
}

void TakeWorse(TargetDecision& worst, PathDecision decision, Trace& trace) {
  for (RuleUse& use : trace.rules) worst.rules.push_back(std::move(use));
  if (decision.verdict <= worst.verdict) return;
  worst.verdict = decision.verdict;
  worst.cause = std::move(decision.cause);
}

// Stands for any name: no policy has an entry for it.
constexpr const char* kAnyName = "ringfence-any-name";

// Returns a path that the pattern matches, with kAnyName for each "*" or "**"; nothing if the
// pattern has other special characters.
std::optional<std::string> ProbePath(const std::string& pattern) {
  if (pattern.find_first_of("?[]\\") != std::string::npos) return {};
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '*') {
      path += pattern[i];
    } else if (i == 0 || pattern[i - 1] != '*') {
      path += kAnyName;
    }
  }
  return path;
}

TargetDecision EvaluatePath(const std::string& path, const GrantTarget& grant, const Policy& policy,
                            const Places& places) {
  const RealFiles disk;
  const CachedFiles files(disk);
  Event event;
  event.kind = EventKind::kPreToolUse;
  event.cwd = places.root.text();
  TargetDecision worst;
  for (const Access access : {Access::kRead, Access::kWrite}) {
    if (access == Access::kWrite && !grant.also_write) continue;
    PathEvaluator evaluator(policy, places, event, files);
    Trace trace;
    evaluator.Record(trace);
    const char* verb = access == Access::kRead ? "read of" : "write to";
    PathDecision decision = evaluator.Evaluate(path, access, verb, "");
    if (decision.cause && grant.is_pattern) decision.cause->what = verb + (" " + Quote(grant.path));
    TakeWorse(worst, std::move(decision), trace);
  }
  return worst;
}

TargetDecision EvaluateName(NameDecision evaluated, Trace trace) {
  return {evaluated.verdict, std::move(evaluated.cause), std::move(trace.rules)};
}

// Returns a host that the entry matches.
std::string MatchingHost(const HostRule& entry) {
  if (entry.any) return kAnyName + std::string(".invalid");  // RFC 6761
  return (entry.subdomains ? kAnyName + std::string(".") : "") + std::string(entry.host);
}

std::string WideToolText(const std::string& tool) {
  const ToolScope reach = ToolScopeOf(tool);
  if (reach == ToolScope::kEveryTool) return "every tool, also those of every MCP server";
  const bool is_every_server = reach == ToolScope::kEveryServer || tool == "mcp__";
  return is_every_server ? "the tools of every MCP server" : "";
}

// Returns the paths of the home, and the home in /etc/passwd if that differs.
std::vector<std::string> HomeNames(const Registration& where, const Places& places) {
  std::vector<std::string> names = NamesOfHome(where.home);
  for (const Path& home : places.deny_only_homes) names.push_back(home.text());
  return names;
}

// Returns the directory that contains the project.
Path FolderOfProject(const std::string& project, const FileView& files) {
  const Walked walked = Walk(project, files);
  const Path real = walked.stop == Walked::Stop::kEnd ? walked.end : Path::Clean(project);
  return real.Parent();
}

std::string WideFolderText(const EntryScope& reach, const std::string& entry,
                           const std::vector<std::string>& homes, const Path& around_project) {
  Share share = Share::kNone;
  const auto of = [&share] {
    return std::string(share == Share::kEvery ? "every file of " : "many files of ");
  };
  for (const std::string& name : homes) {
    const Path home = Path::Clean(name);
    const auto top = reach.TopAbove(entry, home, &share);
    if (!top) continue;
    if (top->is_root()) return of() + "this machine";
    return of() + "the home directory" + (*top == home ? "" : " and beside it");
  }
  for (const Path& other : SampleHomes()) {
    const auto top = reach.TopAbove(entry, other, &share);
    if (top) return of() + Quote(top->text()) + ", which contains the homes of users,";
  }
  const auto top = reach.TopAbove(entry, around_project, &share);
  if (!top) return "";
  return of() + Quote(top->text()) + ", which contains this project and its neighbours,";
}

bool IsHomeByPlace(const Path& folder) {
  constexpr std::string_view kOfUsers[] = {"/home", "/Users", "/var/home"};
  return folder.text() == "/root" || Contains(kOfUsers, folder.Parent().text());
}

bool IsOwn(const Path& folder, const Places& places) {
  const auto holds = [&](const Path& own) { return folder.IsInside(own); };
  return folder.IsInside(places.root_real) || std::ranges::any_of(places.homes, holds) ||
         std::ranges::any_of(places.homes_real, holds);
}

// Describes a shared system directory or another user's home that the entry opens. The grant's path
// has its links resolved, so that "/bin" is "/usr/bin".
std::string ForeignFolderText(const EntryScope& reach, const std::string& entry,
                              const GrantTarget& grant, const Places& places) {
  const RealFiles files;
  constexpr size_t kMost = 1000;
  std::vector<Path> folders{grant.is_pattern ? FixedFolder(grant.path) : Path::Clean(grant.path)};
  for (const char* above : {"/", "/home"}) {
    const auto names = files.List(Path::Clean(above), kMost);
    if (!names || !grant.is_pattern) continue;
    for (const DirectoryEntry& name : *names) {
      folders.push_back(Path::Clean(above).Child(name.name));
    }
  }
  for (const Path& folder : folders) {
    const bool is_home = IsHomeByPlace(folder);
    const bool is_foreign = is_home || (grant.also_write && IsSharedFolder(folder, places));
    if (!is_foreign || IsOwn(folder, places)) continue;
    const Share share = reach.Of(entry, folder);
    if (share == Share::kNone) continue;
    return (share == Share::kEvery ? "every file of " : "many files of ") + Quote(folder.text()) +
           (is_home ? ", another user's home," : ", which all of this machine shares,");
  }
  return "";
}

std::string WidePathText(const GrantTarget& grant, const Places& places,
                         const Registration& where) {
  if (grant.path.empty()) {  // a set
    const bool is_wide =
        grant.also_write && grant.text != "@claude-scratch" && FindPathSet(grant.text) != nullptr;
    return is_wide ? "every place of " + grant.text + " for reading and writing" : "";
  }
  const RealFiles files;
  const EntryScope reach(places, files);
  const std::string entry = EntryFor(grant, "", where.home);
  std::string text = WideFolderText(reach, entry, HomeNames(where, places),
                                    FolderOfProject(where.project_dir, files));
  if (text.empty()) text = ForeignFolderText(reach, entry, grant, places);
  return text.empty() ? "" : text + " for reading" + (grant.also_write ? " and writing" : "");
}

// Returns the deciding rule if it is a set such as "@secrets"; otherwise nullptr.
const RuleUse* DecidingRule(const TargetDecision& decision) {
  if (!decision.cause || !decision.cause->place) return nullptr;
  const auto rule = std::ranges::find_if(decision.rules, [&](const RuleUse& use) {
    return use.place == *decision.cause->place && use.written.starts_with('@');
  });
  return rule == decision.rules.end() ? nullptr : &*rule;
}

const PathRule* RuleAbout(const PathRuleList& lists, SetName set) {
  for (const std::span<const PathRule> list : lists) {
    const auto rule = std::ranges::find(list, set, &PathRule::set);
    if (rule != list.end()) return &*rule;
  }
  return nullptr;
}

}  // namespace

std::optional<TargetKind> KindOf(const std::string& text) {
  if (ClaudeCode().tools.Find(text) || IsMcpTool(text) || text == "@session-tools" ||
      text == "@known-tools") {
    return TargetKind::kTool;
  }
  if (text.empty()) return {};
  const bool is_path = text.find('/') != std::string::npos || text[0] == '~' || text[0] == '.' ||
                       text[0] == '@' || ::access(text.c_str(), F_OK) == 0;
  if (is_path) return TargetKind::kPath;
  const std::string_view name(text.data(), text.size() - (text.ends_with('.') ? 1 : 0));
  if (KindOfName(name) == NameKind::kHost) return TargetKind::kHost;
  return {};
}

bool MayBeFileOrHost(const std::string& text) { return KindOfName(text) == NameKind::kHostOrFile; }

bool IsUrl(const std::string& text) { return text.find("://") != std::string::npos; }

Result<std::string> HostOfUrl(const std::string& url) {
  const Result<Url> parsed = ParseUrl(url);
  if (!parsed)
    return UsageError(Quote(url), parsed.error().what, "name only the host, with :22 for SSH");
  if (parsed->host.empty()) return UsageError(Quote(url), "is a URL without a host", "name a path");
  const Result<Url> plain = ParseUrl(parsed->scheme + "://" + parsed->host);
  const bool is_usual = !plain || plain->port == parsed->port;
  return parsed->host + (is_usual ? "" : ":" + std::to_string(parsed->port));
}

Result<GrantTarget> MakeTarget(TargetKind kind, const std::string& text, const std::string& folder,
                               const std::string& home) {
  GrantTarget grant;
  grant.kind = kind;
  grant.text = text;
  if (kind == TargetKind::kPath && !text.starts_with('@')) return MakePath(grant, folder, home);
  if (kind == TargetKind::kTool) {
    grant.named = text;
    if (IsMcpServer(text)) grant.text = McpServerPattern(text);
  }
  if (kind == TargetKind::kHost) {
    const Result<HostRule> host = ParseHostRule(LowerAscii(text));
    if (!host) return UsageError(Quote(text), host.error().what, host.error().hint);
  }
  return grant;
}

bool IsHostLoopback(const GrantTarget& grant) {
  return grant.kind == TargetKind::kHost &&
         LowerAscii(grant.text).starts_with(std::string(kHostLoopback) + ":");
}

Path FixedFolder(std::string_view path) {
  std::string folder = "/";
  for (std::string_view name = TakeComponent(path); !name.empty(); name = TakeComponent(path)) {
    if (HasPattern(name)) break;
    folder.append(name).append("/");
  }
  return Path::Clean(folder);
}

std::vector<std::string> NamesOfHome(const std::string& home) {
  const Walked walked = Walk(home, RealFiles());
  if (walked.stop != Walked::Stop::kEnd || walked.end.text() == home) return {home};
  return {home, walked.end.text()};
}

std::string EntryFor(const GrantTarget& grant, const std::string& root, const std::string& home) {
  if (grant.kind == TargetKind::kHost) return LowerAscii(grant.text);
  if (grant.path.empty()) return grant.text;
  const auto spelled = [&](std::string_view path) {
    return grant.is_pattern ? std::string(path) : EscapePattern(path);
  };
  const Path path = Path::Clean(grant.path);
  if (!root.empty()) {
    if (const auto below = path.Below(Path::Clean(root))) {
      if (below->empty()) return ".";
      // An entry that begins with one of these characters has another meaning.
      const bool is_special = std::string_view("~@!").find((*below)[0]) != std::string_view::npos;
      return (is_special ? "./" : "") + spelled(*below);
    }
  }
  for (const std::string& name : NamesOfHome(home)) {
    const auto below = path.Below(Path::Clean(name));
    if (below) return below->empty() ? "~" : "~/" + spelled(*below);
  }
  return spelled(path.text());
}

Result<std::optional<TargetDecision>> EvaluateTarget(const GrantTarget& grant,
                                                     const Context& policies) {
  using Answer = std::optional<TargetDecision>;
  Result<Policy> policy = policies.PolicyFor();
  if (!policy) return policy.error();
  if (grant.is_of_agent) policy->network = SandboxNetwork(*policy, true);
  switch (grant.kind) {
    case TargetKind::kPath: {
      const auto path = grant.is_pattern ? ProbePath(grant.path) : std::optional(grant.path);
      if (!path || path->empty()) return Answer();
      return Answer(EvaluatePath(*path, grant, *policy, policies.places));
    }
    case TargetKind::kTool: {
      if (grant.text.starts_with('@')) return Answer();
      Trace trace;
      NameDecision evaluated = EvaluateTool(grant.text, *policy, &trace);
      return Answer(EvaluateName(std::move(evaluated), std::move(trace)));
    }
    case TargetKind::kHost: {
      // Without a "network" section the hook refuses no host; one would refuse all others.
      if (!policy->network) return Answer(TargetDecision{});
      Trace trace;
      const std::string lower = LowerAscii(grant.text);
      const Result<HostRule> entry = ParseHostRule(lower);
      if (!entry) return entry.error();
      NameDecision evaluated = EvaluateHost(MatchingHost(*entry), entry->port, *policy, &trace);
      NameConnection(evaluated, grant.text);
      return Answer(EvaluateName(std::move(evaluated), std::move(trace)));
    }
  }
  return Answer();
}

bool HasNetwork(const Context& policies) {
  const Result<Policy> policy = policies.PolicyFor();
  return policy && policy->network;
}

std::string WideText(const GrantTarget& grant, const Places& places, const Registration& where) {
  if (grant.kind == TargetKind::kTool) return WideToolText(grant.text);
  if (grant.kind == TargetKind::kPath) return WidePathText(grant, places, where);
  return WideHostText(grant.text);
}

std::string AdviceOnBuiltIn(const TargetDecision& decision, const GrantTarget& grant,
                            const std::string& file) {
  const RuleUse* rule = DecidingRule(decision);
  if (rule == nullptr) return "";
  const bool is_secrets = rule->written == "@secrets" && rule->place.pointer.ends_with("/deny");
  const bool is_later = rule->written == "@runs-later" && rule->place.pointer.ends_with("/ask");
  if (!is_secrets && !is_later) return "";
  const std::string sections = is_later           ? "\"write\""
                               : grant.also_write ? "\"read\" and \"write\""
                                                  : "\"read\"";
  return "no ringfence allow lifts " + rule->written + ": only an empty list, " +
         (is_later ? "\"ask\": []" : "\"deny\": []") + " in " + sections + " of " + file +
         ", does, and that gives up all of " + rule->written + "; ";
}

std::string RemainingQuestion(const std::string& set, const Context& policies,
                              const std::string& file) {
  const PathSet* known = FindPathSet(set);
  const Result<Policy> policy = policies.PolicyFor();
  if (known == nullptr || !policy) return "";
  for (const auto& [section, rules] :
       {std::pair("read", &policy->read), std::pair("write", &policy->write)}) {
    const PathRule* rule = RuleAbout(rules->ask, known->set);
    if (rule == nullptr) continue;
    const RulePlace place = rule->place();
    std::string still = "tools still ask about " + Quote(set) + ": so says " + PlaceLabel(place);
    if (place.file == policies.sources.built_in->shown) {
      still.append("; to drop that question too, write \"ask\": [] in \"").append(section);
      still.append("\" of ").append(file);
    }
    return still;
  }
  return "";
}

}  // namespace ringfence
