#include "hook/event_reader.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "hook/value_sieve.h"
#include "policy/word_list.h"

namespace ringfence {
namespace {

constexpr size_t kMaxName = 512;       // of tools, sessions, agents
constexpr size_t kMaxPathText = 4096;  // PATH_MAX: longer text is no path
// Of an MCP tool's strings: servers make short paths of long ones ("a/../a/../..").
constexpr size_t kMaxValueText = size_t{64} * 1024;
constexpr size_t kMaxValueBytes = size_t{8} << 20;  // of all that are kept
constexpr size_t kMaxFailure = size_t{16} * 1024;
constexpr size_t kMaxFields = 20000;
constexpr size_t kMaxKept = size_t{1}
                            << 20;  // no command of 128 KiB, however it is escaped, has more

struct EventName {
  std::string_view name;
  EventKind kind;
};
// Together, every event that 2.1.330 knows.
constexpr EventName kServed[] = {
    {"PreToolUse", EventKind::kPreToolUse},
    {"PermissionRequest", EventKind::kPermissionRequest},
    {"ConfigChange", EventKind::kConfigChange},
    {"SessionStart", EventKind::kSessionStart},
    {"SubagentStart", EventKind::kSubagentStart},
    {"PostToolUse", EventKind::kPostToolUse},
    {"PostToolUseFailure", EventKind::kPostToolUseFailure},
};
constexpr WordList kNotServed(
    "PostToolBatch\nNotification\nUserPromptSubmit\nUserPromptExpansion\nSessionEnd\nStop\n"
    "StopFailure\nSubagentStop\nPreCompact\nPostCompact\nPreModelSwitch\nPostModelSwitch\n"
    "PermissionDenied\nSetup\nTeammateIdle\nTaskCreated\nTaskCompleted\nElicitation\n"
    "ElicitationResult\nWorktreeCreate\nWorktreeRemove\nInstructionsLoaded\nCwdChanged\n"
    "FileChanged\nDirectoryAdded\nMessageDisplay\n");

bool JudgesTool(EventKind kind) {
  return kind == EventKind::kPreToolUse || kind == EventKind::kPermissionRequest;
}

JsonKind KindOf(Token token) {
  switch (token) {
    case Token::kObjectBegin:
      return JsonKind::kObject;
    case Token::kArrayBegin:
      return JsonKind::kArray;
    case Token::kString:
      return JsonKind::kString;
    case Token::kNumber:
      return JsonKind::kNumber;
    case Token::kTrue:
      return JsonKind::kTrue;
    case Token::kFalse:
      return JsonKind::kFalse;
    case Token::kNull:
    case Token::kKey:
    case Token::kObjectEnd:
    case Token::kArrayEnd:
    case Token::kEnd:
    case Token::kError:
      break;
  }
  return JsonKind::kNull;
}

bool IsByValue(const InputField& field) { return field.by_value; }

// Passes a source on and keeps its beginning.
class Recorder final : public ByteSource {
 public:
  Recorder(ByteSource& source, bool keeps) : source_(source), room_(keeps ? kMaxKept : 0) {}

  Result<std::string_view> Next() override {
    Result<std::string_view> chunk = source_.Next();
    if (chunk) kept_ += chunk->substr(0, room_ - kept_.size());
    return chunk;
  }

  // Nothing where it was not kept to `end`.
  std::string_view Kept(size_t begin, size_t end) const {
    return end > kept_.size() ? "" : std::string_view(kept_).substr(begin, end - begin);
  }

 private:
  ByteSource& source_;
  size_t room_;
  std::string kept_;
};

class Reader {
 public:
  Reader(ByteSource& source, const EventFilter& filter)
      : recorder_(source, filter.keeps_input), scanner_(recorder_, {}), filter_(filter) {}

  Result<Event> Run() {
    if (Next() != Token::kObjectBegin) return Failure("must be a JSON object");
    for (;;) {
      const Token token = Next();
      if (token == Token::kObjectEnd) break;
      if (token != Token::kKey) return Failure("");
      const std::string key(scanner_.text());
      if (!ReadMember(key)) return Failure("");
    }
    if (Next() != Token::kEnd) return Failure("");
    return Finish();
  }

 private:
  Token Next() { return token_ = scanner_.Next(); }

  bool Wrong(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
    return false;
  }

