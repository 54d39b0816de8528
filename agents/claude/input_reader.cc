#include "agents/claude/input_reader.h"

#include <algorithm>
#include <string>
#include <vector>

#include "agents/claude/agent.h"
#include "agents/claude/value_sieve.h"
#include "base/json_pointer.h"
#include "policy/mcp/argument_names.h"
#include "policy/mcp/mcp_name.h"
#include "policy/mcp/mcp_value.h"

namespace ringfence {
namespace {

constexpr size_t kMaxValueBytes = size_t{8} << 20;  // total of all values kept
constexpr size_t kMaxFields = 20000;

class InputReader {
 public:
  InputReader(JsonScanner& scanner, Event& event, const EventFilter& filter)
      : scanner_(scanner), event_(event), filter_(filter) {}

  // False if the scanner has an error or why() describes one.
  bool Read(Token first) {
    token_ = first;
    BeginValues();
    if (token_ != Token::kObjectBegin) return Wrong("tool_input must be an object");
    levels_.push_back({.is_object = true});
    while (!levels_.empty()) {
      if (Next() == Token::kError || !TakeToken()) return false;
    }
    return true;
  }

  const std::string& why() const { return why_; }

 private:
  // One level of nesting in tool_input.
  struct Level {
    bool is_object = false;
    std::string key = {};  // of the current member, or of the nearest one above an array
    std::string pointer = {};
    bool matters = false;  // the value of `key` may matter
    size_t next_element = 0;
    UsualName usual = UsualName::kNone;        // kind of `key`, for an MCP tool
    std::string name = {};                     // key of the value that opened this level
    UsualName usual_above = UsualName::kNone;  // kind of `name`
  };

  Token Next() { return token_ = scanner_.Next(); }

  bool Wrong(const char* why) {
    why_ = why;
    return false;
  }

  // Any string of an MCP tool may be a path, whatever its name. A tool that is not known yet may be
  // an MCP tool.
  void BeginValues() {
    takes_values_ = event_.tool_name.empty() || IsMcpTool(event_.tool_name);
    if (!takes_values_ || filter_.files == nullptr || !event_.cwd) return;
    sieve_.LookIn(*filter_.files, *filter_.places, *event_.cwd);
  }

  bool TakeToken() {
    if (token_ == Token::kKey) {
      TakeKey(levels_.back());
      return !takes_values_ || KeepKey();
    }
    if (token_ == Token::kObjectEnd || token_ == Token::kArrayEnd) {
      levels_.pop_back();
      return true;
    }
    return TakeMember();
  }

  // Records what a member's key says about it.
  void TakeKey(Level& level) {
    level.key = scanner_.text();
    // For an MCP tool, the argument names of built-in tools mean nothing.
    const bool is_mcp = takes_values_ && !event_.tool_name.empty();
    level.matters = is_mcp ? ClaudeCode().IsSandboxFlag(level.key) : MayMatter(level.key);
    if (takes_values_) level.usual = sieve_.UsualOf(level.key);
  }

  // Keeps a key that may be a path: some tools use paths as the keys of an object.
  bool KeepKey() {
    const Level& level = levels_.back();
    const bool is_usual = level.usual_above == UsualName::kPaths;
    const bool is_parameter =
        !is_usual && levels_.size() == 1 && level.key.find('/') == std::string::npos;
    if (is_parameter) return true;
    const bool is_wanted = is_usual ? sieve_.MayBePlace(level.key, UsualName::kPaths)
                                    : sieve_.MayBePlaceAsKey(level.key);
    if (!is_wanted) return true;
    const JsonScanner::String string{.text = level.key};
    if (!KeepField(level.name, PointerHere(), string)) return false;
    InputField& field = event_.input.back();
    field.kind = JsonKind::kString;
    field.is_key = field.by_value = true;
    return true;
  }

  bool IsValueWanted(const JsonScanner::String& string) const {
    const UsualName usual = levels_.back().usual;
    const bool is_odd = string.has_nul || string.has_lone_surrogate;
    return (is_odd && usual != UsualName::kNone) || sieve_.MayBePlace(string.text, usual);
  }

