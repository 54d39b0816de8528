// `ringfence log send`: hands the lines of the log on.
#pragma once

#include <string>

#include "base/outcome.h"
#include "cli/log/log_files.h"
#include "cli/log/log_line.h"
#include "cli/log/sink.h"

namespace ringfence {

struct SendOptions {
  std::string state;  // a file that keeps the place; "": none
  bool follow = false;
  LogFilter filter;
};

Outcome SendLog(const Path& file, LogSink& sink, const SendOptions& options);

}  // namespace ringfence
