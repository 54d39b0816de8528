#include "cli/replay/filter.h"

#include <deque>

#include "agents/claude/transcripts/transcript_line.h"
#include "base/syscall.h"
#include "base/text.h"
#include "cli/replay/in_order.h"

namespace ringfence {
namespace {

constexpr size_t kMaxName = 512;

void AddText(std::string& json, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  json += json.ends_with('{') ? "\"" : ",\"";
  json += key;
  json += "\":";
  AppendJsonString(json, text);
}

void AddRule(std::string& json, const AuditEntry::Rule& rule) {
  if (rule.file.empty()) return;
  std::string members = "{";
  AddText(members, "file", rule.file);
  if (rule.line != 0) members += ",\"line\":" + std::to_string(rule.line);
  AddText(members, "pointer", rule.pointer);
  json += ",\"rule\":" + members + "}";
}

std::string CallJson(const ToolCall& call, const ReplayedCalls::Answer& answer) {
  std::string json = "{";
  AddText(json, "id", CutText(call.id, kMaxName));
  AddText(json, "tool", CutText(call.tool.text, kMaxName));
  AddText(json, "verdict", VerdictName(answer.now.verdict));
  if (answer.was) AddText(json, "against", VerdictName(answer.was->verdict));
  AddRule(json, answer.now.rule);
  AddText(json, "what", answer.now.what);
  AddText(json, "why", answer.now.why);
  if (answer.project_is_gone) json += ",\"project_is_gone\":true";
  return json + "}";
}

std::string ErrorLine(std::string_view what) {
  return "{\"calls\":[],\"error\":" + Printable(JsonString(what)) + "}\n";
}

// State that all threads share.
struct FilterState {
  const SurveyQuestion& question;
  int out;
  LineChunks chunks;
  std::optional<Error> failure;
};

class Filterer {
 public:
  explicit Filterer(FilterState& shared) : shared_(&shared), replayed_(shared.question.calls) {}

  bool Take() { return shared_->chunks.Take(chunk_); }
  size_t number() const { return chunk_.number; }

  void Prepare() {
    text_.clear();
    if (chunk_.too_long) text_ = ErrorLine("the line is too long");
    std::string_view rest = chunk_.text;
    while (!rest.empty()) {
      const std::string_view line = TakeUntil(rest, '\n');
      text_ += line.size() > shared_->question.sizes.line ? ErrorLine("the line is too long")
                                                          : FilteredLine(line, replayed_);
    }
  }

  void Settle() {}
  void Finish() {}

  bool Deliver() {
    const Status written = WriteAll(shared_->out, text_);
    if (!written) shared_->failure = written.error();
    return written.has_value();
  }

 private:
  FilterState* shared_;
  ReplayedCalls replayed_;
  Chunk chunk_;
  std::string text_;
};

}  // namespace

std::string FilteredLine(std::string_view text, ReplayedCalls& calls) {
  const TranscriptLine line = ReadTranscriptLine(text);
  if (line.kind == LineKind::kBroken) return ErrorLine(line.wrong);
  std::string json = "{\"calls\":[";
  for (const ToolCall& call : line.calls) {
    if (!json.ends_with('[')) json += ',';
    json += CallJson(call, calls.Decide(line.cwd.text, HookEvent(line, call, "")));
  }
  return Printable(json) + "]}\n";
}

Outcome FilterLines(const SurveyQuestion& question, int in, int out) {
  FilterState shared{question, out, LineChunks(in, question.sizes), {}};
  std::deque<Filterer> filterers;
  for (size_t i = 0; i < question.jobs; ++i) filterers.emplace_back(shared);
  RunInOrder(filterers);
  if (shared.failure) return *shared.failure;
  if (!shared.chunks.unreadable().empty()) return shared.chunks.unreadable().front();
  return 0;
}

}  // namespace ringfence
