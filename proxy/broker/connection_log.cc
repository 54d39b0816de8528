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

ConnectionLog::~ConnectionLog() {
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
  }
}

}  // namespace ringfence
