#include "policy/evaluate/fix.h"

#include <algorithm>
#include <deque>

#include "base/ascii.h"
#include "base/short_name.h"
#include "base/text.h"
#include "policy/agent.h"
#include "policy/evaluate/host_or_file.h"
#include "policy/load/rule_lists.h"
#include "policy/load/sources.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/domain.h"
#include "policy/rules/path_entry.h"
#include "policy/rules/pattern.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

constexpr size_t kLongestWord = 300;  // a longer command would be cut
constexpr size_t kLongestProject = 80;

// True if the part may come from mkstemp, a hash, a time or a UUID: "Xa3k9Q", "9f86d081",
// "1732480000".
bool IsRandomPart(std::string_view part) {
  const auto digits = std::ranges::count_if(part, IsDigit);
  const bool is_mixed = std::ranges::any_of(part, IsLower) && std::ranges::any_of(part, IsUpper);
  if (part.size() >= 6 && digits > 0 && is_mixed) return true;
  return part.size() >= 8 && digits >= 2;
}

bool IsInsideAny(const Path& path, const std::vector<Path>& folders) {
  return std::ranges::any_of(folders, [&](const Path& folder) { return path.IsInside(folder); });
}

// True if the path is in a directory for temporary files that all users share.
bool IsTemporary(const Path& path, const Places& places) {
  constexpr WordList kFolders(
      "/tmp\n/var/tmp\n/dev/shm\n/private/tmp\n/private/var/tmp\n/var/folders\n"
      "/private/var/folders\n");
  if (path.IsInside(places.root_real) || IsInsideAny(path, places.homes)) return false;
  for (const std::string_view folder : kFolders) {
    if (path.IsInside(Path::Clean(folder))) return true;
  }
  return false;
}

// True for directories that no agent needs to write. A path in them rather names a program to run.
bool HoldsPrograms(const Path& folder) {
  constexpr WordList kFolders("/bin\n/sbin\n/usr/bin\n/usr/sbin\n");
  return kFolders.Contains(folder.text());
}

// Returns the path to allow: the path itself, or its directory if the name is new or random.
Path WorthAllowing(const Walked& walked, const Places& places) {
  const bool is_there = walked.facts.kind != FileKind::kMissing;
  const bool is_folder = walked.facts.kind == FileKind::kDirectory;
  if (is_folder) return walked.end;
  if (is_there && !LooksTemporary(walked.end.name()) && !IsTemporary(walked.end, places)) {
    return walked.end;
  }
  Path folder = walked.end.Parent();
  while (!is_there && LooksTemporary(folder.name()) && !IsTemporary(folder, places)) {
    folder = folder.Parent();
  }
  return IsSharedFolder(folder, places) ? walked.end : folder;
}

std::string Shortened(const Path& path, const Places& places) {
  std::string text = EscapePattern(path.text());
  if (places.homes.empty()) return text;
  const std::string home = EscapePattern(places.homes.front().text());
  return text.starts_with(home + "/") ? "~" + text.substr(home.size()) : text;
}

// Returns the path to name in the command. A question is about this file, not about others in its
// directory.
Path WorthNaming(const PathRefusal& refusal, const Places& places) {
  const Path& end = refusal.walked.end;
  return refusal.asks && !LooksTemporary(end.name()) ? end : WorthAllowing(refusal.walked, places);
}

// False for names that cannot be written in a policy ("$x"), or that FAT reads as others ("x.").
bool CanBeNamed(const Path& path, const Places& places) {
  if (WithoutFinalDots(path.text()) != path.text()) return false;
  std::deque<std::string> strings;
  PathRule rule;
  return ParsePathEntry(Shortened(path, places), ListKind::kAllow, strings, &rule).has_value();
}

// Quotes a path for the shell. The shell expands "~/" if nothing is quoted; otherwise `ringfence
// allow` does.
std::string HomeWord(const std::string& text) {
  if (!text.starts_with("~/")) return ShellWord(text);
  const std::string rest = ShellWord(text.substr(1));
  return rest.starts_with('/') ? "~" + rest : ShellWord(text);
}

std::string PathWord(const Path& path, const Places& places) {
  return HomeWord(Shortened(path, places));
}

std::string AllowCommand(const std::string& words) { return "`ringfence allow " + words + "`"; }

// Returns whom to ask to change a list that `ringfence allow` cannot change; "" for other lists.
std::string OtherFix(const RulePlace& missing) {
  if (missing.pointer.starts_with("/profiles/")) {
    return "Ask the user to add it to this list of the profile";
  }
  if (missing.file == kManagedPolicy) {
    return "Ask the administrator of this machine to add it to this list";
  }
  return missing.quotable ? "" : "Ask the user to add it to the project's own policy";
}

// The remedy if a model answers the questions, so that a question is a refusal. `before` is what
// the user must do first to be asked.
std::string OrLeaveMode(const std::string& before, const Agent& agent) {
  return "Ask the user to do it, or to " + before + std::string(agent.leave_that_mode) + ".";
}

