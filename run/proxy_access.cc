#include "run/proxy_access.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/message_socket.h"
#include "base/program.h"
#include "base/sha256.h"
#include "base/socket_pair.h"
#include "base/state_file.h"
#include "base/syscall.h"
#include "base/text.h"
#include "hook/wrap.h"
#include "policy/load/sources.h"
#include "proxy/link/control.h"
#include "proxy/link/messages.h"
#include "run/remedy.h"
#include "run/system_calls.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// Commands of a session share a network if the same policy applies to them: a subagent with a
// profile of its own gets another one. A command without a session shares its network with no
// other, but uses that of an earlier one again.
SessionRequest SessionOf(const RunRequest& request, const std::string& own_name) {
  Event caller = request.caller;
  if (!own_name.empty()) caller.session_id = own_name;
  SessionRequest session;
  session.name = caller.session_id;
  session.is_shared = !session.name.empty() && own_name.empty();
  session.is_agent = request.command.is_agent;
  session.is_trial = request.command.is_trial;
  session.words = WrapWords(request.context.registration, caller);
  Event named;
  named.session_id = session.name;
  std::string text = request.policy.profile + (session.is_agent ? " agent" : "") +
                     (session.is_trial ? " trial" : "");
  for (const std::string& word : WrapWords(request.context.registration, named)) {
    text += '\0' + word;
  }
  session.key = Sha256Hex(text);
  return session;
}

// Returns the error of a message to the proxy, which may have ended: it cannot run, for example.
Error ProxyError(const Error& error) {
  if (error.code == ETOOMANYREFS) {
    return Error{Error::Kind::kSystem, "the egress proxy",
                 "a program of this user keeps too many descriptors in messages of Unix sockets",
                 "end that program, and run the command again", error.code};
  }
  if (error.code != EPIPE && error.code != ECONNRESET) return error;
  return Error{Error::Kind::kSystem, "the egress proxy", "has ended", "", EPIPE};
}

// Asks for an existing network. Returns an entry without namespaces if there is none.
Result<NetworkEntry> Join(const UniqueFd& proxy, const SessionRequest& session) {
  Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
  if (!pair) return pair.error();
  const int holders[] = {pair->other.get()};
  const char join = static_cast<char>(LauncherMessage::kJoin);
  if (Status s = SendSocketMessage(proxy.get(), join, session.Fields(), holders); !s) {
    return ProxyError(s.error());
  }
  Result<SocketMessage> answer = ReceiveSocketMessage(proxy.get());
  if (!answer) return ProxyError(answer.error());
  NetworkEntry entry;
  if (answer->type == static_cast<char>(LauncherMessage::kExisting) && answer->fds.size() == 2) {
    entry.user = std::move(answer->fds[0]);
    entry.net = std::move(answer->fds[1]);
    entry.holder = std::move(pair->own);
  }
  return entry;
}

Result<NetworkEntry> Create(const UniqueFd& proxy, const SessionRequest& session) {
  Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
  if (!pair) return pair.error();
  const int holder[] = {pair->other.get()};
  const char create = static_cast<char>(LauncherMessage::kCreate);
  if (Status s = SendSocketMessage(proxy.get(), create, session.Fields(), holder); !s) {
    return ProxyError(s.error());
  }
  NetworkEntry entry;
  entry.proxy = std::move(pair->own);
  return entry;
}

// Returns 128 random bits, in hexadecimal.
Result<std::string> NewRandomName() {
  std::array<unsigned char, kAgentDigits / 2> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) {
    return SystemError("getrandom");
  }
  std::string text;
  for (const unsigned char byte : bytes) AppendHex(text, byte, 2);
  return text;
}

// Creates and locks a file in the folder of the sessions' grants.
Result<UniqueFd> HoldFile(const Path& file) {
  constexpr int kLevels = 4;  // ~/.local/state/ringfence/sessions
  if (Status s = MakeFolders(file.Parent(), kLevels); !s) return s.error();
  Result<UniqueFd> fd = OpenStateFile(file, StateWrites::kAnywhere);
  if (!fd) return fd;
  const Result<bool> is_held = LockFile(fd->get(), 1);
  if (!is_held) return is_held.error();
  if (!*is_held) return SystemError("flock(" + file.text() + ")", EWOULDBLOCK);
  return fd;
}