  // What the scanner found wrong counts before what was found wrong with its tokens.
  Error Failure(const std::string& what) const {
    if (!scanner_.error_text().empty()) {
      return Error{Error::Kind::kInvalidInput,
                   "event: byte " + std::to_string(scanner_.error_offset()), scanner_.error_text(),
                   ""};
    }
    return Error{Error::Kind::kInvalidInput, "event", wrong_.empty() ? what : wrong_, ""};
  }

  bool ReadMember(const std::string& key) {
    Next();
    if (key == "hook_event_name") return ReadText(key, kMaxName, &event_.name);
    if (key == "session_id") return ReadText(key, kMaxName, &event_.session_id);
    if (key == "cwd") return ReadCwd();
    if (key == "permission_mode") return ReadText(key, kMaxName, &event_.permission_mode);
    if (key == "agent_id") return ReadText(key, kMaxName, &event_.agent_id);
    if (key == "agent_type") return ReadText(key, kMaxName, &event_.agent_type);
    if (key == "tool_name") return ReadText(key, kMaxName, &event_.tool_name);
    if (key == "file_path" && token_ == Token::kString) {
      return ReadText(key, kMaxPathText, &event_.config_file);
    }
    if (key == "tool_input") return ReadInput();
    if (key == "error") return ReadFailure();
    if (key == "tool_response") return ReadResponse();
    return SkipValue();
  }

  bool ReadText(const std::string& key, size_t limit, std::string* out) {
    if (token_ != Token::kString) return Wrong(key + " must be a string");
    JsonScanner::String string;
    if (!scanner_.TakeString(limit, &string)) return false;
    if (string.cut) return Wrong(key + " is longer than " + std::to_string(limit) + " bytes");
    if (string.has_nul) return Wrong(key + " holds NUL");
    *out = string.text;
    return true;
  }

  bool ReadCwd() {
    std::string text;
    if (!ReadText("cwd", kMaxPathText, &text)) return false;
    if (!text.starts_with('/')) return Wrong("cwd must be an absolute path");
    event_.cwd = std::move(text);
    return true;
  }

  // The value that begins at the current token.
  bool SkipValue() {
    const size_t outside = scanner_.depth();
    if (token_ != Token::kObjectBegin && token_ != Token::kArrayBegin) {
      return token_ != Token::kError;
    }
    while (scanner_.depth() >= outside) {
      if (Next() == Token::kError) return false;
    }
    return true;
  }

  bool ReadFailure() {
    if (token_ != Token::kString) return SkipValue();
    JsonScanner::String string;
    if (!scanner_.TakeStringEnd(kMaxFailure, &string)) return false;
    event_.failure += string.text;
    return true;
  }

  // What a command wrote to stderr; the rest of the answer says nothing to us.
  bool ReadResponse() {
    if (token_ != Token::kObjectBegin) return SkipValue();
    const size_t outside = scanner_.depth();
    while (scanner_.depth() >= outside) {
      if (Next() == Token::kError) return false;
      if (token_ != Token::kKey || scanner_.depth() != outside || scanner_.text() != "stderr") {
        continue;
      }
      Next();
      if (!ReadFailure()) return false;
    }
    return true;
  }

  // Of an MCP tool every string may be a path, whatever its name. Where the tool is not known yet,
  // it may be one.
  void BeginValues() {
    takes_values_ = event_.tool_name.empty() || IsMcpTool(event_.tool_name);
    if (!takes_values_ || filter_.files == nullptr || !event_.cwd) return;
    sieve_.LookIn(*filter_.files, *filter_.places, *event_.cwd);
  }

  bool ReadInput() {
    has_input_ = true;
    BeginValues();
    if (token_ != Token::kObjectBegin) return Wrong("tool_input must be an object");
    const size_t begin = scanner_.token_offset();
    if (filter_.keeps_input) event_.raw_input.emplace();
    levels_.clear();
    levels_.push_back({.is_object = true});
    while (!levels_.empty()) {
      if (Next() == Token::kError || !TakeInputToken()) return false;
    }
    if (!event_.raw_input) return true;
    event_.raw_input->text = recorder_.Kept(begin, scanner_.offset());
    if (event_.raw_input->command != 0) event_.raw_input->command -= begin;
    return true;
  }

  // Where in tool_input the scanner is.
  struct Level {
    bool is_object = false;
    std::string key = {};  // of the member that is being read, or the nearest one above an array
    std::string pointer = {};
    bool matters = false;  // of the key
    size_t next_element = 0;
    UsualName usual = UsualName::kNone;        // of the key, for an MCP tool
    std::string name = {};                     // the key under which this is
    UsualName usual_above = UsualName::kNone;  // of that one
  };

