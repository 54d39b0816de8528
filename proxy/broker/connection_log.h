// Writes one line for each connection into the audit log, on a thread of its own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "audit_log/append.h"
#include "audit_log/entry.h"
#include "base/not_copied.h"
#include "base/path.h"
#include "policy/policy.h"

namespace ringfence {

class ConnectionLog : NotCopied {
 public:
  using Handler = std::function<void()>;

  explicit ConnectionLog(boost::asio::io_context& io);
  ~ConnectionLog();  // as Finish()

  // Writes what is queued. Then no entry may be added.
  void Finish();

  // The log of the current policy. Entries that are queued go to the log that was set before.
  void SetFile(const std::optional<Path>& file, const AuditRules& rules);
  // If IsFull(), refusals are only counted, and one line gives their number. Calls `written`, if
  // there is one, once the line is written or cannot be: in the io_context, or before it returns if
  // there will be no line.
  void Add(AuditEntry entry, Handler written = {});

  // True if so many entries wait that new connections should wait, too.
  bool IsFull() const;
  // Why the last entry could not be written; "" if it was.
  std::string failure() const;

 private:
  struct Place {
    Path file;
    AuditRules rules;
  };
  struct Line {
    std::shared_ptr<const Place> place;
    AuditEntry entry;
    int64_t time;  // nanoseconds since 1970
    Handler written;
  };
  void Write();
  void AddCount(const Line& last);
  // Returns the last error; "" if the last line was written.
  static std::string WriteAll(const std::vector<Line>& lines);
  static std::string WriteTo(const Place& place, std::span<const NewAuditLine> lines);

  boost::asio::io_context& io_;
  std::shared_ptr<const Place> place_;  // null for none
  mutable std::mutex mutex_;            // guards all below
  std::condition_variable wake_;
  std::vector<Line> lines_;
  size_t written_now_ = 0;   // lines
  uint64_t unwritten_ = 0;   // connections without a line
  bool is_awaited_ = false;  // by a handler
  std::string failure_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace ringfence
