// Remembers from earlier lines what a later call needs: the directory in which its session began,
// its permission mode, and whether the call occurred before. In bounded memory: forgets old
// sessions and calls.
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
    std::string root;  // the session's first cwd
    std::string permission_mode;
  };
  // Updates the line's session and returns it. The result is valid until the next call.
  const Session& Note(const TranscriptLine& line);

  // True if no call with the same id and content was seen before. Sessions that were resumed,
  // forked or streamed have lines twice.
  bool IsNew(const TranscriptLine& line, const ToolCall& call);

 private:
  std::map<std::string, Session> sessions_;
  std::deque<std::string> order_;
  Session nameless_;
  std::vector<uint64_t> calls_;
};

}  // namespace ringfence
