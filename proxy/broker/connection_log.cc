#include "proxy/broker/connection_log.h"

#include <time.h>

#include <utility>

#include "audit_log/append.h"
#include "audit_log/line.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kMaxLines = 4096;

}  // namespace

ConnectionLog::ConnectionLog() : thread_([this] { Write(); }) {}

ConnectionLog::~ConnectionLog() { Finish(); }

void ConnectionLog::Finish() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void ConnectionLog::SetFile(const std::optional<Path>& file, const AuditRules& rules) {
  file_ = file;
  rules_ = rules;
  rules_.file = "";  // its text belongs to the policy, and `file` counts
}

void ConnectionLog::Add(AuditEntry entry) {
  if (!file_) return;
  const int64_t now = Nanoseconds(CLOCK_REALTIME);
  entry.event = "Connection";
  entry.time = AuditTime(now);
  {
    const std::lock_guard lock(mutex_);
    // Of connections, there are never so many that the queue has no room for their ends.
    if (lines_.size() >= kMaxLines && entry.verdict == LoggedVerdict::kDeny) {
      ++unwritten_;
      return;
    }
    lines_.push_back({std::move(entry), *file_, rules_, now});
  }
  wake_.notify_one();
}

bool ConnectionLog::IsFull() const {
  const std::lock_guard lock(mutex_);
  return lines_.size() >= kMaxLines;
}

std::string ConnectionLog::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void ConnectionLog::Write() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ends_ || !lines_.empty(); });
    if (lines_.empty()) return;
    const Line line = std::move(lines_.front());
    lines_.pop_front();
    lock.unlock();
    const Status added = AppendToAudit(line.file, line.rules, AuditText(line.entry), line.time);
    lock.lock();
    failure_ = added ? "" : added.error().text();
    if (unwritten_ > 0 && lines_.size() < kMaxLines / 2) AddCount(line);
  }
}

// One line for all that had no room: from the same session as the last line.
void ConnectionLog::AddCount(const Line& last) {
  Line count{.file = last.file, .rules = last.rules, .time = Nanoseconds(CLOCK_REALTIME)};
  count.entry.time = AuditTime(count.time);
  count.entry.event = last.entry.event;
  count.entry.session = last.entry.session;
  count.entry.agent_type = last.entry.agent_type;
  count.entry.profile = last.entry.profile;
  count.entry.verdict = LoggedVerdict::kDeny;
  count.entry.why = std::to_string(std::exchange(unwritten_, 0)) +
                    " more refusals came faster than lines can be written";
  lines_.push_back(std::move(count));
}

}  // namespace ringfence
