#include "agents/claude/event_reader.h"

#include <algorithm>
#include <iterator>

#include "agents/claude/input_reader.h"
#include "base/read_number.h"
#include "base/text.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/word_list.h"

namespace ringfence {
namespace {

constexpr size_t kMaxNameText = 512;  // for tools, sessions, agents
constexpr size_t kMaxSlashArguments = 4096;
constexpr size_t kMaxFailure = size_t{16} * 1024;
constexpr size_t kMaxKept = size_t{1}
                            << 20;  // a command of 128 KiB never needs more, however it is escaped

struct EventName {
  std::string_view name;
  EventKind kind;
};
// The two lists together contain every event that 2.1.330 knows.
constexpr EventName kServed[] = {
    {"PreToolUse", EventKind::kPreToolUse},
    {"PermissionRequest", EventKind::kPermissionRequest},
    {"ConfigChange", EventKind::kConfigChange},
    {"SessionStart", EventKind::kSessionStart},
    {"SubagentStart", EventKind::kSubagentStart},
    {"PostToolUse", EventKind::kPostToolUse},
    {"PostToolUseFailure", EventKind::kPostToolUseFailure},
    {"UserPromptExpansion", EventKind::kPromptExpansion},
};
constexpr WordList kNotServed(
    "PostToolBatch\nNotification\nUserPromptSubmit\nSessionEnd\nStop\nStopFailure\nSubagentStop\nPr"
    "eCompact\nPostCompact\nPreModelSwitch\nPostModelSwitch\n"
    "PermissionDenied\nSetup\nTeammateIdle\nTaskCreated\nTaskCompleted\nElicitation\n"
    "ElicitationResult\nWorktreeCreate\nWorktreeRemove\nInstructionsLoaded\nCwdChanged\n"
    "FileChanged\nDirectoryAdded\nMessageDisplay\n");

bool IsByValue(const InputField& field) { return field.by_value; }

// Passes on the bytes of a source and keeps their beginning.
class Recorder final : public ByteSource {
 public:
  Recorder(ByteSource& source, bool keeps) : source_(source), room_(keeps ? kMaxKept : 0) {}

  Result<std::string_view> Next() override {
    Result<std::string_view> chunk = source_.Next();
    if (chunk) kept_ += chunk->substr(0, room_ - kept_.size());
    return chunk;
  }

  // Returns "" if the bytes were not kept up to `end`.
  std::string_view Kept(size_t begin, size_t end) const {
    return end > kept_.size() ? "" : std::string_view(kept_).substr(begin, end - begin);
  }

 private:
  ByteSource& source_;
  size_t room_;
  std::string kept_;
};

class EventFieldsReader {
 public:
  EventFieldsReader(ByteSource& source, const EventFilter& filter)
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

  // An error of the scanner takes precedence over an error found in its tokens.
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
    if (key == "hook_event_name") return ReadText(key, kMaxNameText, &event_.name);
    if (key == "session_id") return ReadText(key, kMaxNameText, &event_.session_id);
    if (key == "cwd") return ReadCwd();
    if (key == "permission_mode") return ReadText(key, kMaxNameText, &event_.permission_mode);
    if (key == "agent_id") return ReadText(key, kMaxNameText, &event_.agent_id);
    if (key == "agent_type") return ReadText(key, kMaxNameText, &event_.agent_type);
    if (key == "tool_name") return ReadText(key, kMaxNameText, &event_.tool_name);
    if (key == "file_path" && token_ == Token::kString) {
      return ReadText(key, kMaxPathText, &event_.config_file);
    }
    if (key == "tool_input") return ReadInput();
    if (key == "error") return ReadFailure();
    if (key == "tool_response") return ReadResponse();
    if (key == "command_name") return ReadSlash(kMaxNameText, &event_.command.name);
    if (key == "command_args") return ReadSlash(kMaxSlashArguments, &event_.command.arguments);
    if (key == "duration_ms" && token_ == Token::kNumber) ReadDuration();
    return scanner_.SkipValue(token_);
  }

  bool ReadText(const std::string& key, size_t limit, std::string* out) {
    if (token_ != Token::kString) return Wrong(key + " must be a string");
    JsonScanner::String string;
    if (!scanner_.TakeString(limit, &string)) return false;
    if (string.cut) return Wrong(key + " is longer than " + std::to_string(limit) + " bytes");
    if (string.has_nul) return Wrong(key + " contains NUL");
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

  bool ReadFailure() {
    if (token_ != Token::kString) return scanner_.SkipValue(token_);
    JsonScanner::String string;
    if (!scanner_.TakeString(kMaxFailure, &string, JsonScanner::Keep::kEnd)) return false;
    event_.failure += string.text;
    return true;
  }

  // Never fails for a value: an error would stop commands that are none of ringfence's.
  bool ReadSlash(size_t limit, std::string* out) {
    if (token_ != Token::kString) return scanner_.SkipValue(token_);
    JsonScanner::String string;
    if (!scanner_.TakeString(limit, &string)) return false;
    event_.command.is_cut = event_.command.is_cut || string.cut || string.has_nul;
    *out = string.text;
    return true;
  }

  void ReadDuration() {
    std::string_view text = scanner_.text();
    uint32_t milliseconds = 0;
    if (ReadNumber(TakeUntil(text, '.'), milliseconds)) event_.milliseconds = milliseconds;
  }

  // Reads a command's stderr; the rest of the response does not matter.
  bool ReadResponse() {
    if (token_ != Token::kObjectBegin) return scanner_.SkipValue(token_);
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

  bool ReadInput() {
    has_input_ = true;
    const size_t begin = scanner_.token_offset();
    if (filter_.keeps_input) event_.raw_input.emplace();
    if (Status s = ReadToolInput(token_, scanner_, filter_, event_); !s) {
      return Wrong(s.error().what);
    }
    if (!event_.raw_input) return true;
    event_.raw_input->text = recorder_.Kept(begin, scanner_.offset());
    if (event_.raw_input->command != 0) event_.raw_input->command -= begin;
    return true;
  }

  Result<Event> Finish() {
    const auto served = std::ranges::find(kServed, event_.name, &EventName::name);
    if (event_.name.empty()) return Failure("hook_event_name is missing");
    if (served == std::end(kServed) && !kNotServed.Contains(event_.name)) {
      return Failure(Quote(event_.name) + " is not an event that ringfence knows");
    }
    event_.kind = served == std::end(kServed) ? EventKind::kNotServed : served->kind;
    // The client has two names for this mode.
    if (event_.permission_mode == "manual") event_.permission_mode = "default";
    // These were read before it was known that the tool is not an MCP tool.
    if (!IsMcpTool(event_.tool_name)) std::erase_if(event_.input, IsByValue);
    if (event_.is_call()) {
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
};

void AddSectionNeeds(const Sections& sections, EventFilter& filter) {
  if (sections.keys.Get<bool>("bash.wrap") == true) filter.keeps_input = true;
  for (const McpFields& fields : sections.mcp) {
    filter.pointers.insert(filter.pointers.end(), fields.read.begin(), fields.read.end());
    filter.pointers.insert(filter.pointers.end(), fields.write.begin(), fields.write.end());
  }
}

}  // namespace

void AddNeeds(const PolicyFile& file, EventFilter& filter) {
  AddSectionNeeds(file.sections, filter);
  for (const Profile& profile : file.profiles) AddSectionNeeds(profile.sections, filter);
}

Result<Event> ReadEvent(ByteSource& source, const EventFilter& filter) {
  return EventFieldsReader(source, filter).Run();
}

}  // namespace ringfence
