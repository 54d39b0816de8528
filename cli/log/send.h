// `ringfence log send`: forwards the lines of the log.
#pragma once

#include <string>

#include "base/outcome.h"
#include "cli/log/log_files.h"
#include "cli/log/log_line.h"
#include "cli/log/sink.h"

namespace ringfence {

struct SendOptions {
  std::string state;  // the file that stores the position; "" for none
  bool follow = false;
  LogFilter filter;
};

Outcome SendLog(const Path& file, LogSink& sink, const SendOptions& options);

}  // namespace ringfence
