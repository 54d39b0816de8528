#include "tests/support/suggested.h"

#include <doctest/doctest.h>

#include <optional>

std::vector<std::string> ShellWords(std::string_view line) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') {
      if (word) words.push_back(*word);
      word.reset();
      continue;
    }
    if (!word) word.emplace();
    if (line[i] == '\'') {
      const size_t end = line.find('\'', i + 1);
      REQUIRE(end != std::string_view::npos);
      *word += line.substr(i + 1, end - i - 1);
      i = end;
    } else if (line[i] == '\\') {
      *word += line[++i];
    } else {
      const bool is_home = line[i] == '~' && word->empty() && line.substr(i, 2) == "~/";
      CHECK((is_home ||
             std::string_view("~|&;<>()$`\"*?[]#!{}").find(line[i]) == std::string_view::npos));
      *word += line[i];
    }
  }
  if (word) words.push_back(*word);
  return words;
}

std::vector<std::string> Suggested(const std::string& reason) {
  const size_t begin = reason.find('`');
  if (begin == std::string::npos) return {};
  const size_t end = reason.find('`', begin + 1);
  REQUIRE(end != std::string::npos);
  return ShellWords(reason.substr(begin + 1, end - begin - 1));
}

std::string SuggestedPath(const std::string& reason) {
  const std::vector<std::string> words = Suggested(reason);
  return words.empty() ? "" : words.back();
}
