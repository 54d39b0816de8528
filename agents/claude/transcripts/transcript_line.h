// One line of what a client wrote down about its sessions, and the tool calls in it. Accepted are
//   - lines of Claude Code's transcripts (~/.claude/projects, subagents' as well), and of what it
//     prints with --output-format stream-json: objects with a "type"; calls are in those of
//     "assistant",
//   - events of the hook: objects with "hook_event_name".
// Every line is checked as JSON to its end; nothing of it is believed but that these calls were
// made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

enum class LineKind : uint8_t {
  kTranscript,
  kEvent,
  kForeign,  // sound JSON of somebody else's
  kBlank,
  kBroken,  // torn, or no JSON
};

// A string as it stands in the line, quotes and escapes included, and what it says.
struct Word {
  std::string_view raw;
  std::string text;
};

struct ToolCall {
  std::string id;  // "": it has none
  Word tool;
  std::string_view input;  // as it stands in the line; empty: it has none
};

// Points into the line.
struct TranscriptLine {
  LineKind kind = LineKind::kBroken;
  std::string wrong;  // what is wrong with a broken line, and where

  Word session;
  Word cwd;
  Word permission_mode;
  Word agent_id;
  Word agent_type;
  std::string timestamp;
  std::vector<ToolCall> calls;
  std::string_view event;  // of kEvent: the whole line
};

TranscriptLine ReadTranscriptLine(std::string_view line);

// What the client would have told its hook about a call of the line, in `permission_mode` where the
// line names none.
std::string HookEvent(const TranscriptLine& line, const ToolCall& call,
                      std::string_view permission_mode);

}  // namespace ringfence
