// An event of a socket that has been closed can reach the one that is watched next: the loop keeps
// what it knows of a socket in objects that it uses again.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstddef>
#include <functional>
#include <utility>

namespace ringfence {

// Two sockets whose far sides close at once. The first handler closes the other socket, whose event
// is due by then.
class StaleEvent {
 public:
  // `next` is called in that handler: the first socket that it lets the loop watch gets the event.
  StaleEvent(boost::asio::io_context& io, std::function<void()> next)
      : next_(std::move(next)), sockets_{Socket(io), Socket(io)}, far_{Socket(io), Socket(io)} {
    for (size_t i = 0; i < 2; ++i) boost::asio::local::connect_pair(sockets_[i], far_[i]);
    for (size_t i = 0; i < 2; ++i) {
      sockets_[i].async_wait(Socket::wait_read, [this, i](const boost::system::error_code& error) {
        if (error) return;
        sockets_[1 - i].close();
        std::exchange(next_, [] {})();
      });
    }
    io.poll();
    for (Socket& far : far_) far.close();
    io.restart();
    while (io.poll() > 0) io.restart();
  }

 private:
  using Socket = boost::asio::local::stream_protocol::socket;
  std::function<void()> next_;
  Socket sockets_[2], far_[2];
};

}  // namespace ringfence
