// Reads an audit log line by line, rotated files first, in bounded memory. Continues across
// rotations while other processes write.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit_log/order.h"
#include "base/inside.h"
#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// The longest line that a reader of the log looks at; the hook writes shorter ones.
inline constexpr size_t kLongestLine = size_t{4} * kMaxAuditLine;

// Returns the log's files in the order in which they were written, the log itself last. Those that
// were rotated keep their names.
Result<std::vector<LogFile>> PartsOfLog(const Path& file);
// Returns an invalid descriptor if the file does not exist (any more).
Result<UniqueFd> OpenLogPart(const std::string& name, struct stat* facts);
std::pair<dev_t, ino_t> LogPartId(const struct stat& facts);

struct LogLine {
  std::string_view text;  // valid until the next call; only the start of a very long line
  bool is_cut = false;
  std::string file;
  uint64_t number = 0;  // in its file, from 1
  uint64_t size = 0;    // of the whole line, with its newline
  bool is_apart = false;
};

// Reports a file that does not belong to the log's chain, at the file's first line.
void SayWhereApart(const LogLine& line);

class LogReader {
 public:
  explicit LogReader(Path file) : file_(std::move(file)) {}

  // Fails if the log does not exist; if it `may_come`, only prints a note on standard error.
  Status Open(bool may_come = false);

  // Returns the next complete line; nothing until the log grows by one.
  Result<std::optional<LogLine>> Next();
  // Returns the text after the last newline, if there is any.
  std::optional<LogLine> Rest();

  const Path& file() const { return file_; }
  size_t files() const { return files_read_; }

 private:
  enum class Opened { kNext, kNone, kRenamed };

  Result<bool> Advance();
  Result<std::optional<LogLine>> NextFromHere();  // in the current file and those after it
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
  uint64_t dropped_ = 0;  // bytes of the next line that were discarded
};

inline constexpr int kPoll = 250;  // milliseconds between two reads of a log

// Waits for more of a log until a signal arrives.
class Waiting {
 public:
  // From here on SIGINT and SIGTERM end the wait, not the program.
  Waiting();

  // Returns false if the wait is over: a signal arrived or, if the output `is_watched`, its reader
  // is gone.
  bool For(int milliseconds, bool is_watched) const;
  bool is_over() const;
};

}  // namespace ringfence
