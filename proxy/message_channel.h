// A message socket (base/message_socket.h) in an event loop. Sending never blocks: what the other
// side does not take yet is queued.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message_socket.h"
#include "base/not_copied.h"
#include "base/unique_fd.h"

namespace ringfence {

class MessageChannel : NotCopied {
 public:
  using Handler = std::function<void(SocketMessage)>;
  using EndHandler = std::function<void()>;

  MessageChannel(boost::asio::io_context& io, UniqueFd socket);

  // Calls `handler` for each message and `ended` once: if the other side is closed, or takes
  // nothing although thousands of messages wait. Neither may destroy the channel.
  void Start(Handler handler, EndHandler ended);

  // True if many messages are queued: the caller should not send what can be left out.
  bool is_busy() const;
  // Truncates long fields. A message that is still too long ends the channel.
  void Send(char type, const std::vector<std::string_view>& fields, std::vector<UniqueFd> fds = {});
  // The same, with the next message or within 5 milliseconds: each message of its own wakes the
  // other side.
  void SendLater(char type, const std::vector<std::string_view>& fields);
  // Sends now what SendLater() has kept.
  void SendKept();

 private:
  struct Queued {
    char type;
    std::vector<std::string> fields;
    std::vector<UniqueFd> fds;
  };
  void Watch();
  void AwaitMessages();
  void AwaitRoom();
  void SendOrQueue(Queued message);
  // Returns false if there is no room now.
  bool TrySend(const Queued& message);
  void SendQueued();
  void End();

  UniqueFd unwatched_;  // the socket, until the loop watches it
  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer watch_retry_, retry_;
  Handler handler_;
  EndHandler ended_;
  std::deque<Queued> queue_;
  std::vector<Queued> kept_;
  boost::asio::steady_timer kept_timer_;
  bool keeps_time_ = false;  // kept_timer_ runs
  bool is_open_ = true;
  bool lacks_references_ = false;  // the kernel takes no descriptor now
};

}  // namespace ringfence
