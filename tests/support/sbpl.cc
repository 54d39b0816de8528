#include "tests/support/sbpl.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace ringfence {
namespace {

using Form = SbplProfile::Form;
using Kind = Form::Kind;

constexpr std::string_view kOperations[] = {"default",
                                            "appleevent-send",
                                            "file-clone",
                                            "file-ioctl",
                                            "file-link",
                                            "file-mount",
                                            "file-unmount",
                                            "file-read*",
                                            "file-read-data",
                                            "file-read-metadata",
                                            "file-read-xattr",
                                            "file-write*",
                                            "file-write-create",
                                            "file-write-data",
                                            "file-write-unlink",
                                            "file-write-mode",
                                            "job-creation",
                                            "lsopen",
                                            "mach-lookup",
                                            "mach-priv-task-port",
                                            "network*",
                                            "network-bind",
                                            "network-inbound",
                                            "network-outbound",
                                            "process-exec",
                                            "process-info*",
                                            "process-info-pidinfo",
                                            "signal",
                                            "user-preference-write"};

[[noreturn]] void Refuse(const std::string& what) { throw std::runtime_error("sbpl: " + what); }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Form> Forms() {
    std::vector<Form> forms;
    for (;;) {
      SkipSpace();
      if (at_ == text_.size()) return forms;
      if (text_[at_] != '(') Refuse("text outside of a form" + Place());
      forms.push_back(Read());
    }
  }

