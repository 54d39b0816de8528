// The worker's classes in an event loop, with real sockets: the test is the broker, the programs
// and the hosts.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message_socket.h"
#include "base/socket_pair.h"
#include "proxy/ipc.h"
#include "proxy/worker/service.h"
#include "tests/support/loopback.h"

namespace ringfence {

// Runs the loop until `done` is true. Returns false if it never is.
template <typename Done>
bool RunUntil(boost::asio::io_context& io, const Done& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatience);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    io.restart();
    io.run_one_for(std::chrono::milliseconds(2));
  }
  return true;
}

inline SocketPair SeqpacketPair() {
  Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
  REQUIRE(pair);
  return std::move(*pair);
}

// The test's end of a TCP connection.
class FarEnd {
 public:
  FarEnd(boost::asio::io_context& io, UniqueFd socket) : io_(&io), socket_(std::move(socket)) {}

  void Send(std::string_view text) const {
    REQUIRE(::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(text.size()));
  }
  void HalfClose() const { REQUIRE(::shutdown(socket_.get(), SHUT_WR) == 0); }
  void Close() { socket_ = UniqueFd(); }
  void Reset() { CloseWithReset(std::move(socket_)); }
  int fd() const { return socket_.get(); }

  // Waits for as many bytes as `size`, or the end, and returns and forgets them.
  std::string Take(size_t size) {
    CHECK(RunUntil(*io_, [this, size] { return Read() || got_.size() >= size; }));
    const std::string taken = got_.substr(0, size);
    got_.erase(0, size);
    return taken;
  }
  // Returns and forgets what has come.
  std::string TakeAll() {
    Read();
    return std::exchange(got_, "");
  }
  // Waits for the end and returns all that came before it.
  std::string Rest() {
    CHECK(RunUntil(*io_, [this] { return Read(); }));
    return std::exchange(got_, "");
  }
  bool HasEnded() { return Read(); }
  // True if the end has come, or comes, as a reset.
  bool IsReset() {
    CHECK(RunUntil(*io_, [this] { return Read(); }));
    return end_ == ECONNRESET;
  }

 private:
  // Returns true once the other side has ended.
  bool Read() {
    char buffer[65536];
    while (!end_) {
      const ssize_t got = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
      if (got < 0 && errno == EAGAIN) return false;
      if (got <= 0) {
        end_ = got == 0 ? 0 : errno;
      } else {
        got_.append(buffer, static_cast<size_t>(got));
      }
    }
    return true;
  }

  boost::asio::io_context* io_;
  UniqueFd socket_;
  std::string got_;
  std::optional<int> end_;  // errno; 0 for an orderly end
};

class WorkerBench {
 public:
  explicit WorkerBench(std::string_view password = "")
      : channel_(SeqpacketPair()), service_(io_, std::move(channel_.other), password) {
    REQUIRE(::fcntl(channel_.own.get(), F_SETFL, O_NONBLOCK) == 0);
    service_.broker().RelyOnPermissionsFor(std::chrono::nanoseconds(-1));  // asks each time
    service_.broker().Start([this](SocketMessage message) { listened_.push_back(message.type); },
                            [this] { has_ended_ = true; });
    REQUIRE(Receive().type == static_cast<char>(WorkerMessage::kReady));
  }

  boost::asio::io_context& io() { return io_; }
  Service& service() { return service_; }
  bool has_ended() const { return has_ended_; }
  size_t listened() const { return listened_.size(); }
  void CloseBroker() { channel_.own = UniqueFd(); }

  // A connection: one end for the worker, and the other for the test.
  std::pair<TcpSocket, FarEnd> Connection() {
    TcpPair pair = MakeTcpPair();
    return {service_.Adopt(std::move(pair.own)), FarEnd(io_, std::move(pair.other))};
  }

  // The worker's next message to the broker.
  SocketMessage Receive() {
    std::optional<SocketMessage> found;
    REQUIRE(RunUntil(io_, [&] {
      Result<SocketMessage> message = ReceiveSocketMessage(channel_.own.get());
      if (message) found = std::move(*message);
      return found.has_value();
    }));
    return std::move(*found);
  }
  // The same as text: "o 1 tcp a.example 22"; of kDone without the time, and of kRefused without
  // the id. If a refusal is to be answered, that is done.
  std::string Heard() {
    SocketMessage message = Receive();
    const bool is_refusal = message.type == static_cast<char>(WorkerMessage::kRefused);
    if (is_refusal && message.fields.size() == 5) {
      const std::string id = message.fields.front();
      message.fields.erase(message.fields.begin());
      if (id != "0") Send(WorkerMessage::kNoted, {id});
    }
    const bool is_done = message.type == static_cast<char>(WorkerMessage::kDone);
    if (is_done && message.fields.size() == 8) message.fields.erase(message.fields.begin() + 6);
    std::string text(1, message.type);
    for (const std::string& field : message.fields) text += " " + (field.empty() ? "-" : field);
    return text;
  }
  // True if there is none, once all work that is ready has been done.
  bool HearsNothing() {
    io_.restart();
    while (io_.poll() > 0) {
    }
    return !ReceiveSocketMessage(channel_.own.get());
  }

  void Send(WorkerMessage type, const std::vector<std::string_view>& fields, int fd = -1) {
    const int fds[] = {fd};
    REQUIRE(SendSocketMessage(channel_.own.get(), static_cast<char>(type), fields,
                              std::span(fds).first(fd < 0 ? 0 : 1)));
  }
  // Answers a question with a connection to a host, and returns the host.
  FarEnd Grant(uint64_t id) {
    TcpPair pair = MakeTcpPair();
    Send(WorkerMessage::kGranted, {std::to_string(id), "203.0.113.1"}, pair.own.get());
    return {io_, std::move(pair.other)};
  }
  void Permit(uint64_t id) { Send(WorkerMessage::kGranted, {std::to_string(id), ""}); }
  void Deny(uint64_t id, DenialKind kind, std::string_view sentence) {
    const char code = static_cast<char>(kind);
    Send(WorkerMessage::kDenied, {std::to_string(id), {&code, 1}, sentence});
  }

 private:
  boost::asio::io_context io_{1};
  SocketPair channel_;
  Service service_;
  std::vector<char> listened_;
  bool has_ended_ = false;
};

}  // namespace ringfence