// A socket at a port of the host's loopback; the kernel chooses the port if it is 0.
Result<UniqueFd> BindToLoopback(uint16_t& port) {
  UniqueFd bound = NewSocket(AF_INET, SOCK_STREAM);
  if (!bound.valid() || ::fcntl(bound.get(), F_SETFL, O_NONBLOCK) != 0)
    return SystemError("socket(proxy port)");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  void* bytes = &address;
  auto* own = static_cast<sockaddr*>(bytes);
  socklen_t size = sizeof address;
  if (::bind(bound.get(), own, size) != 0) return SystemError("bind(proxy port)");
  if (::getsockname(bound.get(), own, &size) != 0) return SystemError("getsockname");
  port = ntohs(address.sin_port);
  return bound;
}

// A listener on the host's loopback, which holds its port even after shutdown(2): the kernel lets
// go of a port that it chose itself.
Result<UniqueFd> ListenOnLoopback(uint16_t& port) {
  constexpr int kWaiting = 4096;  // connections; the kernel lowers it to net.core.somaxconn
  for (int tries = 16;; --tries) {
    port = 0;
    if (Result<UniqueFd> chosen = BindToLoopback(port); !chosen) return chosen.error();
    Result<UniqueFd> listener = BindToLoopback(port);
    // Another program can have taken the port in the meantime.
    if (!listener && listener.error().code == EADDRINUSE && tries > 0) continue;
    if (!listener) return listener.error();
    if (::listen(listener->get(), kWaiting) != 0) return SystemError("listen(proxy port)");
    return listener;
  }
}

}  // namespace

Result<NetworkEntry> ProxyAccess::OpenPort(SessionRequest session) {
  NetworkEntry entry;
  Result<std::string> credential = NewRandomName();
  if (!credential) return credential.error();
  Result<UniqueFd> listener = ListenOnLoopback(entry.port.port);
  if (!listener) return listener.error();
  entry.port.credential = *credential;
  session.credential = std::move(*credential);
  session.is_shared = false;
  session.key = Sha256Hex(session.key + " by port " + session.credential);
  Result<NetworkEntry> created = Create(connection_, session);
  if (!created) return created.error();
  port_holder_ = std::move(created->proxy);
  const int listeners[] = {listener->get()};
  const std::string_view names[] = {kExplicitListener};
  const char network = static_cast<char>(HolderMessage::kNetwork);
  const Status sent = SendSocketMessage(port_holder_.get(), network, names, listeners);
  if (!sent) return sent.error();
  listener_ = std::move(*listener);
  return entry;
}

ProxyAccess::~ProxyAccess() {
  const std::vector<Path>& homes = request_.context.places.homes;
  if (own_session_.empty() || homes.empty()) return;
  const std::string home = homes.front().text();
  ::unlink(SessionGrantsPath(home, own_session_).c_str());
  if (running_.valid()) ::unlink(AgentLockPath(home, own_session_).c_str());
}

// What names a session inside is untrusted, and it changes while the agent runs.
Status ProxyAccess::NameOwnSession() {
  const bool needs_name = request_.command.is_agent && request_.caller.session_id.empty();
  if (!needs_name || !own_session_.empty()) return Unit{};
  Result<std::string> name = NewRandomName();
  if (!name) return name.error();
  own_session_ = std::string(kAgentName) + *name;
  MarkAsRunning();
  return Unit{};
}

// So that `ringfence allow --session` knows which of the sessions in the log still run. Precedes
// the first refusal.
void ProxyAccess::MarkAsRunning() {
  const std::vector<Path>& homes = request_.context.places.homes;
  if (homes.empty() || request_.command.is_trial) return;
  Result<UniqueFd> held = HoldFile(Path::Clean(AgentLockPath(homes.front().text(), own_session_)));
  if (held) {
    running_ = std::move(*held);
    return;
  }
  report_.Warn("no host can be permitted to this session alone, since it counts as ended: " +
               held.error().text());
}

