// Asks a proxy, to which a socket is connected, for a tunnel to a host.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/unique_fd.h"
#include "proxy/broker/connect_answer.h"

namespace ringfence {

class UpstreamTunnel : public std::enable_shared_from_this<UpstreamTunnel> {
 public:
  struct Outcome {
    UniqueFd socket;  // leads to the host; no byte of the host's has been read. Invalid on failure
    std::string error;  // continues a sentence that begins with the proxy
  };
  using Handler = std::function<void(Outcome)>;

  // `proxy` is nonblocking. `target` is "host:port", canonical. Calls `handler` once, on the
  // io_context's thread, maybe before it returns, after at most 10 seconds.
  static void Open(boost::asio::io_context& io, UniqueFd proxy, const std::string& target,
                   Handler handler);

 private:
  UpstreamTunnel(boost::asio::io_context& io, Handler handler);
  void Begin(UniqueFd proxy, const std::string& target);
  void AwaitAnswer();
  void ReadAnswer();
  void UseAnswer();
  void Fail(std::string error);

  boost::asio::posix::stream_descriptor proxy_;
  Handler handler_;  // empty once called
  boost::asio::steady_timer limit_;
  ConnectAnswer answer_;
  bool is_https_ = false;
};

}  // namespace ringfence
