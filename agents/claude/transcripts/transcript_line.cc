#include "agents/claude/transcripts/transcript_line.h"

#include <algorithm>
#include <iterator>

#include "base/json_scanner.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr size_t kMaxCallText = 4097;  // one more than the hook accepts, so that it can refuse it
constexpr size_t kMaxCalls = 4096;     // the client writes one per line

struct Member {
  std::string_view key;
  Word TranscriptLine::*word;
};
// Members of transcript lines.
constexpr Member kMembers[] = {
    {"sessionId", &TranscriptLine::session},
    {"cwd", &TranscriptLine::cwd},
    {"permissionMode", &TranscriptLine::permission_mode},
    {"agentId", &TranscriptLine::agent_id},
    {"attributionAgent", &TranscriptLine::agent_type},
};
// Members of the hook's events; stream-json uses some of them.
constexpr Member kHookMembers[] = {
    {"session_id", &TranscriptLine::session},
    {"permission_mode", &TranscriptLine::permission_mode},
    {"agent_id", &TranscriptLine::agent_id},
    {"agent_type", &TranscriptLine::agent_type},
};

template <size_t kSize>
const Member* FindMember(const Member (&members)[kSize], std::string_view key) {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == std::end(members) ? nullptr : found;
}

class TranscriptLineReader {
 public:
  explicit TranscriptLineReader(std::string_view line)
      : line_(line), source_(line), scanner_(source_, {}) {}

  TranscriptLine Run() {
    const bool sound = Next() == Token::kObjectBegin ? ReadMembers() : scanner_.SkipValue(token_);
    if (!sound || Next() != Token::kEnd) return Broken();
    if (too_many_) return Broken("more calls than a line may have");
    return event_name_.raw.empty() ? AsTranscript() : AsEvent();
  }

 private:
  Token Next() { return token_ = scanner_.Next(); }

  TranscriptLine Broken(std::string_view what = "") const {
    TranscriptLine broken;
    broken.wrong = what.empty() ? "byte " + std::to_string(scanner_.error_offset()) + ": " +
                                      scanner_.error_text()
                                : std::string(what);
    return broken;
  }

  TranscriptLine AsTranscript() {
    found_.kind = type_.raw.empty() ? LineKind::kForeign : LineKind::kTranscript;
    if (type_.text != "assistant") found_.calls.clear();
    if (found_.session.raw.empty()) found_.session = std::move(hook_.session);
    if (found_.agent_id.raw.empty()) found_.agent_id = std::move(parent_);
    return std::move(found_);
  }

  TranscriptLine AsEvent() {
    hook_.kind = LineKind::kEvent;
    hook_.event = line_;
    hook_.cwd = std::move(found_.cwd);
    if (event_name_.text == "PreToolUse" || event_name_.text == "PermissionRequest") {
      hook_.calls.push_back(std::move(event_call_));
    }
    return std::move(hook_);
  }

  bool ReadMembers() {
    for (;;) {
      if (Next() == Token::kObjectEnd) return true;
      if (token_ != Token::kKey) return false;
      if (!ReadMember(std::string(scanner_.text()))) return false;
    }
  }

  bool ReadMember(const std::string& key) {
    Next();
    if (const Member* member = FindMember(kMembers, key)) return ReadWord(found_.*(member->word));
    if (const Member* member = FindMember(kHookMembers, key)) {
      return ReadWord(hook_.*(member->word));
    }
    if (key == "parent_tool_use_id") return ReadWord(parent_);
    if (key == "type") return ReadWord(type_);
    if (key == "timestamp") return ReadText(found_.timestamp);
    if (key == "message") return ReadMessage();
    if (key == "hook_event_name") return ReadWord(event_name_);
    if (key == "tool_name") return ReadWord(event_call_.tool);
    if (key == "tool_use_id") return ReadText(event_call_.id);
    if (key == "tool_input") return ReadRaw(event_call_.input);
    return scanner_.SkipValue(token_);
  }

  // A value that is not a string counts as missing.
  bool ReadWord(Word& word) {
    if (token_ != Token::kString) return scanner_.SkipValue(token_);
    const size_t begin = scanner_.token_offset();
    JsonScanner::String string;
    if (!scanner_.TakeString(kMaxCallText, &string)) return false;
    word = {line_.substr(begin, scanner_.offset() - begin), std::string(string.text)};
    return true;
  }