Result<NetworkEntry> ProxyAccess::Enter(const SandboxPlan& plan) {
  if (Status s = NameOwnSession(); !s) return s.error();
  SessionRequest session = SessionOf(request_, own_session_);
  const Result<std::string> program = ProgramBeside("ringfence-proxy");
  if (!program) return program.error();
  Result<ControlConnection> proxy = ConnectToProxy(ProxyFolder(request_.context.places), *program);
  if (!proxy) return proxy.error();
  connection_ = std::move(proxy->socket);
  is_connected_ = true;
  if (plan.network.is_by_port()) return OpenPort(std::move(session));
  if (!proxy->is_new) {
    Result<NetworkEntry> entry = Join(connection_, session);
    if (!entry || entry->exists()) return entry;
  }
  return Create(connection_, session);
}

void ProxyAccess::Hear() {
  if (!connection_.valid()) return;
  if (!pause_.valid() && BeginPause()) return;
  pause_ = UniqueFd();
  pollfd polled{.fd = connection_.get(), .events = POLLIN, .revents = 0};
  while (::poll(&polled, 1, 0) > 0 && HearOne()) {
  }
}

// Returns false if notices are passed on at once.
bool ProxyAccess::BeginPause() {
  if (request_.command.is_agent) return false;  // its lines come at the end
  constexpr int kPause = 200;                   // milliseconds
  pause_ = MakeTimer(kPause);
  return pause_.valid();
}

bool ProxyAccess::HearOne() {
  Result<SocketMessage> message = ReceiveSocketMessage(connection_.get());
  if (message && message->type == static_cast<char>(LauncherMessage::kNone)) return false;
  if (message) {
    Take(*message);
    return true;
  }
  if (message.error().code == EAGAIN) return false;
  connection_ = UniqueFd();
  Lost("the egress proxy has ended", ProxyHint());
  return false;
}

void ProxyAccess::Take(SocketMessage& message) {
  message.fields.resize(3);
  const std::string& first = message.fields[0];
  const std::string& sentence = message.fields[1];
  if (message.type == static_cast<char>(LauncherMessage::kRefused)) {
    hosts_.Refused(first, sentence, message.fields[2]);
  } else if (message.type == static_cast<char>(LauncherMessage::kFailed)) {
    hosts_.Failed(first, sentence);
  } else if (message.type == static_cast<char>(LauncherMessage::kReached)) {
    hosts_.Reached(first);
  } else if (message.type == static_cast<char>(LauncherMessage::kLost)) {
    Lost(Printable(first), "");
  }
}

void ProxyAccess::Lost(const std::string& why, const std::string& hint) {
  const std::string sentence = why + "; no host can be reached any more";
  report_.Warn(sentence + (hint.empty() ? "" : "; " + hint));
  hosts_.Lost(sentence);
  // Nobody accepts its connections now: refuses them.
  if (listener_.valid()) ::shutdown(listener_.get(), SHUT_RDWR);
}

void ProxyAccess::HearRest() { HearAll({.tv_sec = 2, .tv_usec = 0}); }

// Processes inside can ask for it as often as they like.
void ProxyAccess::CatchUp() {
  constexpr int64_t kPause = 5'000'000;
  const int64_t now = Nanoseconds(CLOCK_MONOTONIC);
  if (now - caught_up_ < kPause) return Hear();
  caught_up_ = now;
  HearAll({.tv_sec = 0, .tv_usec = 200'000});
}

// `patience`: the answer takes microseconds.
void ProxyAccess::HearAll(const timeval& patience) {
  if (!connection_.valid()) return;
  ::setsockopt(connection_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const char status = static_cast<char>(LauncherMessage::kStatus);
  // If the proxy has ended, what it had said can still be heard.
  [[maybe_unused]] const Status asked = SendSocketMessage(connection_.get(), status, {});
  while (HearOne()) {
  }
}

}  // namespace ringfence
