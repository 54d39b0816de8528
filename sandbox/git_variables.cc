#include "sandbox/git_variables.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/ascii.h"
#include "base/case_fold.h"
#include "base/text.h"
#include "sandbox/environment.h"

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

constexpr long kMaxSettings = 1000;

// Environment variables that replace a configuration variable.
struct StandIn {
  const char* name;
  const char* section;
  const char* key;
};
constexpr StandIn kStandIns[] = {
    {"GIT_SSH_COMMAND", "core", "sshcommand"},
    {"GIT_SSH", "core", "sshcommand"},
    {"GIT_EXTERNAL_DIFF", "diff", "external"},
    {"GIT_ASKPASS", "core", "askpass"},
    {"SSH_ASKPASS", "core", "askpass"},
    {"GIT_PROXY_COMMAND", "core", "gitproxy"},
    {"GIT_SEQUENCE_EDITOR", "sequence", "editor"},
    {"GIT_EDITOR", "core", "editor"},
    {"VISUAL", "core", "editor"},
    {"EDITOR", "core", "editor"},
    {"GIT_PAGER", "core", "pager"},
    {"PAGER", "core", "pager"},
    {"GIT_TEMPLATE_DIR", "init", "templatedir"},
    {"GIT_EXEC_PATH", "init", "templatedir"},
};

// Splits "section.subsection.key".
GitVariable VariableOf(std::string_view name, std::string_view value) {
  const size_t first = std::min(name.find('.'), name.size());
  const size_t last = name.rfind('.');
  GitVariable variable{.section = FoldName(name.substr(0, first)), .value = std::string(value)};
  if (last == std::string_view::npos) return variable;
  variable.key = FoldName(name.substr(last + 1));
  if (last > first) variable.subsection = name.substr(first + 1, last - first - 1);
  return variable;
}

// Takes a single-quoted string, with "'\''" for a quote, off the front of `text`.
std::string TakeSingleQuoted(std::string_view& text) {
  std::string word;
  if (!text.starts_with('\'')) return word;
  text.remove_prefix(1);
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c != '\'') {
      word += c;
    } else if (text.starts_with("\\") && text.size() > 2) {
      word += text[1];
      text.remove_prefix(3);
    } else {
      break;
    }
  }
  return word;
}

class EnvironmentReader {
 public:
  explicit EnvironmentReader(std::span<const std::string> environment)
      : environment_(environment) {}

  GitEnvironment Read() {
    for (const StandIn& one : kStandIns) {
      Add({.section = one.section, .key = one.key, .value = std::string(ValueOf(one.name))},
          one.name);
    }
    ReadCounted();
    ReadParameters();
    AddFile("GIT_CONFIG_SYSTEM", "");
    AddFile("GIT_CONFIG_GLOBAL", "");
    AddFile("XDG_CONFIG_HOME", "/git/config");
    found_.repository = ValueOf("GIT_DIR");
    return std::move(found_);
  }

 private:
  std::string_view ValueOf(std::string_view name) const {
    return EnvironmentValue(environment_, name);
  }

  void Add(GitVariable variable, std::string from) {
    if (variable.value.empty()) return;
    found_.settings.push_back({std::move(variable), std::move(from)});
  }

  void AddFile(const char* name, const char* below) {
    const std::string value(ValueOf(name));
    if (!value.empty()) found_.config_files.push_back({value + below, name});
  }

  void ReadCounted() {
    const std::string count(ValueOf("GIT_CONFIG_COUNT"));
    const long most = std::min(std::strtol(count.c_str(), nullptr, 10), kMaxSettings);
    for (long i = 0; i < most; ++i) {
      const std::string key = "GIT_CONFIG_KEY_" + std::to_string(i);
      Add(VariableOf(ValueOf(key), ValueOf("GIT_CONFIG_VALUE_" + std::to_string(i))), key);
    }
  }

  // Settings that `git -c` passes on: 'key'='value', or 'key=value' before Git 2.31.
  void ReadParameters() {
    constexpr const char* kName = "GIT_CONFIG_PARAMETERS";
    std::string_view text = ValueOf(kName);
    for (long i = 0; i < kMaxSettings && !text.empty(); ++i) {
      const std::string word = TakeSingleQuoted(text);
      if (text.starts_with('=')) {
        text.remove_prefix(1);
        Add(VariableOf(word, TakeSingleQuoted(text)), kName);
      } else {
        const size_t equals = std::min(word.find('='), word.size());
        const std::string_view all = word;
        Add(VariableOf(all.substr(0, equals),
                       equals < word.size() ? all.substr(equals + 1) : std::string_view()),
            kName);
      }
      text.remove_prefix(std::min(text.find('\''), text.size()));
    }
  }

  std::span<const std::string> environment_;
  GitEnvironment found_;
};

}  // namespace

std::string GitVariable::name() const {
  return section + (subsection.empty() ? "." : "." + subsection + ".") + key;
}

std::vector<GitVariable> ReadGitVariables(std::string_view text) {
  return VariableReader(text).Read();
}

GitEnvironment ReadGitEnvironment(std::span<const std::string> environment) {
  return EnvironmentReader(environment).Read();
}

}  // namespace ringfence