  bool ReadText(std::string& text) {
    Word word;
    if (!ReadWord(word)) return false;
    text = std::move(word.text);
    return true;
  }

  bool ReadRaw(std::string_view& raw) {
    const size_t begin = scanner_.token_offset();
    if (token_ != Token::kObjectBegin && token_ != Token::kArrayBegin) {
      raw = "null";  // the hook refuses every input that is not an object
      return scanner_.SkipValue(token_);
    }
    if (!scanner_.SkipValue(token_)) return false;
    raw = line_.substr(begin, scanner_.offset() - begin);
    return true;
  }

  bool ReadMessage() {
    if (token_ != Token::kObjectBegin) return scanner_.SkipValue(token_);
    for (;;) {
      if (Next() == Token::kObjectEnd) return true;
      if (token_ != Token::kKey) return false;
      const bool is_content = scanner_.text() == "content";
      Next();
      if (!(is_content ? ReadContent() : scanner_.SkipValue(token_))) return false;
    }
  }

  bool ReadContent() {
    if (token_ != Token::kArrayBegin) return scanner_.SkipValue(token_);
    for (;;) {
      if (Next() == Token::kArrayEnd) return true;
      if (!(token_ == Token::kObjectBegin ? ReadBlock() : scanner_.SkipValue(token_))) return false;
    }
  }

  bool ReadBlock() {
    Word type;
    ToolCall call;
    for (;;) {
      if (Next() == Token::kObjectEnd) break;
      if (token_ != Token::kKey) return false;
      if (!ReadBlockMember(std::string(scanner_.text()), type, call)) return false;
    }
    if (type.text != "tool_use") return true;
    too_many_ = too_many_ || found_.calls.size() >= kMaxCalls;
    if (!too_many_) found_.calls.push_back(std::move(call));
    return true;
  }

  bool ReadBlockMember(const std::string& key, Word& type, ToolCall& call) {
    Next();
    if (key == "type") return ReadWord(type);
    if (key == "id") return ReadText(call.id);
    if (key == "name") return ReadWord(call.tool);
    if (key == "input") return ReadRaw(call.input);
    return scanner_.SkipValue(token_);
  }

  std::string_view line_;
  TextSource source_;
  JsonScanner scanner_;
  Token token_ = Token::kError;
  TranscriptLine found_;  // read as a line of a transcript
  TranscriptLine hook_;   // read as an event of the hook
  Word parent_;
  Word type_;
  Word event_name_;
  ToolCall event_call_;
  bool too_many_ = false;
};

void AddMember(std::string& json, std::string_view key, std::string_view raw) {
  if (raw.empty()) return;
  json += json.size() == 1 ? "\"" : ",\"";
  json += key;
  json += "\":";
  json += raw;
}

}  // namespace

TranscriptLine ReadTranscriptLine(std::string_view line) {
  if (IsBlankLine(line)) return {.kind = LineKind::kBlank};
  return TranscriptLineReader(line).Run();
}

std::string HookEvent(const TranscriptLine& line, const ToolCall& call,
                      std::string_view permission_mode) {
  if (line.kind == LineKind::kEvent) return std::string(line.event);
  const std::string mode = line.permission_mode.raw.empty() && !permission_mode.empty()
                               ? JsonString(permission_mode)
                               : std::string(line.permission_mode.raw);
  std::string json = "{";
  AddMember(json, "hook_event_name", "\"PreToolUse\"");
  AddMember(json, "session_id", line.session.raw);
  AddMember(json, "cwd", line.cwd.raw);
  AddMember(json, "permission_mode", mode);
  AddMember(json, "agent_id", line.agent_id.raw);
  // Lines of the main agent may also name an agent: the one that an answer came from.
  if (!line.agent_id.text.empty()) AddMember(json, "agent_type", line.agent_type.raw);
  AddMember(json, "tool_name", call.tool.raw);
  AddMember(json, "tool_input", call.input);
  return json + "}";
}

}  // namespace ringfence
