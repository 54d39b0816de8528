// Signals that ask this process to end, while it still has something to save or to say.
#pragma once

#include <csignal>

#include "base/not_copied.h"

namespace ringfence {

// Holds SIGTERM and SIGHUP back, unless they are ignored. They end a question of Terminal, too,
// which then has no answer.
class HeldSignals : NotCopied {
 public:
  HeldSignals();
  ~HeldSignals() { Release(); }

  // The signal that has come, which then does not end this process any more; 0 for none.
  int Arrived();
  // 128 and the number of that signal, as a shell reports it, or else `status`.
  int StatusOr(int status) { return Arrived() == 0 ? status : 128 + Arrived(); }

  // From here on they end this process.
  void Release();

 private:
  sigset_t held_{};
  int arrived_ = 0;
};

}  // namespace ringfence