 private:
  std::string Place() const {
    return " in line " +
           std::to_string(1 + std::count(text_.begin(),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
  }

  char Peek() const {
    if (at_ >= text_.size()) Refuse("the text ends within a form");
    return text_[at_];
  }

  void SkipSpace() {
    while (at_ < text_.size()) {
      if (text_[at_] == ';') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  Form Read() {
    SkipSpace();
    if (Peek() == '(') return ReadList();
    return Peek() == '"' ? ReadString() : ReadAtom();
  }

  Form ReadList() {
    Form form;
    ++at_;
    for (;;) {
      SkipSpace();
      if (Peek() == ')') break;
      form.list.push_back(Read());
    }
    ++at_;
    if (form.list.empty() || form.list[0].kind != Kind::kAtom)
      Refuse("a form without name" + Place());
    return form;
  }

  // Reads a string like TinyScheme, on which libsandbox is based.
  Form ReadString() {
    Form form{.kind = Kind::kString, .text = "", .list = {}, .expression = {}};
    for (++at_; Peek() != '"'; ++at_) {
      char c = Peek();
      if (static_cast<unsigned char>(c) < 0x20) Refuse("a control character in a string" + Place());
      if (c == '\\') {
        ++at_;
        c = Peek();
        if (c == 'x') {
          c = static_cast<char>(std::stoi(std::string(text_.substr(at_ + 1, 2)), nullptr, 16));
          at_ += 2;
        } else if (c != '"' && c != '\\') {
          Refuse("an unknown escape" + Place());
        }
      }
      form.text += c;
    }
    ++at_;
    return form;
  }

  Form ReadAtom() {
    const size_t end = std::min(text_.find_first_of(" \t\n()\";", at_), text_.size());
    Form form{.kind = Kind::kAtom,
              .text = std::string(text_.substr(at_, end - at_)),
              .list = {},
              .expression = {}};
    if (form.text.empty()) Refuse("nothing where a word should be" + Place());
    at_ = end;
    return form;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Rejects expressions that sandbox-exec is known to refuse, and those that POSIX leaves undefined.
class ExpressionCheck {
 public:
  explicit ExpressionCheck(const std::string& text) : text_(text) {}

  void Run() {
    while (at_ < text_.size()) {
      if (text_[at_] == '[') {
        Bracket();
      } else {
        Outside();
      }
    }
  }

 private:
  char Next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  void Bracket() {
    if (Next() == '^') ++at_;
    if (Next() == ']') Refuse("an empty bracket: " + text_);
    for (++at_; at_ < text_.size() && text_[at_] != ']'; ++at_) {
      const bool is_unclear = text_[at_] == '\\' || text_[at_] == '[';
      if (is_unclear) Refuse("a bracket that could be read in two ways: " + text_);
    }
    if (at_ == text_.size()) Refuse("a bracket without end: " + text_);
    ++at_;
  }

  void Outside() {
    const char c = text_[at_];
    if (c == '^' && at_ != 0) Refuse("unexpected ^ operator in middle of expression: " + text_);
    const bool is_unknown = c == '{' || (c == '(' && Next() == '?');
    if (is_unknown) Refuse("an operator that is not known: " + text_);
    const bool ends = Next() == '\0' || Next() == ')';
    if (c == '$' && !ends) Refuse("$ before the end: " + text_);
    if (c == '\\') {
      const bool is_letter = std::isalnum(static_cast<unsigned char>(Next())) != 0;
      if (Next() == '\0' || is_letter) Refuse("an escape that means something: " + text_);
      ++at_;
    }
    ++at_;
  }

  const std::string& text_;
  size_t at_ = 0;
};

void CompileExpression(Form& form) {
  ExpressionCheck(form.text).Run();
  auto* compiled = new regex_t;
  if (::regcomp(compiled, form.text.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    delete compiled;
    Refuse("no expression: " + form.text);
  }
  form.expression = std::shared_ptr<regex_t>(compiled, [](regex_t* expression) {
    ::regfree(expression);
    delete expression;
  });
}

bool OneOf(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Checks a complete filter and prepares its expressions.
void Prepare(Form& form);

void PrepareText(Form& form) {
  const std::string& name = form.list[0].text;
  if (form.list.size() != 2 || form.list[1].kind != Kind::kString) Refuse(name + " needs a string");
  const std::string& text = form.list[1].text;
  const bool is_path = text == "/" || (text.starts_with('/') && !text.ends_with('/'));
  if (OneOf(name, {"literal", "subpath"}) && !is_path) Refuse("no path: " + text);
  if (name == "regex") CompileExpression(form.list[1]);
}

void PrepareAddress(Form& form) {
  const size_t count = form.list.size();
  if (count < 2 || form.list[1].kind != Kind::kAtom) Refuse("an address without a kind");
  const std::string& kind = form.list[1].text;
  if (kind == "unix-socket") {
    for (size_t i = 2; i < count; ++i) Prepare(form.list[i]);
  } else if (kind != "ip" || count != 3 || form.list[2].text.find(':') == std::string::npos) {
    Refuse("neither host:port nor a socket: " + kind);
  }
}

void Prepare(Form& form) {
  if (form.kind != Kind::kList) Refuse("a filter that is no form: " + form.text);
  const std::string& name = form.list[0].text;
  const size_t count = form.list.size();
  if (OneOf(name, {"literal", "subpath", "regex", "prefix", "global-name", "extension"})) {
    PrepareText(form);
  } else if (OneOf(name, {"require-any", "require-all", "require-not"})) {
    if (count < 2 || (name == "require-not" && count != 2)) Refuse(name + " without filters");
    for (size_t i = 1; i < count; ++i) Prepare(form.list[i]);
  } else if (OneOf(name, {"local", "remote"})) {
    PrepareAddress(form);
  } else if (!OneOf(name, {"target", "ioctl-command"})) {
    Refuse("unknown filter " + name);
  }
}

bool IsBelow(const std::string& path, const std::string& folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool MatchesAddress(const std::string& filter, const SbplQuestion& question) {
  const size_t colon = filter.rfind(':');
  const std::string host = filter.substr(0, colon);
  const std::string port = filter.substr(colon + 1);
  if (port != "*" && port != std::to_string(question.port)) return false;
  if (host == "*") return true;
  return host == "localhost" && OneOf(question.host, {"127.0.0.1", "::1"});
}

bool Matches(const Form& form, const SbplQuestion& question);

bool MatchesPath(const Form& form, const std::string& path) {
  const std::string& name = form.list[0].text;
  const std::string& text = form.list[1].text;
  if (path.empty()) return false;
  if (name == "literal") return path == text;
  if (name == "subpath") return IsBelow(path, text);
  if (name == "prefix") return path.starts_with(text);
  return ::regexec(form.list[1].expression.get(), path.c_str(), 0, nullptr, 0) == 0;
}

bool MatchesPeer(const Form& form, const SbplQuestion& question) {
  if (form.list[1].text == "ip") {
    return !question.host.empty() && MatchesAddress(form.list[2].text, question);
  }
  if (question.socket.empty()) return false;
  SbplQuestion inner = question;
  inner.path = question.socket;
  return form.list.size() == 2 || std::any_of(form.list.begin() + 2, form.list.end(),
                                              [&](const Form& f) { return Matches(f, inner); });
}

bool Matches(const Form& form, const SbplQuestion& question) {
  const std::string& name = form.list[0].text;
  const auto holds = [&](const Form& inner) { return Matches(inner, question); };
  const auto first = form.list.begin() + 1;
  if (name == "require-any") return std::any_of(first, form.list.end(), holds);
  if (name == "require-all") return std::all_of(first, form.list.end(), holds);
  if (name == "require-not") return !holds(*first);
  if (name == "local" || name == "remote") return MatchesPeer(form, question);
  if (name == "global-name") return question.service == form.list[1].text;
  if (name == "target") return question.same_sandbox;
  if (name == "extension" || name == "ioctl-command") return false;
  return MatchesPath(form, question.path);
}

bool HasStar(const std::string& operation) {
  return operation.ends_with('*') || operation == "default";
}

bool Covers(const std::string& rule, const std::string& operation) {
  if (rule == "default") return true;
  if (!HasStar(rule)) return rule == operation;
  return operation.starts_with(rule.substr(0, rule.size() - 1));
}

}  // namespace

SbplProfile::SbplProfile(std::string_view text) {
  std::vector<Form> forms = Reader(text).Forms();
  if (forms.empty() || forms[0].list[0].text != "version")
    Refuse("no (version 1) at the beginning");
  for (size_t i = 1; i < forms.size(); ++i) Add(forms[i]);
}

void SbplProfile::Add(Form& form) {
  const std::string& action = form.list[0].text;
  if (action != "allow" && action != "deny") Refuse("unknown form " + action);
  Rule rule{.allow = action == "allow", .operations = {}, .filters = {}};
  for (size_t i = 1; i < form.list.size(); ++i) {
    Form& part = form.list[i];
    if (part.kind == Kind::kAtom && rule.filters.empty()) {
      if (std::ranges::find(kOperations, part.text) == std::end(kOperations)) {
        Refuse("unknown operation " + part.text);
      }
      rule.operations.push_back(part.text);
    } else {
      Prepare(part);
      rule.filters.push_back(part);
    }
  }
  if (rule.operations.empty()) Refuse("a rule without operation");
  rules_.push_back(std::move(rule));
}

SbplProfile::Answers SbplProfile::Ask(const SbplQuestion& question) const {
  Answers answers;
  bool is_named = false;
  for (const Rule& rule : rules_) {
    const auto covers = [&](const std::string& operation) {
      return Covers(operation, question.operation);
    };
    const auto matches = [&](const Form& filter) { return Matches(filter, question); };
    if (!std::ranges::any_of(rule.operations, covers)) continue;
    if (!rule.filters.empty() && !std::ranges::any_of(rule.filters, matches)) continue;
    const bool names =
        std::ranges::find(rule.operations, question.operation) != rule.operations.end();
    answers.last_match = rule.allow;
    if (names || !is_named) answers.named_first = rule.allow;
    is_named = is_named || names;
  }
  return answers;
}

bool SbplProfile::Allows(const SbplQuestion& question, SbplOrder order) const {
  const Answers answers = Ask(question);
  return order == SbplOrder::kLastMatch ? answers.last_match : answers.named_first;
}

bool SbplProfile::Allows(const SbplQuestion& question) const {
  const Answers answers = Ask(question);
  if (answers.last_match != answers.named_first) {
    Refuse("the order of rules decides: " + question.operation + " " + question.path);
  }
  return answers.last_match;
}

bool SbplProfile::MayWrite(const std::string& path) const {
  return Allows({.operation = "file-write-create", .path = path}) &&
         Allows({.operation = "file-write-data", .path = path});
}
bool SbplProfile::MayRemove(const std::string& path) const {
  return Allows({.operation = "file-write-unlink", .path = path});
}
bool SbplProfile::MayRead(const std::string& path) const {
  return Allows({.operation = "file-read-data", .path = path});
}
bool SbplProfile::MayConnect(const std::string& host, int port) const {
  return Allows({.operation = "network-outbound", .host = host, .port = port});
}
bool SbplProfile::MayConnectSocket(const std::string& socket) const {
  return Allows({.operation = "network-outbound", .socket = socket});
}
bool SbplProfile::MayLookUp(const std::string& service) const {
  return Allows({.operation = "mach-lookup", .service = service});
}

}  // namespace ringfence
