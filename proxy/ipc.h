// Messages between the broker and the worker of a session (base/message_socket.h). The worker
// parses what comes from the sandbox and the hosts, and may be taken over by it; the broker
// decides, dials and logs. So the broker believes the worker nothing but what a connection was used
// for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

enum class WorkerMessage : char {
  // From the worker. Numbers are decimal.
  kOpen = 'o',    // id, protocol, host, port: asks for a connection
  kAssess = 'a',  // the same for another request on a connection: then the id that opened it
  // The same as kAssess, without an answer: the broker has just permitted this target (kReliedOn).
  kReuse = 'u',
  // The end of what one of these began: id, method, path, status, bytes up, bytes down,
  // milliseconds, note.
  kDone = 'd',
  // id, protocol, host (may be ""), port, reason: refused for its form. Answered by kNoted unless
  // the id is 0.
  kRefused = 'r',
  kReady = 'y',  // the worker is confined and serves
  // From the broker
  kListen = 'l',   // names, with their sockets (HolderMessage::kNetwork)
  kGranted = 'g',  // id, address; with the connected socket after kOpen
  kDenied = 'n',   // id, DenialKind, sentence
  kNoted = 't',    // id: a refusal is logged, and the launchers have been told
};

enum class DenialKind : char {
  kPolicy = 'p',
  kNoAddress = 'a',  // the name does not resolve, or only to addresses that are refused
  kUnreachable = 'u',
  kUpstream = 'x',  // the proxy of network.upstream refuses, or cannot be used
  kBusy = 'b',      // a limit of the proxy
};

// How the sandbox reached the proxy; also in the log.
inline constexpr std::string_view kHttpProtocol = "http";
inline constexpr std::string_view kTlsProtocol = "tls";          // transparent
inline constexpr std::string_view kConnectProtocol = "connect";  // explicit tunnel
inline constexpr std::string_view kSocksProtocol = "socks5";
inline constexpr std::string_view kTcpProtocol = "tcp";  // transparent, anything else
inline constexpr std::string_view kDnsProtocol = "dns";

}  // namespace ringfence
