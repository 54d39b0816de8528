#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "base/message_socket.h"
#include "base/read_number.h"
#include "proxy/link/messages.h"
#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

constexpr size_t kMaxKnownPorts = 64;  // a port that is forgotten is asked for again

void ContinueCall(int listener, uint64_t id) {
  seccomp_notif_resp response{};
  response.id = id;
  response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

// The address of a call, as it is in the caller's memory at this moment.
struct Target {
  uint16_t port = 0;  // 0 if the address is no TCP or UDP address
  bool is_ipv6 = false;
  bool is_loopback = false;  // also the unspecified address, which means the loopback
  uint32_t ipv4 = 0;         // in host byte order; also if an IPv6 address contains it; 0 for none
};

Target TargetIn(const std::string& bytes) {
  sockaddr_in6 address{};
  if (bytes.size() < sizeof(sockaddr_in)) return {};
  std::memcpy(&address, bytes.data(), std::min(bytes.size(), sizeof address));
  const auto is_local = [](uint32_t host) {
    return host >> 24 == IN_LOOPBACKNET || host == INADDR_ANY;
  };
  if (address.sin6_family == AF_INET) {
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, bytes.data(), sizeof ipv4);
    const uint32_t host = ntohl(ipv4.sin_addr.s_addr);
    return {.port = ntohs(ipv4.sin_port), .is_loopback = is_local(host), .ipv4 = host};
  }
  if (address.sin6_family != AF_INET6 || bytes.size() < sizeof address) return {};
  const in6_addr& host = address.sin6_addr;
  Target target{.port = ntohs(address.sin6_port), .is_ipv6 = true};
  target.is_loopback = IN6_IS_ADDR_LOOPBACK(&host) || IN6_IS_ADDR_UNSPECIFIED(&host);
  if (!IN6_IS_ADDR_V4MAPPED(&host)) return target;
  std::memcpy(&target.ipv4, &host.s6_addr[12], sizeof target.ipv4);
  target.ipv4 = ntohl(target.ipv4);
  target.is_loopback = is_local(target.ipv4);
  return target;
}

Result<Target> TargetOf(const CallArguments& arguments) {
  const uint64_t size = arguments.raw_flags() & 0xFFFFFFFF;
  if (size > sizeof(sockaddr_storage)) return Errno(EINVAL);
  const Result<std::string> bytes =
      arguments.caller().ReadBytes(arguments.path_address(), static_cast<size_t>(size));
  if (!bytes) return bytes.error();
  return TargetIn(*bytes);
}

// The loopback at `port`, in the form of the caller's address.
sockaddr_in6 LoopbackAddress(uint16_t port, bool is_ipv6) {
  sockaddr_in6 address{};
  if (is_ipv6) {
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    constexpr uint8_t kMapped[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1};
    std::memcpy(&address.sin6_addr, kMapped, sizeof kMapped);
    return address;
  }
  sockaddr_in ipv4{};
  ipv4.sin_family = AF_INET;
  ipv4.sin_port = htons(port);
  ipv4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::memcpy(&address, &ipv4, sizeof ipv4);
  return address;
}

// Connects without waiting. Returns 0 or an errno value.
int ConnectOnce(const UniqueFd& socket, const sockaddr_in6& address) {
  const void* bytes = &address;
  const socklen_t size = address.sin6_family == AF_INET6 ? sizeof address : sizeof(sockaddr_in);
  return ::connect(socket.get(), static_cast<const sockaddr*>(bytes), size) == 0 ? 0 : errno;
}

// The supervisor must not wait for long: the caller's other calls wait for it. A listener on the
// loopback answers before connect(2) returns, unless more connections wait for it than it takes.
int AwaitConnected(const UniqueFd& socket) {
  constexpr int kPatienceMilliseconds = 100;
  pollfd polled{.fd = socket.get(), .events = POLLOUT, .revents = 0};
  if (::poll(&polled, 1, kPatienceMilliseconds) <= 0) return ETIMEDOUT;
  int code = 0;
  socklen_t size = sizeof code;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &size) != 0) return errno;
  return code;
}

int ConnectLike(const UniqueFd& socket, const sockaddr_in6& address) {
  const int flags = ::fcntl(socket.get(), F_GETFL);
  if (flags < 0) return errno;
  if ((flags & O_NONBLOCK) != 0) return ConnectOnce(socket, address);
  // The caller's flags as well: it is the same socket.
  if (::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0) return errno;
  int code = ConnectOnce(socket, address);
  if (code == EINPROGRESS) code = AwaitConnected(socket);
  return ::fcntl(socket.get(), F_SETFL, flags) == 0 ? code : errno;
}

bool IsUsualPort(uint16_t port) {
  constexpr uint16_t kDns = 53;
  return port == kDns || std::ranges::find(kUsualPorts, port) != std::end(kUsualPorts);
}

}  // namespace

void AwaitGateway(const CallArguments& arguments) {
  const SupervisedCaller& caller = arguments.caller();
  Supervision::Network& network = caller.supervision().network;
  const Result<Target> target = TargetOf(arguments);
  const uint16_t port = target && !target->is_loopback ? target->port : 0;
  const bool listens = port == 0 || IsUsualPort(port) || !network.holder.valid() ||
                       std::ranges::find(network.listens, port) != network.listens.end();
  if (listens) return caller.Continue();
  const auto is_asked = [port](const auto& waiting) { return waiting.port == port; };
  if (std::ranges::none_of(network.waiting, is_asked)) {
    const std::string text = std::to_string(port);
    const std::string_view fields[] = {text};
    const char want = static_cast<char>(HolderMessage::kWant);
    if (!SendSocketMessage(network.holder.get(), want, fields)) return caller.Continue();
  }
  network.waiting.push_back({caller.call().id, port});
}

CallResult ConnectToProxyPort(const CallArguments& arguments) {
  const SupervisedCaller& caller = arguments.caller();
  const uint16_t port = caller.supervision().network.proxy_port;
  const Result<Target> target = TargetOf(arguments);
  if (!target) return {target.error().code, ""};
  const Result<UniqueFd> socket = caller.Descriptor(arguments.fd());
  if (!socket) return {socket.error().code, ""};
  if (target->port == port && target->ipv4 == INADDR_LOOPBACK) {
    return {ConnectLike(*socket, LoopbackAddress(port, target->is_ipv6)), ""};
  }
  if (target->is_loopback) return {ECONNREFUSED, ""};
  ReportProgram(caller.supervision(), caller.ProgramName(),
                "it connects to a host directly; with layers landlock, programs reach hosts only "
                "through the proxy that HTTPS_PROXY names");
  return {ENETUNREACH, ""};
}

void ContinueConnects(int listener, Supervision& supervision) {
  Supervision::Network& network = supervision.network;
  const Result<SocketMessage> message = ReceiveSocketMessage(network.holder.get());
  uint16_t port = 0;
  const bool has_port = message && message->fields.size() == 1 &&
                        message->type == static_cast<char>(HolderMessage::kHave) &&
                        ReadNumber(message->fields[0], port);
  // Without the holder the network is gone, and the calls fail as the kernel says.
  if (!has_port) network.holder = UniqueFd();
  std::erase_if(network.waiting, [&](const Supervision::Network::Waiting& waiting) {
    const bool goes_on = !has_port || waiting.port == port;
    if (goes_on) ContinueCall(listener, waiting.call);
    return goes_on;
  });
  if (!has_port) return;
  if (network.listens.size() == kMaxKnownPorts) network.listens.erase(network.listens.begin());
  network.listens.push_back(port);
}

}  // namespace ringfence