// Returns the option that makes `ringfence allow` change the right file; nothing if no option can
// name it. With --policy FILE, the hook reads that file instead of the user's. A project's trusted
// policy decides in that project, wherever the user types the command.
std::optional<std::string> PolicyOption(const Policy& policy) {
  if (policy.named_file.empty() && policy.own_file.empty()) return "";
  if (policy.named_file.empty()) {
    const std::string_view project =
        policy.own_file.substr(0, policy.own_file.rfind("/.ringfence/"));
    const std::string word = HomeWord(std::string(project));
    return word.empty() ? "" : "--project " + word + " ";
  }
  const std::string word = ShellWord(policy.named_file);
  if (word.empty() || policy.named_file.starts_with("/proc/")) return {};
  return "--policy " + word + " ";
}

// `option` names the policy to change; `word` is the path to allow, quoted for the shell.
std::string AllowPathFix(const PathRefusal& refusal, const std::string& option,
                         const std::string& word, bool is_temporary) {
  const bool is_read = refusal.access == Access::kRead;
  const char* how = refusal.asks ? "--ask " : is_temporary ? "--session " : "";  // never both
  const std::string command = AllowCommand(option + (is_read ? "--read " : "") + how + word);
  if (refusal.asks && refusal.agent.ModelDecidesIn(refusal.permission_mode)) {
    return OrLeaveMode("run " + command + " and ", refusal.agent);
  }
  return (is_temporary && !is_read ? "Write inside the project, or ask" : "Ask") +
         std::string(" the user to run ") + command + ".";
}

// True for files that git and editors write first and then rename.
bool IsLockOrTemporary(std::string_view name) {
  return name.ends_with(".lock") || LooksTemporary(name);
}

// The remedy for a refusal by the kernel sandbox. It cannot ask, most runs belong to no session,
// and it creates a missing path outside the project as a directory (sandbox/linux/made_places.cc).
std::string SandboxFix(const PathRefusal& refusal, const Policy& policy, const Places& places) {
  std::string outside = "The user must do it, outside the sandbox.";
  const Walked& walked = refusal.walked;
  const bool is_in_project = walked.end.IsInside(places.root_real);
  if (refusal.asks) return outside;
  if (walked.facts.kind == FileKind::kMissing && !is_in_project) {
    if (IsLockOrTemporary(walked.end.name())) return outside;
    return "It does not exist: the user must create it first, as a file or a directory, or do this "
           "outside the sandbox.";
  }
  if (const std::string other = OtherFix(refusal.missing); !other.empty()) return other + ".";
  const Path path = is_in_project ? WorthAllowing(walked, places) : walked.end;
  const std::optional<std::string> option = PolicyOption(policy);
  const std::string word = CanBeNamed(path, places) ? PathWord(path, places) : "";
  if (IsSharedFolder(path, places) || HoldsPrograms(path.Parent())) return outside;
  if (word.empty() || !option) return outside;
  return AllowPathFix(refusal, *option, word, false);
}

}  // namespace

std::string ShellWord(std::string_view text) {
  const auto is_plain = [](char c) {
    return IsAlnum(c) || std::string_view("/._-+:@%,=").find(c) != std::string_view::npos;
  };
  const bool is_unfit = text.empty() || text[0] == '-' || Printable(text) != text ||
                        text.find('`') != std::string_view::npos;
  if (is_unfit) return "";
  std::string quoted = ShellQuoted(text);
  if (quoted.size() > kLongestWord + 2) return "";
  return std::ranges::all_of(text, is_plain) && text[0] != '=' ? std::string(text) : quoted;
}

bool IsSharedFolder(const Path& path, const Places& places) {
  if (path.is_root() || path.Parent().is_root()) return true;
  constexpr WordList kFolders(
      "/dev/shm\n/private/etc\n/private/tmp\n/private/var\n/private/var/tmp\n/usr/bin\n"
      "/usr/include\n/usr/lib\n/usr/lib64\n/usr/local\n/usr/local/bin\n/usr/local/lib\n"
      "/usr/sbin\n/usr/share\n/usr/src\n/var/cache\n/private/var/folders\n/var/folders\n"
      "/var/home\n/var/lib\n/var/log\n/var/run\n/var/spool\n/var/tmp\n/run/user\n");
  if (kFolders.Contains(path.text())) return true;
  constexpr WordList kOfUsers("/home\n/Users\n/var/home\n/run/user\n");
  if (kOfUsers.Contains(path.Parent().text())) return true;
  if (places.root_real.IsInside(path) || places.root.IsInside(path)) return true;
  constexpr WordList kOfHome(
      ".cache\n.config\n.local\n.local/bin\n.local/share\n.local/state\nDesktop\n"
      "Documents\nDownloads\nLibrary\nbin\n");
  return std::ranges::any_of(places.homes, [&](const Path& home) {
    if (home.IsInside(path)) return true;
    const auto below = path.Below(home);
    return below && (kOfHome.Contains(*below) || *below == places.agent->state.folder);
  });
}

