#include "cli/log/sink.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>
#ifdef __linux__
#include <linux/sockios.h>
#endif

#include <cerrno>
#include <cstring>
#include <deque>

#include "audit_log/system_log.h"
#include "base/process.h"
#include "base/result.h"
#include "base/socket_pair.h"
#include "base/syscall.h"
#include "base/unique_fd.h"
#include "cli/log/log_line.h"

namespace ringfence {
namespace {

constexpr int kSeconds = 10;  // time limit for the other side

// An address of any family.
struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  const sockaddr* get() const {
    const void* address = &bytes;
    return static_cast<const sockaddr*>(address);
  }
};

bool ParseSocketAddress(const std::string& text, uint16_t port, SocketAddress* address) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  if (::inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
    address->size = sizeof four;
    std::memcpy(&address->bytes, &four, sizeof four);
    return true;
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) != 1) return false;
  address->size = sizeof six;
  std::memcpy(&address->bytes, &six, sizeof six);
  return true;
}

// Returns the name of an error that only a network can cause; otherwise nullptr.
const char* NetworkErrno(int code) {
  constexpr std::pair<int, const char*> kNames[] = {
      {ECONNREFUSED, "ECONNREFUSED"}, {ECONNRESET, "ECONNRESET"}, {ETIMEDOUT, "ETIMEDOUT"},
      {EHOSTUNREACH, "EHOSTUNREACH"}, {ENETDOWN, "ENETDOWN"},     {ENOBUFS, "ENOBUFS"}};
  for (const auto& [known, name] : kNames) {
    if (known == code) return name;
  }
  return nullptr;
}

// Asks the system's getent, because a static program has no resolver.
Result<SocketAddress> ResolveTarget(const LogTarget& target) {
  SocketAddress address;
  if (ParseSocketAddress(target.host, target.port, &address)) return address;
  const Result<Finished> done = Run({.program = "/usr/bin/getent",
                                     .arguments = {"ahosts", target.host},
                                     .environment = {},
                                     .input = ""});
  if (!done) return done.error();
  const std::string first = done->out.substr(0, done->out.find_first_of(" \t\n"));
  if (done->exit_status == 0 && ParseSocketAddress(first, target.port, &address)) return address;
  return Error{Error::Kind::kSystem, target.host, "the host name cannot be resolved", ""};
}

Error ReceiverError(const char* call, int code) {
  Error error = SystemError(std::string(call) + "(the log's receiver)", code);
  if (const char* name = NetworkErrno(code); name != nullptr) error.what = name;
  return error;
}

// `type` is as in socket(2).
Result<UniqueFd> ConnectTo(const SocketAddress& address, int type) {
  UniqueFd fd = NewSocket(address.get()->sa_family, type);
  if (!fd.valid()) return ReceiverError("socket", errno);
  const timeval wait{.tv_sec = kSeconds, .tv_usec = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
  if (::connect(fd.get(), address.get(), address.size) != 0) return ReceiverError("connect", errno);
  return fd;
}

// Sends one message per datagram. The other side does not confirm it, but its system can report a
// moment later that it did not arrive, so this keeps each message until then.
class DatagramSink : public LogSink {
 public:
  Status Send() override {
    if (!fd_.valid()) {
      if (Status s = Open().MoveTo(fd_); !s) return s.error();
    }
    while (next_ < kept_.size()) {
      const std::string& message = kept_[next_];
      if (::send(fd_.get(), message.data(), message.size(), MSG_NOSIGNAL) >= 0) {
        ++next_;
      } else if (errno == EMSGSIZE) {
        ++too_long_;
        kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(next_));
      } else if (errno != EINTR) {
        return Again(errno);
      }
    }
    return Unit{};
  }

  Status Settle() override {
    if (kept_.empty()) return Unit{};
    if (Status s = Send(); !s) return s;
    pollfd refusal{.fd = fd_.get(), .events = 0, .revents = 0};
    if (::poll(&refusal, 1, patience()) > 0) {
      int code = 0;
      socklen_t size = sizeof code;
      ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &code, &size);
      if (code != 0) return Again(code);
    }
    kept_.clear();
    next_ = 0;
    return Unit{};
  }

  uint64_t too_long() const override { return too_long_; }

 protected:
  virtual Result<UniqueFd> Open() const = 0;
  virtual int patience() const = 0;  // milliseconds
  void Put(std::string message) { kept_.push_back(std::move(message)); }

 private:
  // Makes the next call send all messages on a new socket, because the lost one is unknown.
  Error Again(int code) {
    fd_ = UniqueFd();
    next_ = 0;
    return ReceiverError("send", code);
  }

  UniqueFd fd_;
  std::deque<std::string> kept_;  // messages before next_ were sent
  size_t next_ = 0;
  uint64_t too_long_ = 0;
};

class JournalSink final : public DatagramSink {
 public:
  void Add(std::string_view line, const AuditEntry& entry) override {
    Put(JournalMessage(line, entry));
  }

