// Reads an audit log line by line, its files that were put aside first, in memory that does not
// grow with it; goes on across rotations while others write.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "audit_log/order.h"
#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

struct LogLine {
  std::string_view text;  // until the next call; of a very long line only the beginning
  bool is_cut = false;
  std::string file;
  uint64_t number = 0;  // in its file, from 1
  uint64_t size = 0;    // of all of it, with its newline
  bool is_apart = false;
};

// Says of a file that does not belong to the log's chain so, at its first line.
void SayWhereApart(const LogLine& line);

class LogReader {
 public:
  explicit LogReader(Path file) : file_(std::move(file)) {}

  // An error where there is no such log; where it `may_come`, a word on standard error.
  Status Open(bool may_come = false);

  // Nothing: these are all the whole lines that there are for now.
  Result<std::optional<LogLine>> Next();
  // What stands behind the last newline, if there is something.
  std::optional<LogLine> Rest();

  const Path& file() const { return file_; }
  size_t files() const { return files_read_; }

 private:
  enum class Opened { kNext, kNone, kRenamed };

  Result<std::vector<LogFile>> List() const;
  Result<bool> Advance();
  Result<std::optional<LogLine>> NextFromHere();  // in the current file and those behind it
  Result<Opened> OpenNext();
  Result<bool> IsFinished() const;
  std::optional<LogLine> TakeLine();
  Result<bool> ReadMore();
  Result<bool> BeginAgain();
  LogLine Give(size_t end, size_t next);

  Path file_;
  std::vector<LogFile> listed_;
  std::set<std::string> done_;  // names of files that were read
  std::optional<LogFile> current_;
  UniqueFd fd_;
  uint64_t number_ = 0;
  size_t files_read_ = 0;
  std::string buffer_;
  size_t begin_ = 0;     // of the next line in buffer_
  size_t searched_ = 0;  // no newline before this
  bool is_cut_ = false;
  uint64_t dropped_ = 0;  // bytes of the next line that nobody keeps
};

}  // namespace ringfence
