#include "sandbox/git_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/contains.h"

namespace ringfence {
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
