// One event from start to end: read it, find the policy, decide, answer, log.
#pragma once

#include "base/json_scanner.h"
#include "hook/options.h"
#include "policy/places.h"

namespace ringfence {

// What the process says and how it ends.
struct Reply {
  std::string out;  // for stdout
  std::string err;  // for stderr
  int status = 0;
};

// Reads the event from `source` (not necessarily to its end) and serves it. Writes nothing but the
// audit log and alerts; `print` is called with stdout's text at the moment when it should go out.
class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual ~Output() = default;
  // False: it could not be written.
  virtual bool Print(const std::string& out) = 0;
};

Reply Serve(const Registration& registration, ByteSource& source, Output& output);

}  // namespace ringfence
