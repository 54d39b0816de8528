// An event loop of Asio that works although the kernel may watch nothing more: the watches of epoll
// are counted for all of a user's programs together, and one in a sandbox can take them all.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

namespace ringfence {

// Tries until the kernel gives a loop its timer. Returns null if the other side of `channel` has
// closed meanwhile. In the loop nothing may be used that throws if a descriptor cannot be watched:
// constructors from a descriptor, and assign() without an error_code.
std::unique_ptr<boost::asio::io_context> MakeEventLoop(int channel);

}  // namespace ringfence
