// Where `ringfence log send` puts lines: journald, or a syslog server by TCP or UDP.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/log/log_line.h"
#include "cli/log/syslog_message.h"

namespace ringfence {

class LogSink {
 public:
  LogSink() = default;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;
  virtual ~LogSink() = default;

  // Takes the line: whatever then fails, it is sent again with the next call that does not.
  virtual void Add(std::string_view line, const AuditEntry& entry) = 0;
  // Sends what was taken, connecting where there is no connection.
  virtual Status Send() = 0;
  // The same, and waits until the other side's system has all of it, as far as it tells.
  virtual Status Settle() = 0;
  // How many lines could not be sent because they are too long for the other side.
  virtual uint64_t too_long() const = 0;
};

Result<std::unique_ptr<LogSink>> MakeSink(const LogTarget& target);

}  // namespace ringfence
