#include "proxy/message_channel.h"

#include <cerrno>
#include <chrono>
#include <utility>

namespace ringfence {
namespace {

using boost::asio::posix::descriptor_base;

constexpr size_t kMaxQueued = 4096;
constexpr size_t kMaxField = 8192;  // bytes; only text from a program or a host is longer
constexpr size_t kBusyQueue = 256;
constexpr int kMessagesAtOnce = 64;  // messages, before other work gets its turn
constexpr std::chrono::milliseconds kRetry{20};
constexpr std::chrono::milliseconds kWatchRetry{100};
constexpr std::chrono::milliseconds kKeep{5};
constexpr size_t kMaxDelayed = 32;  // messages

std::vector<std::string> Truncated(const std::vector<std::string_view>& fields) {
  std::vector<std::string> truncated;
  truncated.reserve(fields.size());
  for (const std::string_view field : fields) truncated.emplace_back(field.substr(0, kMaxField));
  return truncated;
}

}  // namespace

MessageChannel::MessageChannel(boost::asio::io_context& io, UniqueFd socket)
    : unwatched_(std::move(socket)), socket_(io), watch_retry_(io), retry_(io), kept_timer_(io) {
  Watch();
}

// The kernel may watch nothing more for a while (proxy/event_loop.h).
void MessageChannel::Watch() {
  boost::system::error_code failure;
  socket_.assign(unwatched_.get(), failure);
  if (failure) {
    watch_retry_.expires_after(kWatchRetry);
    return watch_retry_.async_wait([this](const boost::system::error_code& error) {
      if (!error) Watch();
    });
  }
  unwatched_.release();
  socket_.native_non_blocking(true, failure);
  if (handler_) AwaitMessages();
  SendQueued();
}

void MessageChannel::Start(Handler handler, EndHandler ended) {
  handler_ = std::move(handler);
  ended_ = std::move(ended);
  if (socket_.is_open()) AwaitMessages();
}

void MessageChannel::AwaitMessages() {
  socket_.async_wait(descriptor_base::wait_read, [this](const boost::system::error_code& error) {
    if (error || !is_open_) return;
    for (int i = 0; i < kMessagesAtOnce && is_open_; ++i) {
      Result<SocketMessage> message = ReceiveSocketMessage(socket_.native_handle());
      if (!message && message.error().code == EAGAIN) break;
      if (!message) return End();
      handler_(std::move(*message));
    }
    if (is_open_) AwaitMessages();
  });
}

bool MessageChannel::is_busy() const { return queue_.size() >= kBusyQueue; }

void MessageChannel::Send(char type, const std::vector<std::string_view>& fields,
                          std::vector<UniqueFd> fds) {
  SendKept();
  SendOrQueue({type, Truncated(fields), std::move(fds)});
}

void MessageChannel::SendLater(char type, const std::vector<std::string_view>& fields) {
  if (!is_open_) return;
  kept_.push_back({type, Truncated(fields), {}});
  if (kept_.size() == kMaxDelayed) return SendKept();
  if (std::exchange(keeps_time_, true)) return;
  kept_timer_.expires_after(kKeep);
  kept_timer_.async_wait([this](const boost::system::error_code& error) {
    keeps_time_ = false;
    if (!error) SendKept();
  });
}

void MessageChannel::SendKept() {
  for (Queued& message : std::exchange(kept_, {})) SendOrQueue(std::move(message));
}

void MessageChannel::SendOrQueue(Queued message) {
  if (!is_open_) return;
  if (queue_.empty() && socket_.is_open() && TrySend(message)) return;
  if (!is_open_) return;
  if (queue_.size() == kMaxQueued) return End();
  queue_.push_back(std::move(message));
  if (queue_.size() == 1 && socket_.is_open()) AwaitRoom();
}

bool MessageChannel::TrySend(const Queued& message) {
  const std::vector<std::string_view> fields(message.fields.begin(), message.fields.end());
  std::vector<int> fds;
  fds.reserve(message.fds.size());
  for (const UniqueFd& fd : message.fds) fds.push_back(fd.get());
  const Status sent = SendSocketMessage(socket_.native_handle(), message.type, fields, fds);
  if (sent) return true;
  // All of the user's programs share a number of descriptors in messages (unix(7)). Any of them can
  // exhaust it for a while, also one in another sandbox.
  lacks_references_ = sent.error().code == ETOOMANYREFS;
  if (sent.error().code != EAGAIN && !lacks_references_) End();
  return false;
}

void MessageChannel::AwaitRoom() {
  const auto ready = [this](const boost::system::error_code& error) {
    if (!error && is_open_) SendQueued();
  };
  if (!lacks_references_) return socket_.async_wait(descriptor_base::wait_write, ready);
  retry_.expires_after(kRetry);
  retry_.async_wait(ready);
}

void MessageChannel::SendQueued() {
  while (!queue_.empty() && TrySend(queue_.front())) queue_.pop_front();
  if (is_open_ && !queue_.empty()) AwaitRoom();
}

void MessageChannel::End() {
  if (!std::exchange(is_open_, false)) return;
  boost::system::error_code ignored;
  unwatched_ = UniqueFd();
  watch_retry_.cancel();
  retry_.cancel();
  kept_timer_.cancel();
  socket_.close(ignored);
  if (ended_) ended_();
}

}  // namespace ringfence
