// Surveys many transcripts: decides and counts every call in them, with several threads.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/replay/line_chunks.h"
#include "cli/replay/replayed_call.h"
#include "cli/replay/tally.h"

namespace ringfence {

// The calls to decide, and how. A filter only needs `calls`, `jobs` and `sizes`.
struct SurveyQuestion {
  ReplayQuestion calls;
  std::string since;  // leaves out calls with a smaller time; "" for none
  size_t examples = 3;
  size_t jobs = 1;
  LineChunks::Sizes sizes;
  bool shows_progress = false;
};

struct Survey {
  CallTally tally;
  std::vector<Error> unreadable;   // files that could not be read to their end
  std::vector<std::string> notes;  // about the policies, sorted
};

Survey SurveyTranscripts(const SurveyQuestion& question, const TranscriptFiles& files);

// Names and numbers of the report.
struct ReportNames {
  std::string against;  // the second policy as given, or ""
  size_t files = 0;
};

void PrintReport(const Survey& survey, const ReportNames& names);
OrderedJson ReportJson(const Survey& survey, const ReportNames& names);

}  // namespace ringfence
