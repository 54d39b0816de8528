#include "proxy/message_channel.h"

#include <cerrno>
#include <utility>

namespace ringfence {
namespace {

using boost::asio::posix::descriptor_base;

constexpr size_t kMaxQueued = 4096;
constexpr int kMessagesAtOnce = 64;  // messages, before other work gets its turn

}  // namespace

MessageChannel::MessageChannel(boost::asio::io_context& io, UniqueFd socket)
    : socket_(io, socket.release()) {
  socket_.native_non_blocking(true);
}

void MessageChannel::Start(Handler handler, EndHandler ended) {
  handler_ = std::move(handler);
  ended_ = std::move(ended);
  AwaitMessages();
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

void MessageChannel::Send(char type, const std::vector<std::string_view>& fields,
                          std::vector<UniqueFd> fds) {
  if (!is_open_) return;
  Queued message{type, {fields.begin(), fields.end()}, std::move(fds)};
  if (queue_.empty() && TrySend(message)) return;
  if (!is_open_) return;
  if (queue_.size() == kMaxQueued) return End();
  queue_.push_back(std::move(message));
  if (queue_.size() == 1) AwaitRoom();
}

bool MessageChannel::TrySend(const Queued& message) {
  const std::vector<std::string_view> fields(message.fields.begin(), message.fields.end());
  std::vector<int> fds;
  fds.reserve(message.fds.size());
  for (const UniqueFd& fd : message.fds) fds.push_back(fd.get());
  const Status sent = SendSocketMessage(socket_.native_handle(), message.type, fields, fds);
  if (sent) return true;
  if (sent.error().code != EAGAIN) End();
  return false;
}

void MessageChannel::AwaitRoom() {
  socket_.async_wait(descriptor_base::wait_write, [this](const boost::system::error_code& error) {
    if (error || !is_open_) return;
    while (!queue_.empty() && TrySend(queue_.front())) queue_.pop_front();
    if (is_open_ && !queue_.empty()) AwaitRoom();
  });
}

void MessageChannel::End() {
  if (!std::exchange(is_open_, false)) return;
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (ended_) ended_();
}

}  // namespace ringfence
