#include "base/message_socket.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/syscall.h"

namespace ringfence {
namespace {

#ifdef MSG_CMSG_CLOEXEC
constexpr int kReceiveFlags = MSG_CMSG_CLOEXEC;
#else
constexpr int kReceiveFlags = 0;
#endif
#ifdef MSG_NOSIGNAL
constexpr int kSendFlags = MSG_NOSIGNAL;
#else
constexpr int kSendFlags = 0;  // MakeSocketPair() sets SO_NOSIGPIPE
#endif

using Rights = std::array<char, CMSG_SPACE(kMaxSocketMessageFds * sizeof(int))>;

void Attach(msghdr& header, Rights& rights, std::span<const int> fds) {
  const size_t size = fds.size() * sizeof(int);
  header.msg_control = rights.data();
  header.msg_controllen = static_cast<decltype(header.msg_controllen)>(CMSG_SPACE(size));
  cmsghdr* control = CMSG_FIRSTHDR(&header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = static_cast<decltype(control->cmsg_len)>(CMSG_LEN(size));
  std::memcpy(CMSG_DATA(control), fds.data(), size);
}

std::vector<UniqueFd> AttachedTo(msghdr& header) {
  std::vector<UniqueFd> fds;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    fds.reserve(fds.size() + count);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return fds;
}

}  // namespace

Status SendSocketMessage(int socket, char type, std::span<const std::string_view> fields,
                         std::span<const int> fds) {
  std::string bytes(1, type);
  for (const std::string_view field : fields) {
    bytes += field;
    bytes += '\0';
  }
  if (bytes.size() > kMaxSocketMessage || fds.size() > kMaxSocketMessageFds) {
    return SystemError("sendmsg", EMSGSIZE);
  }
  iovec part{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) Rights rights{};
  if (!fds.empty()) Attach(header, rights, fds);
  for (;;) {
    if (::sendmsg(socket, &header, kSendFlags) >= 0) return Unit{};
    if (errno != EINTR) return SystemError("sendmsg");
  }
}

Result<SocketMessage> ReceiveSocketMessage(int socket) {
  std::array<char, kMaxSocketMessage> bytes;  // NOLINT(*-member-init): only received bytes are read
  iovec part{bytes.data(), bytes.size()};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) Rights rights;  // NOLINT(*-member-init)
  header.msg_control = rights.data();
  header.msg_controllen = rights.size();
  ssize_t got = -1;
  do {
    got = ::recvmsg(socket, &header, kReceiveFlags);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return SystemError("recvmsg");
  SocketMessage message{.fds = AttachedTo(header)};
  if (got == 0) return SystemError("recvmsg", EPIPE);
  message.type = bytes[0];
  std::string field;
  for (const char c : std::string_view(bytes.data(), static_cast<size_t>(got)).substr(1)) {
    if (c != '\0') {
      field.push_back(c);
      continue;
    }
    message.fields.push_back(std::move(field));
    field.clear();
  }
  return message;
}

}  // namespace ringfence
