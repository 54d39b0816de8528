#include "sandbox/git_config.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/case_fold.h"
#include "base/path.h"
#include "base/text.h"
#include "sandbox/git_variables.h"

namespace ringfence {
namespace {

struct KnownSection {
  std::string_view name;
  bool has_subsection;
  std::string_view keys;  // " " around each; "*" for all
};

// In lower case, as git compares them. Excludes keys of core, remote, submodule and gc that name a
// program, and everything about partial clones: git would fetch missing objects on any access.
constexpr KnownSection kAllowed[] = {
    {"core", false,
     " repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode "
     "symlinks worktree sparsecheckout sparsecheckoutcone autocrlf eol safecrlf quotepath abbrev "
     "trustctime checkstat compression loosecompression bigfilethreshold longpaths fscache "
     "untrackedcache preloadindex multipackindex commitgraph sharedrepository whitespace "},
    {"remote", true,
     " url pushurl fetch push mirror tagopt prune prunetags skipdefaultupdate skipfetchall "
     "followremotehead gh-resolved "},
    {"branch", true,
     " remote merge rebase pushremote description vscode-merge-base gh-merge-base "
     "github-pr-owner-number "},
    {"branch", false, " autosetupmerge autosetuprebase sort "},
    {"submodule", true, " url active branch ignore fetchrecursesubmodules "},
    {"submodule", false, " active recurse fetchjobs "},
    {"user", false, " name email useconfigonly "},
    {"author", false, " name email "},
    {"committer", false, " name email "},
    {"commit", false, " gpgsign cleanup "},
    {"tag", false, " gpgsign sort "},
    {"init", false, " defaultbranch "},
    {"pull", false, " rebase ff "},
    {"push", false, " default autosetupremote followtags "},
    {"fetch", false, " prune prunetags parallel recursesubmodules fsckobjects "},
    {"merge", false, " ff conflictstyle renames "},
    {"rebase", false, " autostash autosquash "},
    {"gc", false, " auto autodetach autopacklimit pruneexpire "},
    {"maintenance", false, " auto strategy "},
    {"extensions", false, " worktreeconfig objectformat compatobjectformat relativeworktrees "},
    {"advice", false, "*"},
    {"color", false, "*"},
    {"color", true, "*"},
    {"column", false, "*"},
    {"rerere", false, "*"},
    {"lfs", false, " repositoryformatversion "},
    {"diff", false,
     " algorithm colormoved colormovedws context ignoresubmodules indentheuristic "
     "interhunkcontext mnemonicprefix noprefix relative renamelimit renames submodule "
     "wserrorhighlight "},
    {"log", false, " abbrevcommit date decorate follow "},
    {"checkout", false, " defaultremote guess workers "},
    {"worktree", false, " guessremote userelativepaths "},
    {"index", false, "*"},
    {"pack", false, "*"},
    {"status", false, "*"},
};

bool IsKeyAllowed(std::string_view section, bool has_subsection, std::string_view key) {
  const std::string word = " " + std::string(key) + " ";
  return std::ranges::any_of(kAllowed, [&](const KnownSection& allowed) {
    return allowed.name == section && allowed.has_subsection == has_subsection &&
           (allowed.keys == "*" || allowed.keys.find(word) != std::string_view::npos);
  });
}

constexpr bool IsNameByte(char c) { return IsAlnum(c) || c == '-'; }

size_t NameSize(std::string_view text) {
  return static_cast<size_t>(std::ranges::find_if_not(text, IsNameByte) - text.begin());
}

void DropBlanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

// True if `value` is a directory in the repository's own work tree: ".." no higher than its top,
// then names.
bool StaysInOwnWorkTree(std::string_view value, std::string_view path) {
  const size_t last_space = value.find_last_not_of(" \t");
  value = value.substr(0, last_space + 1);
  constexpr std::string_view kPlain = "._/-+@ ";
  const bool is_plain = std::ranges::all_of(
      value, [&](char c) { return IsNameByte(c) || kPlain.find(c) != std::string_view::npos; });
  if (!is_plain || !value.starts_with("../")) return false;
  const size_t git = path.rfind("/.git/");
  if (git == std::string_view::npos) return false;
  // One level up from ".git", and one more for each directory below it.
  auto may_go_up = std::ranges::count(path.substr(git + 1), '/');
  bool is_going_up = true;
  for (;;) {
    const std::string_view name = TakeComponent(value);
    if (name.empty()) return true;
    if (name != "..") {
      is_going_up = false;
    } else if (!is_going_up || --may_go_up < 0) {
      return false;
    }
    if (FoldsTo(name, ".git")) return false;
  }
}

class GitConfigReader {
 public:
  explicit GitConfigReader(std::string_view path) : path_(path) {}

