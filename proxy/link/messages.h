// The messages between launchers, network holders and ringfence-proxy (base/message_socket.h), and
// the fixed addresses of a sandbox's network.
//
// A holder owns the network namespaces of a session. The launcher connects to the proxy's control
// socket; its connection stays open for as long as its sandbox lives.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace ringfence {

// The two ends of the link between the command's namespace and the gateway's.
inline constexpr std::array<uint8_t, 4> kInnerAddress = {198, 18, 0, 1};
inline constexpr std::array<uint8_t, 4> kGatewayAddress = {198, 18, 0, 2};
inline constexpr std::string_view kResolverText = "198.18.0.2";  // the gateway's, port 53

// Where the command's own loopback leads to the proxy, for programs that are told of one.
inline constexpr uint16_t kExplicitPort = 3128;

// The user of a session's credential, where the explicit proxy asks for one.
inline constexpr std::string_view kProxyUser = "ringfence";

// Ports with a listener in every gateway: HTTP, HTTPS, SSH, git.
inline constexpr uint16_t kUsualPorts[] = {80, 443, 22, 9418};

// Names of descriptors in HolderMessage::kNetwork; a listener for a port is named by its number.
inline constexpr std::string_view kUserNamespace = "user";
inline constexpr std::string_view kNetNamespace = "net";
inline constexpr std::string_view kExplicitListener = "explicit";
inline constexpr std::string_view kDnsDatagrams = "dns-udp";
inline constexpr std::string_view kDnsListener = "dns-tcp";

enum class HolderMessage : char {
  kNetwork = 'n',  // holder to proxy: names of descriptors, and the descriptors
  kMember = 'm',   // proxy to holder: a descriptor, the socket of another sandbox's supervisor
  kFirst = 'p',    // launcher to holder, on that socket: a pidfd of the sandbox's first process
  kFree = 'e',     // holder to proxy: the processes of all sandboxes have ended
  kReady = 'r',    // holder to supervisor: the network is usable
  kFailed = 'f',   // holder to supervisor: call, what, errno
  kWant = 'w',     // supervisor to holder: a port that a process is about to connect to
  kHave = 'h',     // holder to supervisor: that port; connecting may go on
};

// Between the proxy and the broker of a session.
enum class BrokerMessage : char {
  kSession = 's',  // to the broker: a SessionRequest
  kNetwork = 'n',  // to the broker: as HolderMessage::kNetwork, without the namespaces
  kRefused = 'd',  // from the broker: host:port, a sentence for the user, one for the program
  kFailed = 'u',   // from the broker: the same, of a permitted host that could not be reached
  kReached = 'k',  // from the broker: host:port, which had been refused or had failed before
  kCounts = 't',   // from the broker: open connections; granted, refused, bytes up and down of all
                   // hosts; then a host, and its four numbers, for each
};

// For so long the proxy relies on a permission for further requests to the same host on connections
// that it has, so that each of many short ones need not wait for a decision. `ringfence revoke`
// ends only after that.
constexpr std::chrono::milliseconds kReliedOn{5};

enum class LauncherMessage : char {
  kJoin = 'j',           // to the proxy: a session; a descriptor for HolderMessage::kMember
  kCreate = 'c',         // to the proxy: a session; a descriptor, the new holder's connection
  kExisting = 'e',       // from the proxy: the session's namespaces (user, net) to enter
  kNone = 'z',           // from the proxy: the session has no network yet; send kCreate
  kRefused = 'd',        // from the proxy: as BrokerMessage::kRefused
  kFailed = 'u',         // from the proxy: as BrokerMessage::kFailed
  kReached = 'k',        // from the proxy: as BrokerMessage::kReached
  kLost = 'x',           // from the proxy: the session's network has ended; why
  kStatus = 's',         // to the proxy; answered by kSessionStatus for each session, and kNone
  kSessionStatus = 't',  // key, name, sandboxes, then the fields of BrokerMessage::kCounts
};

}  // namespace ringfence
