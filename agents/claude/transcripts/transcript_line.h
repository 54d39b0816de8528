// Reads one line of a client's record of its sessions, and the tool calls in it. Accepts
//   - lines of Claude Code's transcripts (~/.claude/projects, subagents' as well), and of what it
//     prints with --output-format stream-json: objects with a "type"; calls are in those of
//     "assistant",
//   - events of the hook: objects with "hook_event_name".
// Checks every line as JSON to its end, and trusts it only for the fact that these calls were made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

enum class LineKind : uint8_t {
  kTranscript,
  kEvent,
  kForeign,  // valid JSON of another program
  kBlank,
  kBroken,  // torn, or not JSON
};

// A string as written in the line, with quotes and escapes, and its decoded value.
struct Word {
  std::string_view raw;
  std::string text;
};

struct ToolCall {
  std::string id;  // "" if it has none
  Word tool;
  std::string_view input;  // as written in the line; empty if it has none
};

// Points into the text of the line.
struct TranscriptLine {
  LineKind kind = LineKind::kBroken;
  std::string wrong;  // the error in a broken line, and its place

  Word session;
  Word cwd;
  Word permission_mode;
  Word agent_id;
  Word agent_type;
  std::string timestamp;
  std::vector<ToolCall> calls;
  std::string_view event;  // for kEvent: the whole line
};

TranscriptLine ReadTranscriptLine(std::string_view line);

// Returns the event that the client would have sent its hook for a call of the line, with
// `permission_mode` if the line names none.
std::string HookEvent(const TranscriptLine& line, const ToolCall& call,
                      std::string_view permission_mode);

}  // namespace ringfence
