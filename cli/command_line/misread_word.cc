#include "cli/command_line/misread_word.h"

#include <unistd.h>

#include "agents/claude/agent.h"
#include "base/text.h"

namespace ringfence {
namespace {

Error Misread(const std::string& word, std::string what, const std::string& meant,
              const std::string& otherwise) {
  return UsageError(Quote(word), std::move(what),
                    meant.empty() ? otherwise : "did you mean " + Quote(meant) + "?");
}

// Returns the argument of a rule such as "Read(~/x)", without "domain:".
std::string ArgumentOfRule(const std::string& word, size_t open) {
  std::string argument = word.substr(open + 1, word.size() - open - 2);
  constexpr std::string_view kDomain = "domain:";
  if (argument.starts_with(kDomain)) return argument.substr(kDomain.size());
  if (argument.starts_with("//"))
    argument.erase(0, 1);  // an absolute path in the client's notation
  return argument;
}

}  // namespace

std::optional<Error> MisreadWord(const std::string& word) {
  if (word.empty() || ::access(word.c_str(), F_OK) == 0) return {};
  if (word[0] == '$') {
    constexpr std::string_view kHomes[] = {"$HOME", "${HOME}"};
    std::string meant;
    for (const std::string_view home : kHomes) {
      const std::string_view rest =
          std::string_view(word).substr(std::min(home.size(), word.size()));
      const bool is_whole = word.starts_with(home) && (rest.empty() || rest[0] == '/');
      if (is_whole) meant = "~" + std::string(rest);
    }
    return Misread(word, "begins with a variable that no shell has replaced", meant,
                   "write its value");
  }
  const size_t open = word.find('(');
  const bool is_rule = open != std::string::npos && word.ends_with(')') &&
                       ClaudeCode().tools.Find(std::string_view(word).substr(0, open));
  if (!is_rule) return {};
  const bool is_command = ClaudeCode().tools.RunsCommand(std::string_view(word).substr(0, open));
  return Misread(word, "is a permission rule of the client, not a path, host or tool",
                 is_command ? word.substr(0, open) : ArgumentOfRule(word, open),
                 "name the path, host or tool");
}

}  // namespace ringfence
