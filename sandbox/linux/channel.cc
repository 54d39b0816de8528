#include "sandbox/linux/channel.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/inside.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kMaxPacket = 16384;

int ToNumber(const std::string& field) { return std::atoi(field.c_str()); }

constexpr size_t kMaxSenders = 32;  // beyond this, a new sender replaces the oldest

Status Watch(const UniqueFd& events, const UniqueFd& fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd.get()}};
  return CallStatus(::epoll_ctl(events.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0, "epoll_ctl");
}

}  // namespace

Status SendPacket(const UniqueFd& socket, Message message,
                  const std::vector<std::string_view>& fields, int fd) {
  std::string bytes(1, static_cast<char>(message));
  for (const std::string_view field : fields) {
    bytes += field;
    bytes += '\0';
  }
  if (bytes.size() > kMaxPacket) {
    bytes.resize(kMaxPacket);
    bytes.back() = '\0';
  }
  iovec part{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (fd >= 0) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  }
  for (;;) {
    if (::sendmsg(socket.get(), &header, MSG_NOSIGNAL) >= 0) return Unit{};
    if (errno != EINTR) return SystemError("sendmsg(channel)");
  }
}

Status SendFailure(const UniqueFd& socket, const SetupFailure& failure) {
  const Error& error = failure.error;
  const int about = static_cast<int>(error.about);
  const std::string lacks =
      failure.lacks ? std::to_string(static_cast<int>(*failure.lacks)) : std::string();
  return SendPacket(socket, Message::kFailed,
                    {failure.step, error.where, error.what, std::to_string(error.code),
                     std::to_string(about), lacks});
}

SetupFailure FailureIn(const Packet& packet) {
  std::vector<std::string> fields = packet.fields;
  constexpr size_t kFields = 6;
  fields.resize(kFields);
  const auto about = static_cast<Error::About>(ToNumber(fields[4]));
  SetupFailure failure{
      fields[0],
      Error{Error::Kind::kSystem, fields[1], fields[2], "", ToNumber(fields[3]), about},
      {}};
  if (!fields[5].empty()) failure.lacks = static_cast<Feature>(ToNumber(fields[5]));
  return failure;
}

Result<Packet> ReceivePacket(const UniqueFd& socket) {
  std::array<char, kMaxPacket> bytes;  // NOLINT(*-member-init): only received bytes are read
  iovec part{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t got = -1;
  do {
    got = ::recvmsg(socket.get(), &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return SystemError("recvmsg(channel)");
  if (got == 0) return SystemError("recvmsg(channel)", EPIPE);
  Packet packet;
  packet.message = static_cast<Message>(bytes[0]);
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(c), sizeof fd);
    packet.fd = UniqueFd(fd);
  }
  std::string field;
  for (const char c : std::string_view(bytes.data(), static_cast<size_t>(got)).substr(1)) {
    if (c != '\0') {
      field += c;
    } else {
      packet.fields.push_back(std::move(field));
      field.clear();
    }
  }
  return packet;
}

Status AuditReceiver::Open() {
  socket_ = UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return CallStatus(socket_.valid(), "socket(audit)");
}

Status AuditReceiver::Listen(RunObserver& observer) {
  observer_ = &observer;
  UniqueFd events(::epoll_create1(EPOLL_CLOEXEC));
  if (!events.valid()) return SystemError("epoll_create1");
  if (Status s = Watch(events, socket_); !s) return s;
  events_ = std::move(events);
  return Unit{};
}

void AuditReceiver::Serve() {
  std::array<epoll_event, kMaxSenders> ready{};
  const int count = ::epoll_wait(events_.get(), ready.data(), ready.size(), 0);
  for (int i = 0; i < count; ++i) {
    const int fd = ready.at(static_cast<size_t>(i)).data.fd;
    if (fd == socket_.get()) continue;
    const auto sender = std::ranges::find(senders_, fd, &UniqueFd::get);
    if (sender == senders_.end()) continue;
    Answer(*sender);
    senders_.erase(sender);
  }
  Accept();
}

// Runs after the others were served: a new sender can get the number of a closed descriptor.
void AuditReceiver::Accept() {
  for (size_t i = 0; i < kMaxSenders; ++i) {
    UniqueFd sender(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!sender.valid()) return;
    if (senders_.size() == kMaxSenders) senders_.pop_front();
    if (Watch(events_, sender)) senders_.push_back(std::move(sender));
  }
}

void AuditReceiver::Answer(const UniqueFd& sender) const {
  std::string line(kMaxAuditLine, '\0');
  const ssize_t size = ::recv(sender.get(), line.data(), line.size(), MSG_TRUNC);
  const bool is_whole = size > 0 && static_cast<size_t>(size) <= line.size();
  line.resize(is_whole ? static_cast<size_t>(size) : 0);
  const char answer = is_whole && observer_->TakeLine(line) ? '1' : '0';
  ::send(sender.get(), &answer, 1, MSG_NOSIGNAL);
}

}  // namespace ringfence