  bool TakeInputToken() {
    if (token_ == Token::kKey) {
      TakeKey(levels_.back());
      return !takes_values_ || TakeInputKey();
    }
    if (token_ == Token::kObjectEnd || token_ == Token::kArrayEnd) {
      levels_.pop_back();
      return true;
    }
    return TakeInputValue();
  }

  // What is said of a member by its key alone.
  void TakeKey(Level& level) {
    level.key = scanner_.text();
    // Under an MCP tool the names of built-in tools' arguments mean nothing.
    const bool is_mcp = takes_values_ && !event_.tool_name.empty();
    level.matters = is_mcp ? IsSandboxFlag(level.key) : MayMatter(level.key);
    if (takes_values_) level.usual = sieve_.UsualOf(level.key);
  }

  // Some tools have paths as the keys of an object.
  bool TakeInputKey() {
    const Level& level = levels_.back();
    const bool is_usual = level.usual_above == UsualName::kPaths;
    const bool is_parameter = !is_usual && level.key.find('/') == std::string::npos;
    if (is_parameter ||
        !sieve_.MayBePlace(level.key, is_usual ? UsualName::kPaths : UsualName::kNone)) {
      return true;
    }
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
    for (const char c : level.key) {
      if (c == '~') {
        pointer += "~0";
      } else if (c == '/') {
        pointer += "~1";
      } else {
        pointer.push_back(c);
      }
    }
    return pointer;
  }

  bool IsPointedTo() const {
    if (filter_.pointers.empty()) return false;
    const std::string pointer = PointerHere();
    return std::ranges::any_of(
        filter_.pointers, [&](std::string_view wanted) { return PointerCovers(wanted, pointer); });
  }

  bool IsCommand() const {
    return event_.raw_input && token_ == Token::kString && levels_.size() == 1 &&
           levels_.back().key == "command";
  }

  // The value's text, if it is one, before anything else looks at it.
  bool TakeText(JsonScanner::String* string) {
    if (token_ != Token::kString) return true;
    const size_t begin = scanner_.token_offset() + 1;  // behind the quote
    if (!scanner_.TakeString(takes_values_ ? kMaxValueText : kMaxPathText, string)) return false;
    if (IsCommand()) {
      event_.raw_input->command = begin;
      event_.raw_input->beginning = string->text;
    }
    return true;
  }

  bool TakeInputValue() {
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

  Result<Event> Finish() {
    const auto served = std::ranges::find(kServed, event_.name, &EventName::name);
    if (event_.name.empty()) return Failure("hook_event_name is missing");
    if (served == std::end(kServed) && !kNotServed.Contains(event_.name)) {
      return Failure(Quote(event_.name) + " is not an event that ringfence knows");
    }
    event_.kind = served == std::end(kServed) ? EventKind::kNotServed : served->kind;
    if (takes_values_ && !IsMcpTool(event_.tool_name)) std::erase_if(event_.input, IsByValue);
    if (JudgesTool(event_.kind)) {
      if (event_.tool_name.empty()) return Failure("tool_name is missing");
      if (!has_input_) return Failure("tool_input is missing");
    }
    return std::move(event_);
  }

  Recorder recorder_;
  JsonScanner scanner_;
  const EventFilter& filter_;
  Token token_ = Token::kError;
  std::string wrong_;
  Event event_;
  bool has_input_ = false;
  bool takes_values_ = false;
  ValueSieve sieve_;
  size_t kept_bytes_ = 0;
  std::vector<Level> levels_;
};

void AddNeeds(const Sections& sections, EventFilter& filter) {
  if (sections.wrap_bash == true) filter.keeps_input = true;
  for (const McpFields& fields : sections.mcp) {
    filter.pointers.insert(filter.pointers.end(), fields.read.begin(), fields.read.end());
    filter.pointers.insert(filter.pointers.end(), fields.write.begin(), fields.write.end());
  }
}

}  // namespace

void AddNeeds(const PolicyFile& file, EventFilter& filter) {
  AddNeeds(file.sections, filter);
  for (const Profile& profile : file.profiles) AddNeeds(profile.sections, filter);
}

Result<Event> ReadEvent(ByteSource& source, const EventFilter& filter) {
  return Reader(source, filter).Run();
}

}  // namespace ringfence
