#include "sandbox/git_variables.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"

namespace ringfence {
namespace {

class VariableReader {
 public:
  explicit VariableReader(std::string_view text) : text_(text) {}

  std::vector<GitVariable> Read() {
    while (!AtEnd()) {
      const char c = Peek();
      if (c == '[') {
        ReadSection();
      } else if (IsLetter(c)) {
        ReadVariable();
      } else if (c == '#' || c == ';') {
        SkipLine();
      } else {
        ++at_;
      }
    }
    return std::move(variables_);
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return AtEnd() ? '\n' : text_[at_]; }
  void SkipLine() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  void SkipBlanks() {
    while (!AtEnd() && (Peek() == ' ' || Peek() == '\t' || Peek() == '\r')) ++at_;
  }

  std::string_view TakeName() {
    const size_t start = at_;
    while (!AtEnd() && (IsLetter(Peek()) || IsDigit(Peek()) || Peek() == '-' || Peek() == '.')) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  // [section], [section "subsection"] or [section.subsection]
  void ReadSection() {
    ++at_;
    SkipBlanks();
    const std::string_view name = TakeName();
    section_ = LowerAscii(name.substr(0, name.find('.')));
    subsection_ =
        section_.size() < name.size() ? std::string(name.substr(section_.size() + 1)) : "";
    SkipBlanks();
    if (Peek() == '"') ReadSubsection();
    while (!AtEnd() && Peek() != ']' && Peek() != '\n') ++at_;
    if (Peek() == ']') ++at_;
  }

  void ReadSubsection() {
    subsection_.clear();
    for (++at_; !AtEnd() && Peek() != '"' && Peek() != '\n'; ++at_) {
      if (Peek() == '\\' && at_ + 1 < text_.size()) ++at_;
      subsection_ += Peek();
    }
    if (Peek() == '"') ++at_;
  }

  void ReadVariable() {
    GitVariable variable{section_, subsection_, LowerAscii(TakeName()), ""};
    SkipBlanks();
    if (Peek() == '=') {
      ++at_;
      variable.value = TakeValue();
    } else {
      SkipLine();
    }
    variables_.push_back(std::move(variable));
  }

  std::string TakeValue() {
    std::string value;
    size_t kept = 0;  // trailing blanks do not count
    bool is_quoted = false;
    SkipBlanks();
    for (; !AtEnd(); ++at_) {
      const char c = Peek();
      if (c == '\n' || (!is_quoted && (c == '#' || c == ';'))) break;
      if (c == '"') {
        is_quoted = !is_quoted;
      } else if (c == '\\') {
        ++at_;
        AddEscaped(value);
      } else {
        value += c;
      }
      const bool is_blank = c == ' ' || c == '\t' || c == '\r';
      if (is_quoted || !is_blank) kept = value.size();
    }
    SkipLine();
    value.resize(std::min(kept, value.size()));
    return value;
  }

  void AddEscaped(std::string& value) const {
    const char c = Peek();
    if (c == '\n' || c == '\r') return;  // the value continues on the next line
    value += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'b' ? '\b' : c;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string section_, subsection_;
  std::vector<GitVariable> variables_;
};

}  // namespace

std::string GitVariable::name() const {
  return section + (subsection.empty() ? "." : "." + subsection + ".") + key;
}

std::vector<GitVariable> ReadGitVariables(std::string_view text) {
  return VariableReader(text).Read();
}

}  // namespace ringfence
