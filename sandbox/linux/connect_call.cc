#include <arpa/inet.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
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

// The port of a TCP or UDP address outside the caller's loopback; 0 for any other address.
uint16_t OutsidePort(const SupervisedCaller& caller, uint64_t at, uint64_t size) {
  sockaddr_in6 address{};
  if (size < sizeof(sockaddr_in) || size > sizeof(sockaddr_storage)) return 0;
  const Result<std::string> bytes = caller.ReadBytes(at, std::min<uint64_t>(size, sizeof address));
  if (!bytes) return 0;
  std::memcpy(&address, bytes->data(), bytes->size());
  if (address.sin6_family == AF_INET) {
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, bytes->data(), sizeof ipv4);
    const uint32_t host = ntohl(ipv4.sin_addr.s_addr);
    return host >> 24 == IN_LOOPBACKNET || host == INADDR_ANY ? 0 : ntohs(ipv4.sin_port);
  }
  const bool is_ipv6 = address.sin6_family == AF_INET6 && bytes->size() == sizeof address;
  const in6_addr& host = address.sin6_addr;
  if (!is_ipv6 || IN6_IS_ADDR_LOOPBACK(&host) || IN6_IS_ADDR_UNSPECIFIED(&host)) return 0;
  const bool is_mapped = IN6_IS_ADDR_V4MAPPED(&host);
  return is_mapped && host.s6_addr[12] == IN_LOOPBACKNET ? 0 : ntohs(address.sin6_port);
}

bool IsUsualPort(uint16_t port) {
  constexpr uint16_t kDns = 53;
  return port == kDns || std::ranges::find(kUsualPorts, port) != std::end(kUsualPorts);
}

}  // namespace

void AnswerConnect(const CallArguments& arguments) {
  const SupervisedCaller& caller = arguments.caller();
  Supervision::Network& network = caller.supervision().network;
  const uint64_t size = arguments.raw_flags() & 0xFFFFFFFF;
  const uint16_t port = OutsidePort(caller, arguments.path_address(), size);
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
