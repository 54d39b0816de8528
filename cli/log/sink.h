// The destinations of `ringfence log send`: journald, or a syslog server by TCP or UDP.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/not_copied.h"
#include "base/outcome.h"
#include "base/result.h"
#include "cli/log/log_files.h"
#include "cli/log/log_line.h"

namespace ringfence {

class LogSink : NotCopied {
 public:
  virtual ~LogSink() = default;

  // Queues the line. If sending it fails, a later call sends it again.
  virtual void Add(std::string_view line, const AuditEntry& entry) = 0;
  // Sends the queued lines, and connects first if necessary.
  virtual Status Send() = 0;
  // Also waits until the other side's system has all of them, as far as it reports that.
  virtual Status Settle() = 0;
  // Number of lines that were dropped because they are too long for a datagram.
  virtual uint64_t too_long() const = 0;
};

Result<std::unique_ptr<LogSink>> MakeSink(const LogTarget& target);

struct SendOptions {
  std::string state;  // the file that stores the position; "" for none
  bool follow = false;
  LogFilter filter;
};

// Forwards the lines of the log.
Outcome SendLog(const Path& file, LogSink& sink, const SendOptions& options);

}  // namespace ringfence