  std::string PointerHere() const {
    const Level& level = levels_.back();
    if (!level.is_object) return level.pointer + "/" + std::to_string(level.next_element);
    std::string pointer = level.pointer + "/";
    AppendPointerKey(pointer, level.key);
    return pointer;
  }

  bool IsPointedTo() const {
    return !filter_.pointers.empty() && PointerCovers(filter_.pointers, PointerHere());
  }

  bool IsCommand() const {
    return event_.raw_input && levels_.size() == 1 && levels_.back().key == "command";
  }

  // Reads the value's text, if it is a string, before anything else uses it.
  bool TakeText(JsonScanner::String* string) {
    if (token_ != Token::kString) return true;
    const size_t begin = scanner_.token_offset() + 1;  // after the quote
    if (!scanner_.TakeString(takes_values_ ? kMaxValue : kMaxPathText, string)) return false;
    if (IsCommand()) {
      event_.raw_input->command = begin;
      event_.raw_input->beginning = string->text;
    }
    return true;
  }

  bool TakeMember() {
    if (!TakeValue()) return false;
    const bool opens = token_ == Token::kObjectBegin || token_ == Token::kArrayBegin;
    if (opens) return OpenLevel();
    ++levels_.back().next_element;
    return true;
  }

  bool TakeValue() {
    const bool is_value = takes_values_ && token_ == Token::kString;
    const bool is_wanted = levels_.back().matters || IsPointedTo();
    JsonScanner::String string;
    if ((is_wanted || is_value || IsCommand()) && !TakeText(&string)) return false;
    if (IsCommand()) event_.raw_input->is_odd = token_ != Token::kString;
    if (!is_wanted && !(is_value && IsValueWanted(string))) return true;
    if (!KeepField(levels_.back().key, PointerHere(), string)) return false;
    event_.input.back().by_value = !is_wanted;
    return true;
  }

  bool OpenLevel() {
    Level& above = levels_.back();
    Level level{.is_object = token_ == Token::kObjectBegin, .name = above.key};
    level.usual_above = above.usual;
    if (!level.is_object) {
      level.key = above.key;
      level.matters = above.matters;
      level.usual = above.usual;
    }
    level.pointer = PointerHere();
    ++above.next_element;
    levels_.push_back(std::move(level));
    return true;
  }

  bool KeepField(const std::string& key, const std::string& pointer,
                 const JsonScanner::String& string) {
    kept_bytes_ += string.text.size();
    if (event_.input.size() >= kMaxFields || kept_bytes_ > kMaxValueBytes) {
      return Wrong("tool_input names too many paths");
    }
    InputField field;
    field.key = key;
    field.pointer = pointer;
    field.kind = KindOf(token_);
    field.text = string.text;
    field.cut = string.cut || string.text.size() > kMaxPathText;
    field.has_nul = string.has_nul;
    field.has_lone_surrogate = string.has_lone_surrogate;
    field.depth = static_cast<uint32_t>(levels_.size());
    event_.input.push_back(std::move(field));
    return true;
  }

  JsonScanner& scanner_;
  Event& event_;
  const EventFilter& filter_;
  Token token_ = Token::kError;
  std::string why_;
  bool takes_values_ = false;  // reads every string: the tool is an MCP tool, or may be
  ValueSieve sieve_;
  size_t kept_bytes_ = 0;
  std::vector<Level> levels_;
};

}  // namespace

bool MayMatter(std::string_view key) {
  // Fields of known tools whose names alone do not say what they are.
  constexpr std::string_view kKeys[] = {
      "_host",    "allowed_domains", "assets",   "attachments", "from",
      "glob",     "isolation",       "localDir", "name",        "pattern",
      "question", "server",          "ws"};
  if (std::ranges::find(kKeys, key) != std::end(kKeys)) return true;
  return ClaudeCode().IsSandboxFlag(key) || UsualNameOf(key) != UsualName::kNone;
}

Status ReadToolInput(Token first, JsonScanner& scanner, const EventFilter& filter, Event& event) {
  InputReader reader(scanner, event, filter);
  if (reader.Read(first)) return Unit{};
  return Error{Error::Kind::kInvalidInput, "", reader.why()};
}

}  // namespace ringfence