 private:
  Result<UniqueFd> Open() const override {
    sockaddr_un journal{};
    journal.sun_family = AF_UNIX;
    std::memcpy(journal.sun_path, kJournalSocket, sizeof kJournalSocket);
    SocketAddress address{.bytes = {}, .size = sizeof journal};
    std::memcpy(&address.bytes, &journal, sizeof journal);
    return ConnectTo(address, SOCK_DGRAM);
  }
  int patience() const override { return 0; }
};

// Numbers and formats the messages for a syslog server.
class Messages {
 public:
  Messages() {
    std::string name(256, '\0');
    if (::gethostname(name.data(), name.size() - 1) == 0) host_ = name.c_str();
  }
  std::string Next(std::string_view line, const AuditEntry& entry) {
    constexpr uint32_t kLast = 2147483647;
    sequence_ = sequence_ == kLast ? 1 : sequence_ + 1;
    return SyslogMessage(line, entry, host_, sequence_);
  }

 private:
  std::string host_;
  uint32_t sequence_ = 0;
};

class UdpSink final : public DatagramSink {
 public:
  explicit UdpSink(const SocketAddress& address) : address_(address) {}
  void Add(std::string_view line, const AuditEntry& entry) override {
    Put(messages_.Next(line, entry));
  }

 private:
  Result<UniqueFd> Open() const override { return ConnectTo(address_, SOCK_DGRAM); }
  int patience() const override { return 200; }

  SocketAddress address_;
  Messages messages_;
};

// Keeps each message until the other side's system has it; if the connection breaks before that,
// sends it again on a new one. What the program there does with it is unknown.
class TcpSink final : public LogSink {
 public:
  explicit TcpSink(const SocketAddress& address) : address_(address) {}
  ~TcpSink() override {
    if (!fd_.valid()) return;
    ::shutdown(fd_.get(), SHUT_WR);
    pollfd closed{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    ::poll(&closed, 1, kSeconds * 100);  // the server closes it after reading everything
  }

  void Add(std::string_view line, const AuditEntry& entry) override {
    kept_.push_back({Framed(messages_.Next(line, entry)), 0});
  }

  Status Send() override {
    if (Status s = SendKept(); !s) {
      Drop();
      return s;
    }
    return kept_.size() < kMostKept ? Status(Unit{}) : Settle();
  }

  Status Settle() override {
    Status status = SendKept();
    for (int i = 0; status && i < kSeconds * 200; ++i) {
      Forget();
      if (kept_.empty()) return Unit{};
      if (IsClosed()) break;
      ::poll(nullptr, 0, 5);
    }
    Drop();
    return status ? Status(ReceiverError("send", ECONNRESET)) : status;
  }

  uint64_t too_long() const override { return 0; }

 private:
  static constexpr size_t kMostKept = 1024;

  struct Kept {
    std::string bytes;
    uint64_t end = 0;  // offset of its end in the bytes written to this connection
  };

  Status SendKept() {
    if (kept_.empty()) return Unit{};
    if (fd_.valid() && IsClosed()) Drop();
    if (!fd_.valid()) {
      if (Status s = ConnectTo(address_, SOCK_STREAM).MoveTo(fd_); !s) return s.error();
    }
    while (next_ < kept_.size()) {
      if (Status s = Write(kept_[next_].bytes); !s) return s;
      kept_[next_++].end = written_;
      Forget();
    }
    return Unit{};
  }

  Status Write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t put = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return ReceiverError("send", errno);
      bytes.remove_prefix(static_cast<size_t>(put));
      written_ += static_cast<uint64_t>(put);
    }
    return Unit{};
  }

  void Drop() {
    fd_ = UniqueFd();
    next_ = 0;
    written_ = 0;
  }

  // A syslog server sends no data, so a read can only return the end of the connection.
  bool IsClosed() const {
    char byte = 0;
    const ssize_t got = ::recv(fd_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  }

  void Forget() {
    int unsent = 0;
#ifdef __linux__
    if (::ioctl(fd_.get(), SIOCOUTQ, &unsent) != 0) return;
#endif
    const uint64_t arrived = written_ - static_cast<uint64_t>(unsent);
    while (next_ > 0 && kept_.front().end <= arrived) {
      kept_.pop_front();
      --next_;
    }
  }

  SocketAddress address_;
  Messages messages_;
  UniqueFd fd_;
  std::deque<Kept> kept_;  // messages before next_ were written to this connection
  size_t next_ = 0;
  uint64_t written_ = 0;
};

}  // namespace

Result<std::unique_ptr<LogSink>> MakeSink(const LogTarget& target) {
  if (target.kind == LogTarget::Kind::kJournal) {
    return std::unique_ptr<LogSink>(std::make_unique<JournalSink>());
  }
  const Result<SocketAddress> address = ResolveTarget(target);
  if (!address) return address.error();
  if (target.kind == LogTarget::Kind::kUdp) {
    return std::unique_ptr<LogSink>(std::make_unique<UdpSink>(*address));
  }
  return std::unique_ptr<LogSink>(std::make_unique<TcpSink>(*address));
}

}  // namespace ringfence
