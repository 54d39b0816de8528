// Transcript lines, which an agent may have written: only valid JSON is accepted, the event passed
// to the hook's reader is valid and has the same content, and a torn line has no calls.
#include <cstddef>
#include <cstdint>
#include <string>

#include "agents/claude/event_reader.h"
#include "agents/claude/transcripts/transcript_line.h"
#include "fuzz/require.h"
#include "tests/support/scan_text.h"

using namespace ringfence;

namespace {

void CheckCall(const TranscriptLine& line, const ToolCall& call) {
  const std::string json = HookEvent(line, call, "plan");
  Require(IsAccepted(json));
  TextSource source(json);
  const Result<Event> event = ReadEvent(source, {});
  if (!event) {
    Require(!event.error().what.empty());
    return;
  }
  Require(event->tool_name == call.tool.text);
  Require(event->session_id == line.session.text);
  Require(!event->cwd || *event->cwd == line.cwd.text);
  if (line.kind == LineKind::kTranscript) {
    Require(event->agent_id == line.agent_id.text);
    Require(event->permission_mode ==
            (line.permission_mode.raw.empty() ? "plan" : line.permission_mode.text));
  }
}

void CheckLine(std::string_view text) {
  const TranscriptLine line = ReadTranscriptLine(text);
  if (line.kind == LineKind::kBroken || line.kind == LineKind::kBlank) {
    Require(line.calls.empty());
    Require(line.wrong.empty() == (line.kind == LineKind::kBlank));
    return;
  }
  Require(IsAccepted(text));
  for (const ToolCall& call : line.calls) CheckCall(line, call);
  // A trailing carriage return changes nothing; a second document breaks the line.
  Require(ReadTranscriptLine(std::string(text) + "\r").calls.size() == line.calls.size());
  Require(ReadTranscriptLine(std::string(text) + " {}").kind == LineKind::kBroken);
  if (line.calls.empty()) return;
  const std::string_view whole = text.substr(0, text.find_last_of('}') + 1);
  const TranscriptLine torn = ReadTranscriptLine(whole.substr(0, whole.size() - 1));
  Require(torn.kind == LineKind::kBroken && torn.calls.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    CheckLine(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return 0;
}
