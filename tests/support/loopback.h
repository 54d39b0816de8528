// TCP over the loopback, for tests of the proxy: real sockets, each with an address of its own.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"

namespace ringfence {

// Bounds a hang; no test depends on it.
constexpr int kPatience = 30'000;  // milliseconds

inline sockaddr_in LoopbackAddress(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

template <typename Address>
const sockaddr* SocketAddress(const Address& address) {
  const void* bytes = &address;
  return static_cast<const sockaddr*>(bytes);
}

class LoopbackListener {
 public:
  LoopbackListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_in address = LoopbackAddress(0);
    socklen_t size = sizeof address;
    REQUIRE(::bind(socket_.get(), SocketAddress(address), size) == 0);
    REQUIRE(::listen(socket_.get(), SOMAXCONN) == 0);
    void* bytes = &address;
    REQUIRE(::getsockname(socket_.get(), static_cast<sockaddr*>(bytes), &size) == 0);
    port_ = ntohs(address.sin_port);
  }

  uint16_t port() const { return port_; }
  int fd() const { return socket_.get(); }
  UniqueFd Release() { return std::move(socket_); }
  // Returns a nonblocking socket; invalid if no connection waits.
  UniqueFd Accept() const {
    return UniqueFd(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  }

 private:
  UniqueFd socket_;
  uint16_t port_ = 0;
};

// Two connected nonblocking sockets.
struct TcpPair {
  UniqueFd own, other;
};

inline TcpPair MakeTcpPair() {
  const LoopbackListener listener;
  UniqueFd own(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = LoopbackAddress(listener.port());
  REQUIRE(::connect(own.get(), SocketAddress(address), sizeof address) == 0);
  UniqueFd other = listener.Accept();
  REQUIRE(other.valid());
  int on = 1;
  REQUIRE(::ioctl(own.get(), FIONBIO, &on) == 0);
  return {std::move(own), std::move(other)};
}

// Closes so that the other side sees a reset.
inline void CloseWithReset(UniqueFd socket) {
  const linger none{.l_onoff = 1, .l_linger = 0};
  REQUIRE(::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none) == 0);
}

}  // namespace ringfence
