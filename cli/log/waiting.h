// Waits for more of a log until a signal arrives.
#pragma once

namespace ringfence {

inline constexpr int kPoll = 250;  // milliseconds between two reads of a log

class Waiting {
 public:
  // From here on SIGINT and SIGTERM end the wait, not the program.
  Waiting();

  // Returns false if the wait is over: a signal arrived or, if the output `is_watched`, its reader
  // is gone.
  bool For(int milliseconds, bool is_watched) const;
  bool is_over() const;
};

}  // namespace ringfence