  std::optional<std::string> Read(std::string_view text) {
    if (text.size() > kMaxGitConfig) return "it is too long";
    while (!text.empty()) {
      ++number_;
      if (auto why = ReadLine(TakeUntil(text, '\n'))) return why;
    }
    return {};
  }

 private:
  std::optional<std::string> NotRead() const {
    return "line " + std::to_string(number_) + " is not plain";
  }

  std::optional<std::string> ReadLine(std::string_view line) {
    // A continued line, or a byte that git drops or stops at.
    const bool is_odd = std::ranges::any_of(
        line, [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == '\x7f'; });
    if (is_odd || line.ends_with('\\')) return NotRead();
    for (;;) {
      DropBlanks(line);
      if (line.empty() || line.front() == '#' || line.front() == ';') return {};
      if (line.front() != '[') return ReadVariable(line);
      if (!ReadSection(line)) return NotRead();
    }
  }

  // Reads [name] or [name "subsection"]; another section or a variable may follow on the line.
  bool ReadSection(std::string_view& line) {
    line.remove_prefix(1);
    const size_t size = NameSize(line);
    section_ = LowerAscii(line.substr(0, size));
    line.remove_prefix(size);
    has_subsection_ = !line.empty() && line.front() != ']';
    if (has_subsection_ && !DropSubsection(line)) return false;
    if (section_.empty() || !line.starts_with(']')) return false;
    line.remove_prefix(1);
    return true;
  }

  static bool DropSubsection(std::string_view& line) {
    if (line.front() != ' ' && line.front() != '\t') return false;
    DropBlanks(line);
    if (!line.starts_with('"')) return false;
    for (size_t i = 1; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '"') {
        line.remove_prefix(i + 1);
        return true;
      }
    }
    return false;
  }

  std::optional<std::string> ReadVariable(std::string_view line) const {
    const size_t size = NameSize(line);
    if (size == 0 || !IsLetter(line.front()) || section_.empty()) return NotRead();
    const std::string key = LowerAscii(line.substr(0, size));
    line.remove_prefix(size);
    DropBlanks(line);
    if (!line.empty() && line.front() != '=') return NotRead();
    std::string_view value = line.substr(std::min<size_t>(1, line.size()));
    DropBlanks(value);
    const bool is_elsewhere =
        section_ == "core" && key == "worktree" && !StaysInOwnWorkTree(value, path_);
    if (IsKeyAllowed(section_, has_subsection_, key) && !is_elsewhere) return {};
    return "a command may not set " + section_ + (has_subsection_ ? ".*." : ".") + key;
  }

  std::string_view path_;
  std::string section_;
  bool has_subsection_ = false;
  int number_ = 0;
};

// All commands except "exec". Commands consist of letters, so a line that begins with neither a
// letter nor a blank is a comment.
constexpr std::string_view kTodoCommands[] = {
    "pick",  "p", "reword", "r", "edit", "e", "squash",     "s", "fixup", "f", "label", "l",
    "reset", "t", "merge",  "m", "drop", "d", "update-ref", "u", "break", "b", "noop"};

constexpr std::string_view kStrategies[] = {"ort",     "recursive", "resolve",
                                            "octopus", "ours",      "subtree"};

bool IsHarmless(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  if (line.empty() || !IsLetter(line.front())) return true;
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  return std::ranges::find(kTodoCommands, word) != std::end(kTodoCommands);
}

}  // namespace

std::optional<std::string> WhyNoGitConfig(std::string_view text, std::string_view path) {
  return GitConfigReader(path).Read(text);
}

std::optional<std::string> WhyNoRebaseTodo(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "it is not a text";
  for (int number = 1; !text.empty(); ++number) {
    if (!IsHarmless(TakeUntil(text, '\n'))) {
      return "line " + std::to_string(number) + " may run a program";
    }
  }
  return {};
}

std::optional<std::string> WhyNoSequencerOptions(std::string_view text) {
  for (const GitVariable& variable : ReadGitVariables(text)) {
    if (variable.section == "include" || variable.section == "includeif") {
      return "it includes another file";
    }
    if (variable.name() != "options.strategy") continue;
    if (std::ranges::find(kStrategies, variable.value) == std::end(kStrategies)) {
      return "the merge strategy " + Quote(variable.value) + " is not one of git's own";
    }
  }
  return {};
}

}  // namespace ringfence
