// A broker in a process of its own. The test is its parent and, at the other end of the channel
// that the broker gave it, its worker.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message_socket.h"
#include "base/socket_pair.h"
#include "proxy/broker/broker.h"
#include "proxy/ipc.h"
#include "proxy/link/messages.h"
#include "tests/support/loopback.h"
#include "tests/support/proxy_session.h"

namespace ringfence {

inline SocketPair PatientPair() {
  Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
  REQUIRE(pair);
  const timeval patience{.tv_sec = kPatience / 1000, .tv_usec = 0};
  REQUIRE(::setsockopt(pair->own.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
  return std::move(*pair);
}

// The type and the fields of the next message; "" at the end.
inline std::string NextText(const UniqueFd& socket, UniqueFd* fd = nullptr) {
  Result<SocketMessage> message = ReceiveSocketMessage(socket.get());
  if (!message) return "";
  if (fd != nullptr && !message->fds.empty()) *fd = std::move(message->fds.front());
  std::string text(1, message->type);
  for (const std::string& field : message->fields) text += " " + (field.empty() ? "-" : field);
  return text;
}

class BrokerBench {
 public:
  explicit BrokerBench(const SessionRequest& request) : BrokerBench() {
    SendAsParent('s', request.Fields());
    Result<SocketMessage> handed = ReceiveSocketMessage(hand_.own.get());
    REQUIRE(handed);
    REQUIRE(handed->fds.size() == 1);
    REQUIRE(handed->fields.size() == 1);
    credential_ = handed->fields[0];
    worker_ = std::move(handed->fds.front());
    const timeval patience{.tv_sec = kPatience / 1000, .tv_usec = 0};
    REQUIRE(::setsockopt(worker_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
  }
  // Without a session yet.
  BrokerBench() {
    kept_ = hand_.other.get();
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      parent_.own = UniqueFd();
      hand_.own = UniqueFd();
      ::_exit(ServeSession(std::move(parent_.other), HandOver));
    }
    parent_.other = UniqueFd();
    hand_.other = UniqueFd();
  }
  ~BrokerBench() { ExitStatus(); }
  BrokerBench(const BrokerBench&) = delete;
  BrokerBench& operator=(const BrokerBench&) = delete;

  const std::string& credential() const { return credential_; }

  void SendAsParent(char type, const std::vector<std::string_view>& fields, int fd = -1) {
    const int fds[] = {fd};
    REQUIRE(
        SendSocketMessage(parent_.own.get(), type, fields, std::span(fds).first(fd < 0 ? 0 : 1)));
  }
  void Send(WorkerMessage type, const std::vector<std::string_view>& fields) {
    REQUIRE(SendSocketMessage(worker_.get(), static_cast<char>(type), fields));
  }
  // The broker's next message to the worker, and to the parent, other than the counts.
  std::string ToWorker(UniqueFd* fd = nullptr) { return NextText(worker_, fd); }
  std::string ToParent() {
    std::string text;
    do {
      text = NextText(parent_.own);
    } while (text.starts_with('t'));
    return text;
  }
  std::string Counts() { return NextText(parent_.own); }
  std::string Ask(std::string_view host, const std::string& port, UniqueFd* fd = nullptr) {
    Send(WorkerMessage::kOpen, {std::to_string(++last_), kTcpProtocol, host, port});
    return ToWorker(fd);
  }

  void CloseWorker() { worker_ = UniqueFd(); }
  void CloseParent() { parent_.own = UniqueFd(); }
  // Closes everything that is still open, and returns the status of the broker.
  int ExitStatus() {
    CloseParent();
    return Wait();
  }
  // The status of a broker that ends without that.
  int Wait() {
    if (child_ < 0) return status_;
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    hand_.own = UniqueFd();
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return status_;
  }

 private:
  // In place of the worker: hands its channel to the test, and waits for the test's end.
  static int HandOver(UniqueFd broker, const std::string& credential) {
    const std::string_view fields[] = {credential};
    const int fds[] = {broker.get()};
    if (!SendSocketMessage(kept_, 'w', fields, fds)) return 1;
    broker = UniqueFd();
    char end = 0;
    return static_cast<int>(::recv(kept_, &end, 1, 0));
  }

  inline static int kept_ = -1;
  SocketPair parent_ = PatientPair();
  SocketPair hand_ = PatientPair();
  pid_t child_ = -1;
  int status_ = -1;
  UniqueFd worker_;
  std::string credential_;
  uint64_t last_ = 0;
};

}  // namespace ringfence
