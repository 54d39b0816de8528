// Reads an audit log line by line from its end, the file that was rotated last after the log
// itself, and so on, in bounded memory. Lines that are appended meanwhile are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit_log/order.h"
#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

class LogFromEnd {
 public:
  struct Line {
    std::string_view text;  // valid until the next call
    bool is_apart = false;  // its file does not belong to the log's chain
  };

  // Stops once it has read `most` bytes.
  LogFromEnd(Path file, uint64_t most) : file_(std::move(file)), most_(most) {}

  // A log that does not exist has no lines.
  Status Open();

  // Returns the line before the last one that was returned; nothing at the beginning of the log,
  // or if the bound comes first.
  Result<std::optional<Line>> Previous();
  bool has_reached_bound() const { return has_reached_bound_; }

 private:
  std::optional<std::string_view> TakeLine();
  Result<bool> OpenEarlier();
  Status ReadEarlier();

  const Path file_;
  const uint64_t most_;
  uint64_t read_ = 0;  // bytes
  bool has_reached_bound_ = false;
  std::vector<LogFile> parts_;  // those that are still to be read
  LogFile part_;
  UniqueFd fd_;
  uint64_t start_ = 0;  // what precedes this place of the part is not in buffer_ yet
  std::string buffer_;
  size_t end_ = 0;  // of what was not returned yet, in buffer_
};

}  // namespace ringfence
