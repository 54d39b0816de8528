#include "cli/replay/survey.h"

#include <deque>
#include <set>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/replay/in_order.h"
#include "cli/replay/sessions.h"

namespace ringfence {
namespace {

// State that all threads share.
struct SurveyState {
  const SurveyQuestion& question;
  const TranscriptFiles& files;
  LineChunks chunks;
  Sessions sessions;
  uint64_t lines_of_file = 0;  // lines before the current chunk
  CallTally tally;
  Progress progress;
};

// A line that has calls, or information about its session.
struct NotedLine {
  TranscriptLine line;
  uint64_t number = 0;  // in the chunk, from 0
  std::string root;
  std::string permission_mode;
};

class Surveyor {
 public:
  explicit Surveyor(SurveyState& shared) : shared_(&shared), replayed_(shared.question.calls) {}

  bool Take() { return shared_->chunks.Take(chunk_); }
  size_t number() const { return chunk_.number; }

  void Prepare() {
    part_ = CallTally(shared_->question.examples);
    part_.bytes = chunk_.size;
    noted_.clear();
    if (chunk_.too_long) return NoteTooLong();
    std::string_view rest = chunk_.text;
    while (!rest.empty()) Note(TakeUntil(rest, '\n'));
  }

  void Settle() {
    if (chunk_.begins_file) shared_->lines_of_file = 0;
    first_line_ = shared_->lines_of_file + 1;
    shared_->lines_of_file += part_.lines;
    for (NotedLine& noted : noted_) {
      const Sessions::Session& session = shared_->sessions.Note(noted.line);
      noted.root = session.root;
      noted.permission_mode = session.permission_mode;
      DropCalls(noted.line);
    }
  }

  void Finish() {
    for (BrokenLine& broken : part_.first_broken) {
      broken.place = PlaceOf(broken.place.line);
    }
    for (const NotedLine& noted : noted_) {
      const LinePlace place = noted.line.calls.empty() ? LinePlace{} : PlaceOf(noted.number);
      for (const ToolCall& call : noted.line.calls) {
        const std::string event = HookEvent(noted.line, call, noted.permission_mode);
        part_.AddCall(replayed_.Decide(noted.root, event), call.tool.text, place);
      }
    }
  }

  bool Deliver() {
    shared_->progress.Add(part_.bytes);
    shared_->tally.Add(std::move(part_));
    return true;
  }

  const std::vector<std::string>& notes() const { return replayed_.notes(); }

 private:
  void NoteTooLong() {
    part_.AddBroken({"", part_.lines++}, "longer than " + LimitText());
    ++part_.too_long;
  }

  std::string LimitText() const {
    const size_t limit = shared_->question.sizes.line;
    return limit % (1 << 20) == 0 ? std::to_string(limit >> 20) + " MiB"
                                  : std::to_string(limit) + " bytes";
  }

  void Note(std::string_view text) {
    if (text.size() > shared_->question.sizes.line) return NoteTooLong();
    const uint64_t number = part_.lines++;
    TranscriptLine line = ReadTranscriptLine(text);
    switch (line.kind) {
      case LineKind::kBroken:
        ++part_.broken;
        return part_.AddBroken({"", number}, std::move(line.wrong));
      case LineKind::kForeign:
        ++part_.foreign;
        return;
      case LineKind::kBlank:
        return;
      case LineKind::kTranscript:
      case LineKind::kEvent:
        break;
    }
    if (SaysSomething(line)) noted_.push_back({std::move(line), number, "", ""});
  }

  bool SaysSomething(const TranscriptLine& line) const {
    if (!line.calls.empty() || !line.permission_mode.text.empty()) return true;
    if (line.session.text.empty() || line.cwd.text.empty()) return false;
    if (noted_.empty()) return true;
    const TranscriptLine& last = noted_.back().line;
    return last.session.text != line.session.text || last.cwd.text.empty();
  }

  void DropCalls(TranscriptLine& line) {
    const std::string& since = shared_->question.since;
    if (!since.empty() && !line.timestamp.empty() && line.timestamp < since) {
      part_.earlier += line.calls.size();
      line.calls.clear();
    }
    part_.repeated += std::erase_if(
        line.calls, [&](const ToolCall& call) { return !shared_->sessions.IsNew(line, call); });
  }

  LinePlace PlaceOf(uint64_t number) const {
    return {shared_->files.files[chunk_.file].shown, first_line_ + number};
  }

  SurveyState* shared_;
  ReplayedCalls replayed_;
  Chunk chunk_;
  CallTally part_;
  std::vector<NotedLine> noted_;
  uint64_t first_line_ = 1;
};

}  // namespace

Survey SurveyTranscripts(const SurveyQuestion& question, const TranscriptFiles& files) {
  SurveyState shared{question,
                     files,
                     LineChunks(files.files, question.sizes),
                     {},
                     0,
                     CallTally(question.examples),
                     Progress("replay", files.size, question.shows_progress)};
  std::deque<Surveyor> surveyors;
  for (size_t i = 0; i < question.jobs; ++i) surveyors.emplace_back(shared);
  RunInOrder(surveyors);
  std::set<std::string> notes;
  for (const Surveyor& surveyor : surveyors) {
    notes.insert(surveyor.notes().begin(), surveyor.notes().end());
  }
  return {std::move(shared.tally), shared.chunks.unreadable(), {notes.begin(), notes.end()}};
}

}  // namespace ringfence