bool LooksTemporary(std::string_view name) {
  for (const std::string_view prefix : {"tmp", ".tmp", "temp-", "temp."}) {
    if (name.starts_with(prefix) && name.size() >= prefix.size() + 5) return true;
  }
  for (const std::string_view suffix : {".tmp", ".temp", ".swp", ".part", "~"}) {
    if (name.ends_with(suffix)) return true;
  }
  size_t begin = 0;
  for (size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && IsAlnum(name[i])) continue;
    if (IsRandomPart(name.substr(begin, i - begin))) return true;
    begin = i + 1;
  }
  return false;
}

bool AllowChanges(const RulePlace& list) { return OtherFix(list).empty(); }

std::string AllowFix(const Policy& policy, const std::optional<RulePlace>& missing,
                     const std::string& words) {
  if (missing) {
    if (const std::string other = OtherFix(*missing); !other.empty()) return other + ".";
  }
  const std::optional<std::string> option = PolicyOption(policy);
  if (words.empty() || !option) return "Ask the user to add it to the policy.";
  return "Ask the user to run " + AllowCommand(*option + words) + ".";
}

std::string AllowInSessionFix(const Policy& policy, const RulePlace& missing,
                              const std::string& words, const std::string& session) {
  const std::optional<std::string> option = PolicyOption(policy);
  if (!AllowChanges(missing) || words.empty() || !option) return "";
  const std::string id = ShellWord(session);
  const std::string which = id.empty() ? "--session " : "--session-id " + id + " ";
  return "Ask the user to run " + AllowCommand(which + *option + words) + " in another terminal.";
}

std::string ToolWords(std::string_view tool, const Agent& agent) {
  // As an entry, these would permit other tools than this one, or be no entry at all.
  const bool is_entry =
      IsToolPattern(tool) && tool.find('*') == std::string_view::npos && tool != "mcp__";
  const std::string word = is_entry && !IsMcpServer(tool) ? ShellWord(tool) : "";
  const bool is_plain =
      (IsMcpTool(tool) || agent.tools.Find(tool)) && tool.find("://") == std::string_view::npos;
  return is_plain || word.empty() ? word : "--as tool " + word;
}

std::string HostWords(std::string_view host) {
  const std::string word = ShellWord(host);
  return word.empty() || KindOfName(host) == NameKind::kHost ? word : "--as host " + word;
}

std::string HostLoopbackFix(const Policy& policy, const std::optional<RulePlace>& missing,
                            uint16_t port) {
  const std::string host = std::string(kHostLoopback) + ":" + std::to_string(port);
  if (!missing || missing->file == policy.own_file) {
    return "Ask the user to list " + Quote(host) + " in the \"network\" of their own policy.";
  }
  return AllowFix(policy, missing, HostWords(host));
}

std::string QuestionFix(std::string_view permission_mode, Access access, const Agent& agent) {
  if (agent.ModelDecidesIn(permission_mode)) return OrLeaveMode("", agent);
  if (permission_mode != agent.unguarded_mode || access == Access::kRead) return "";
  return "Prompts are off here: ask the user to make this edit.";
}

std::string PathFix(const PathRefusal& refusal, const Policy& policy, const Places& places) {
  if (refusal.in_sandbox) return SandboxFix(refusal, policy, places);
  const std::string project = Quote(places.root.text(), kLongestProject);
  if (const std::string other = OtherFix(refusal.missing); !other.empty()) {
    const bool is_in_project = refusal.walked.end.IsInside(places.root_real);
    return other + (is_in_project ? "." : ", or work in " + project + ".");
  }
  if (refusal.asks && !refusal.agent.ModelDecidesIn(refusal.permission_mode)) {
    std::string question = QuestionFix(refusal.permission_mode, refusal.access, refusal.agent);
    if (!question.empty()) return question;
  }
  Path path = WorthNaming(refusal, places);
  while (!CanBeNamed(path, places)) path = path.Parent();
  const bool is_file = refusal.walked.facts.kind == FileKind::kFile && path == refusal.walked.end;
  if (IsSharedFolder(path, places) && !is_file) {
    const bool is_it = path == refusal.walked.end;
    return (is_it ? "Name a directory below it, or work in " : "Work in ") + project + ".";
  }
  const std::optional<std::string> option = PolicyOption(policy);
  const std::string word = PathWord(path, places);
  const bool is_read = refusal.access == Access::kRead;
  const bool is_program = !is_read && HoldsPrograms(path.Parent());
  if (word.empty() || !option || is_program) return "Work in " + project + ".";
  return AllowPathFix(refusal, *option, word,
                      IsTemporary(path, places) || LooksTemporary(path.name()));
}

}  // namespace ringfence
