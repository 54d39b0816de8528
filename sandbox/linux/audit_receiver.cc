#include "sandbox/linux/audit_receiver.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/inside.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kMaxSenders = 32;  // beyond this, a new sender replaces the oldest

Status Watch(const UniqueFd& events, const UniqueFd& fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd.get()}};
  return CallStatus(::epoll_ctl(events.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0, "epoll_ctl");
}

}  // namespace

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
