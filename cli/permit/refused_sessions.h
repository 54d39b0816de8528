// Finds the sessions that were refused what the user now permits to one of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "cli/common/grant_target.h"

namespace ringfence {

// By the audit log: the session of the newest denial of a grant, then those that were refused it
// within a day before. Without those of confined agents that have ended.
struct RefusedSessions {
  static constexpr uint64_t kMostBytes = uint64_t{256} << 20;

  std::vector<std::string> ids;  // at most ten
  bool has_other = false;        // a denial of no session
  bool last_had_none = false;    // the newest denial is one
  bool has_ended = false;        // a denial of a confined agent that has ended
  // False if the search ended at its bound before the day was over: a session that writes many
  // lines could otherwise hide that another one was refused the same.
  bool is_whole_day = true;
};

// Reads at most about `most` bytes of the log.
Result<RefusedSessions> FindRefusedSessions(const Path& audit_file, const GrantTarget& grant,
                                            const std::string& home,
                                            uint64_t most = RefusedSessions::kMostBytes);

}  // namespace ringfence
