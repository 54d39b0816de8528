#include "proxy/broker/connection_log.h"

#include <time.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "audit_log/line.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kMaxLines = 4096;
// A worker of ours never makes as many: it asks for permissions, which it does not get.
constexpr size_t kMaxLinesOfAll = 4 * kMaxLines;
// How long to collect lines before writing them, unless a handler waits for one. Writing each line
// alone slows down many short connections.
constexpr std::chrono::milliseconds kGather{5};
// Lines to write without waiting longer, and at most at once: other writers need the lock, too.
constexpr size_t kEnoughLines = 256;

}  // namespace

ConnectionLog::ConnectionLog(boost::asio::io_context& io) : io_(io), thread_([this] { Write(); }) {}

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
  if (!file) return place_.reset();
  AuditRules own = rules;
  own.file = "";  // its text belongs to the policy, and `file` counts
  if (place_ != nullptr && place_->file == *file && place_->rules == own) return;
  place_ = std::make_shared<const Place>(Place{*file, own});
}

void ConnectionLog::Add(AuditEntry entry, Handler written) {
  if (place_ == nullptr) {
    if (written) written();
    return;
  }
  const int64_t now = Nanoseconds(CLOCK_REALTIME);
  entry.event = "Connection";
  entry.time = AuditTime(now);
  Line line{place_, std::move(entry), now, std::move(written)};
  std::unique_lock lock(mutex_);
  // The number of open connections is limited, so the lines about their ends fit.
  const bool is_refusal = line.entry.verdict == LoggedVerdict::kDeny;
  if (lines_.size() + written_now_ >= (is_refusal ? kMaxLines : kMaxLinesOfAll)) {
    ++unwritten_;
    lock.unlock();
    if (line.written) line.written();
    return;
  }
  const bool begins_to_be_awaited = line.written && !is_awaited_;
  is_awaited_ = is_awaited_ || line.written;
  lines_.push_back(std::move(line));
  const size_t count = lines_.size();
  lock.unlock();
  if (count == 1 || count == kEnoughLines || begins_to_be_awaited) wake_.notify_one();
}

bool ConnectionLog::IsFull() const {
  const std::lock_guard lock(mutex_);
  return lines_.size() + written_now_ >= kMaxLines;
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
    wake_.wait_for(lock, kGather,
                   [this] { return ends_ || is_awaited_ || lines_.size() >= kEnoughLines; });
    std::vector<Line> lines = std::exchange(lines_, {});
    is_awaited_ = false;
    written_now_ = lines.size();
    lock.unlock();
    std::string failure = WriteAll(lines);
    for (Line& line : lines) {
      if (line.written) boost::asio::post(io_, std::move(line.written));
    }
    lock.lock();
    written_now_ = 0;
    failure_ = std::move(failure);
    if (unwritten_ > 0) AddCount(lines.back());
  }
}

// Adds one line for all refusals that did not fit, with the session of the last line.
void ConnectionLog::AddCount(const Line& last) {
  const int64_t now = Nanoseconds(CLOCK_REALTIME);
  AuditEntry entry;
  entry.event = last.entry.event;
  entry.time = AuditTime(now);
  entry.session = last.entry.session;
  entry.agent_type = last.entry.agent_type;
  entry.profile = last.entry.profile;
  entry.verdict = LoggedVerdict::kDeny;
  entry.why = std::to_string(std::exchange(unwritten_, 0)) +
              " more lines came faster than they can be written";
  lines_.push_back({last.place, std::move(entry), now, {}});
}

std::string ConnectionLog::WriteAll(const std::vector<Line>& lines) {
  std::string failure;
  std::vector<NewAuditLine> together;
  for (size_t i = 0; i < lines.size(); ++i) {
    together.push_back({AuditText(lines[i].entry), lines[i].time});
    const bool goes_on = i + 1 < lines.size() && lines[i + 1].place == lines[i].place;
    if (goes_on && together.size() < kEnoughLines) continue;
    failure = WriteTo(*lines[i].place, std::exchange(together, {}));
  }
  return failure;
}

std::string ConnectionLog::WriteTo(const Place& place, std::span<const NewAuditLine> lines) {
  std::string failure;
  while (!lines.empty()) {
    const Result<size_t> count = AppendToAudit(place.file, place.rules, lines);
    failure = count ? "" : count.error().text();
    lines = lines.subspan(count ? *count : 1);  // a line that cannot be written is lost
  }
  return failure;
}

}  // namespace ringfence
