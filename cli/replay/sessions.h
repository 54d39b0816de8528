// What earlier lines say about a call: the folder that its session began in, its permission mode,
// and whether the call was there already. Bounded: of many sessions and calls the oldest are
// forgotten.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agents/claude/transcripts/transcript_line.h"

namespace ringfence {

class Sessions {
 public:
  struct Session {
    std::string root;  // the first cwd
    std::string permission_mode;
  };
  // Takes what the line says about its session, which stays as it is until the next call.
  const Session& Note(const TranscriptLine& line);

  // Whether the call was not seen before, by its id and all that it says. A session that was
  // resumed or forked, and one that was streamed, have lines twice.
  bool IsNew(const TranscriptLine& line, const ToolCall& call);

 private:
  std::map<std::string, Session> sessions_;
  std::deque<std::string> order_;
  Session nameless_;
  std::vector<uint64_t> calls_;
};

}  // namespace ringfence
