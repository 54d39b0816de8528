// A constant list of words, one per line of a text. Unlike an array of views, it has no pointers
// that must be relocated each time the program starts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace ringfence {

class WordList {
 public:
  class Iterator {
   public:
    constexpr explicit Iterator(std::string_view rest) : rest_(rest) { FindEnd(); }
    constexpr std::string_view operator*() const { return rest_.substr(0, length_); }
    constexpr Iterator& operator++() {
      rest_.remove_prefix(length_ < rest_.size() ? length_ + 1 : length_);
      FindEnd();
      return *this;
    }
    constexpr bool operator!=(const Iterator& other) const {
      return rest_.size() != other.rest_.size();
    }

   private:
    constexpr void FindEnd() { length_ = std::min(rest_.find('\n'), rest_.size()); }

    std::string_view rest_;
    size_t length_ = 0;
  };

  // Each word in `text` ends with a line feed.
  constexpr explicit WordList(std::string_view text) : text_(text) {}

  // Returns the words joined with `between`, for messages.
  std::string Joined(std::string_view between) const {
    std::string joined;
    for (const std::string_view word : *this) {
      if (!joined.empty()) joined += between;
      joined += word;
    }
    return joined;
  }

  constexpr bool empty() const { return text_.empty(); }
  constexpr std::string_view text() const { return text_; }
  constexpr Iterator begin() const { return Iterator(text_); }
  constexpr Iterator end() const { return Iterator(text_.substr(text_.size())); }
  constexpr bool Contains(std::string_view word) const {
    if (word.empty() || word.find('\n') != word.npos) return false;
    for (size_t at = text_.find(word); at != text_.npos; at = text_.find(word, at + 1)) {
      const bool begins = at == 0 || text_[at - 1] == '\n';
      if (begins && text_[at + word.size()] == '\n') return true;
    }
    return false;
  }

 private:
  std::string_view text_;
};

}  // namespace ringfence
