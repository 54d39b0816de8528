#include "proxy/event_loop.h"

#include <poll.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>

namespace ringfence {
namespace {

using boost::asio::io_context;

constexpr int kLoopRetry = 100;  // milliseconds

// Asio ignores it if the kernel does not watch the descriptors of the loop itself. Its timer is the
// last of them.
bool HasTimer(io_context& io) {
  bool is_due = false;
  boost::asio::steady_timer timer(io, std::chrono::seconds(0));
  timer.async_wait([&is_due](const boost::system::error_code& error) { is_due = !error; });
  io.run_for(std::chrono::milliseconds(kLoopRetry));
  if (is_due) return true;
  timer.cancel();
  io.restart();
  io.poll();  // the handler refers to this function
  return false;
}

std::unique_ptr<io_context> TryMake() {
  try {
    auto io = std::make_unique<io_context>(1);
    if (!HasTimer(*io)) return nullptr;
    io->restart();
    return io;
  } catch (const boost::system::system_error&) {  // no descriptor is left
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<io_context> MakeEventLoop(int channel) {
  for (;;) {
    if (std::unique_ptr<io_context> io = TryMake()) return io;
    pollfd closed{.fd = channel, .events = 0, .revents = 0};
    if (::poll(&closed, 1, kLoopRetry) > 0) return nullptr;
  }
}

}  // namespace ringfence
