#include "sandbox/git_values.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/contains.h"

namespace ringfence {
namespace {

struct KnownKey {
  std::string_view section, key;
  GitValueKind kind;
};

// From git-config(1). Matches with any subsection or none. "" matches any key.
constexpr KnownKey kKnown[] = {
    {"include", "path", GitValueKind::kInclude},
    {"includeif", "path", GitValueKind::kInclude},
    {"core", "hookspath", GitValueKind::kPath},
    {"core", "attributesfile", GitValueKind::kPath},
    {"core", "excludesfile", GitValueKind::kPath},
    {"init", "templatedir", GitValueKind::kPath},
    {"core", "sshcommand", GitValueKind::kCommand},
    {"core", "fsmonitor", GitValueKind::kCommand},
    {"core", "editor", GitValueKind::kCommand},
    {"core", "pager", GitValueKind::kCommand},
    {"core", "askpass", GitValueKind::kCommand},
    {"core", "gitproxy", GitValueKind::kCommand},
    {"core", "alternaterefscommand", GitValueKind::kCommand},
    {"sequence", "editor", GitValueKind::kCommand},
    {"interactive", "difffilter", GitValueKind::kCommand},
    {"uploadpack", "packobjectshook", GitValueKind::kCommand},
    {"diff", "external", GitValueKind::kCommand},
    {"diff", "command", GitValueKind::kCommand},
    {"diff", "textconv", GitValueKind::kCommand},
    {"filter", "clean", GitValueKind::kCommand},
    {"filter", "smudge", GitValueKind::kCommand},
    {"filter", "process", GitValueKind::kCommand},
    {"merge", "driver", GitValueKind::kCommand},
    {"credential", "helper", GitValueKind::kCommand},
    {"gpg", "program", GitValueKind::kCommand},
    {"gpg", "defaultkeycommand", GitValueKind::kCommand},
    {"mergetool", "cmd", GitValueKind::kCommand},
    {"mergetool", "path", GitValueKind::kCommand},
    {"difftool", "cmd", GitValueKind::kCommand},
    {"difftool", "path", GitValueKind::kCommand},
    {"guitool", "cmd", GitValueKind::kCommand},
    {"browser", "cmd", GitValueKind::kCommand},
    {"browser", "path", GitValueKind::kCommand},
    {"man", "cmd", GitValueKind::kCommand},
    {"man", "path", GitValueKind::kCommand},
    {"trailer", "cmd", GitValueKind::kCommand},
    {"trailer", "command", GitValueKind::kCommand},
    {"tar", "command", GitValueKind::kCommand},
    {"hook", "command", GitValueKind::kCommand},
    {"submodule", "update", GitValueKind::kCommand},
    {"remote", "uploadpack", GitValueKind::kCommand},
    {"remote", "receivepack", GitValueKind::kCommand},
    {"sendemail", "smtpserver", GitValueKind::kCommand},
    {"sendemail", "sendmailcmd", GitValueKind::kCommand},
    {"sendemail", "tocmd", GitValueKind::kCommand},
    {"sendemail", "cccmd", GitValueKind::kCommand},
    {"sendemail", "headercmd", GitValueKind::kCommand},
    {"imap", "tunnel", GitValueKind::kCommand},
    {"gc", "recentobjectshook", GitValueKind::kCommand},
    {"instaweb", "httpd", GitValueKind::kCommand},
    {"web", "browser", GitValueKind::kCommand},
    {"lfs", "path", GitValueKind::kCommand},    // lfs.customtransfer.NAME.path
    {"lfs", "clean", GitValueKind::kCommand},   // lfs.extension.NAME.clean
    {"lfs", "smudge", GitValueKind::kCommand},  // lfs.extension.NAME.smudge
    {"gpg", "allowedsignersfile", GitValueKind::kPath},
    {"pager", "", GitValueKind::kCommand},
    {"alias", "", GitValueKind::kCommand},
};

}  // namespace

GitValueKind KindOfValue(const GitVariable& variable) {
  const auto* known = std::ranges::find_if(kKnown, [&](const KnownKey& key) {
    return key.section == variable.section && (key.key.empty() || key.key == variable.key);
  });
  if (known == std::end(kKnown)) return GitValueKind::kOther;
  // Without "!", an alias names one of git's own commands.
  if (variable.section == "alias" && !variable.value.starts_with('!')) return GitValueKind::kOther;
  return known->kind;
}

namespace {

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
