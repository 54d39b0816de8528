#include "sandbox/git_values.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/contains.h"

namespace ringfence {
namespace {

// Section and key, from git-config(1), with any subsection or none; "*" for any key. A space is
// around each.
constexpr std::string_view kIncludes = " include.path includeif.path ";
constexpr std::string_view kPaths =
    " core.hookspath core.attributesfile core.excludesfile init.templatedir"
    " gpg.allowedsignersfile ";
// lfs: lfs.customtransfer.NAME.path, lfs.extension.NAME.clean and .smudge
constexpr std::string_view kCommands =
    " core.sshcommand core.fsmonitor core.editor core.pager core.askpass core.gitproxy"
    " core.alternaterefscommand sequence.editor interactive.difffilter"
    " uploadpack.packobjectshook diff.external diff.command diff.textconv filter.clean"
    " filter.smudge filter.process merge.driver credential.helper gpg.program"
    " gpg.defaultkeycommand mergetool.cmd mergetool.path difftool.cmd difftool.path guitool.cmd"
    " browser.cmd browser.path man.cmd man.path trailer.cmd trailer.command tar.command"
    " hook.command submodule.update remote.uploadpack remote.receivepack sendemail.smtpserver"
    " sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd sendemail.headercmd imap.tunnel"
    " gc.recentobjectshook instaweb.httpd web.browser lfs.path lfs.clean lfs.smudge pager.*"
    " alias.* ";

constexpr std::string_view kWordEnds = " \t\n;|&()<>`$=!{}";  // end a word
constexpr std::string_view kBegins = "\n;|&(`!{";             // start another command
constexpr int kMaxQuotes = 3;

constexpr std::string_view kInterpreters[] = {"sh",     "bash",    "dash", "zsh",  "ksh",  "source",
                                              "python", "python3", "perl", "ruby", "node", "."};

class WordReader {
 public:
  void Read(std::string_view command, int depth) {
    depth_ = depth;
    before_.clear();
    for (const char c : command) Take(c);
    End();
  }

  std::vector<CommandWord> words;

 private:
  void Take(char c) {
    const bool is_quoted = quote_ != '\0';
    if (is_escaped_) {
      word_ += c;
      is_escaped_ = false;
    } else if (c == '\\' && quote_ != '\'') {
      is_escaped_ = true;
    } else if (is_quoted ? c == quote_ : c == '"' || c == '\'') {
      quote_ = is_quoted ? '\0' : c;
    } else if (!is_quoted && Contains(kWordEnds, c)) {
      End();
      if (Contains(kBegins, c)) before_.clear();
    } else {
      word_ += c;
    }
  }

  void End() {
    if (word_.empty()) return;
    const std::string word = std::exchange(word_, "");
    words.push_back({word, std::exchange(before_, word)});
    const bool is_short_option = word.size() > 2 && word[0] == '-' && word[1] != '-';
    if (is_short_option) words.push_back({word.substr(2), word.substr(0, 2)});
    const bool is_command = word.find_first_of(kWordEnds) != std::string::npos;
    if (!is_command || depth_ >= kMaxQuotes) return;
    WordReader inner;
    inner.Read(word, depth_ + 1);
    std::ranges::move(inner.words, std::back_inserter(words));
  }

  int depth_ = 0;
  std::string word_;
  std::string before_;
  char quote_ = '\0';
  bool is_escaped_ = false;
};

}  // namespace

GitValueKind KindOfValue(const GitVariable& variable) {
  // Without "!", an alias names one of git's own commands.
  if (variable.section == "alias" && !variable.value.starts_with('!')) return GitValueKind::kOther;
  const std::string begin = " " + variable.section + ".";
  const auto is_in = [&](std::string_view list) {
    return list.find(begin + variable.key + " ") != list.npos ||
           list.find(begin + "* ") != list.npos;
  };
  if (is_in(kIncludes)) return GitValueKind::kInclude;
  if (is_in(kPaths)) return GitValueKind::kPath;
  return is_in(kCommands) ? GitValueKind::kCommand : GitValueKind::kOther;
}

bool CommandWord::is_script() const {
  return std::ranges::find(kInterpreters, before) != std::end(kInterpreters) &&
         !text.starts_with('-');
}

std::vector<CommandWord> CommandWords(std::string_view command) {
  WordReader all;
  all.Read(command, 0);
  return std::move(all.words);
}

}  // namespace ringfence
