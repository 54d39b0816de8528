// Waiting for more of a log until somebody ends it.
#pragma once

namespace ringfence {

inline constexpr int kPoll = 250;  // milliseconds between two looks at a log

class Waiting {
 public:
  // From now on SIGINT and SIGTERM end the waiting instead of the program.
  Waiting();

  // False when there is nothing to wait for any more: a signal came, or, where the output
  // `is_watched`, nobody reads it.
  bool For(int milliseconds, bool is_watched) const;
  bool is_over() const;
};

}  // namespace ringfence
