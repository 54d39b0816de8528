// Splits words at single spaces, in the form in which main() gets them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

class ArgumentWords {
 public:
  explicit ArgumentWords(std::string_view text) : text_(text) {
    char* word = text_.data();
    for (char& c : text_) {
      if (c != ' ') continue;
      c = '\0';
      words_.push_back(word);
      word = &c + 1;
    }
    words_.push_back(word);
  }
  std::span<char* const> all() const { return words_; }

 private:
  std::string text_;
  std::vector<char*> words_;
};

}  // namespace ringfence
