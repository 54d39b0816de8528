// Serves one event: reads it, finds the policy, decides, answers, logs.
#pragma once

#include <string>
#include <vector>

#include "base/json_scanner.h"
#include "base/not_copied.h"
#include "policy/places.h"

namespace ringfence {

// The end of the process, after the answer on stdout.
struct Reply {
  std::string err;  // for stderr
  int status = 0;
  std::vector<std::string> program;  // with its arguments: takes the place of this process
};

// Prints text on standard output at the moment when it must go out.
class Output : NotCopied {
 public:
  virtual ~Output() = default;
  // Returns false if the text could not be written.
  virtual bool Print(const std::string& out) = 0;
};

// Reads the event from `source` (not necessarily to its end) and serves it. Apart from `output`,
// writes only the audit log and alerts.
Reply Serve(const Registration& registration, ByteSource& source, Output& output);

}  // namespace ringfence
