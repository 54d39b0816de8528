// A connection that the worker ends if nothing has passed for a while (Service::Watch()).
#pragma once

#include <time.h>

#include <cstdint>

#include "base/not_copied.h"
#include "base/syscall.h"

namespace ringfence {

inline constexpr const char* kIdleNote = "closed, as it was idle";
inline constexpr const char* kClientClosedNote = "the client closed the connection";

class Watched : NotCopied {
 public:
  virtual ~Watched() = default;
  int64_t active_at() const { return active_at_; }  // nanoseconds, CLOCK_MONOTONIC
  // True if the client has closed its connection, or its half of it. The two look alike until
  // something is sent to it, and only after the second does it wait for an answer.
  virtual bool IsAbandoned() { return false; }
  // What the log says of a connection that is aborted.
  const char* EndNote() { return IsAbandoned() ? kClientClosedNote : kIdleNote; }
  // Ends the connection, which is idle, or does nothing if it has ended.
  virtual void Abort() = 0;

 protected:
  // To be called when bytes pass.
  void NoteActivity() { active_at_ = Nanoseconds(CLOCK_MONOTONIC); }

 private:
  int64_t active_at_ = Nanoseconds(CLOCK_MONOTONIC);
};

}  // namespace ringfence
