#include "sandbox/linux/channel.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "base/inside.h"
#include "base/message_socket.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

int ToNumber(const std::string& field) { return std::atoi(field.c_str()); }

constexpr size_t kMaxSenders = 32;  // beyond this, a new sender replaces the oldest

Status Watch(const UniqueFd& events, const UniqueFd& fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd.get()}};
  return CallStatus(::epoll_ctl(events.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0, "epoll_ctl");
}

}  // namespace

Status SendPacket(const UniqueFd& socket, Message message,
                  const std::vector<std::string_view>& fields, int fd) {
  std::vector<std::string_view> sent;
  sent.reserve(fields.size());
  size_t left = kMaxSocketMessage - 1;
  for (const std::string_view field : fields) {
    if (left == 0) break;
    sent.push_back(field.substr(0, left - 1));
    left -= sent.back().size() + 1;
  }
  const int attached[] = {fd};
  return SendSocketMessage(socket.get(), static_cast<char>(message), sent,
                           fd < 0 ? std::span<const int>() : attached);
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
  Result<SocketMessage> message = ReceiveSocketMessage(socket.get());
  if (!message) return message.error();
  Packet packet{static_cast<Message>(message->type), std::move(message->fields), {}};
  if (!message->fds.empty()) packet.fd = std::move(message->fds.front());
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
  std::optional<std::string> text;
  if (is_whole) text = observer_->TakePacket(line);
  const std::string reply = text ? kLauncherAccepts + *text : "0";
  ::send(sender.get(), reply.data(), reply.size(), MSG_NOSIGNAL);
}

}  // namespace ringfence
