#include "proxy/parent/session.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/program.h"
#include "base/socket_pair.h"
#include "base/syscall.h"
#include "proxy/link/messages.h"

namespace ringfence {
namespace {

constexpr int kMessagesOfBroker = 4096;  // messages, before other sessions get their turn
// A session's network is kept this long without a sandbox, in nanoseconds: the next command then
// starts faster. Nothing else is lost with it, since no process is left in it.
constexpr int64_t kNetworkLifetime = int64_t{5} * 1'000'000'000;
// With so many sockets the broker is started although nothing has used them: all sessions share the
// parent's descriptors.
constexpr size_t kMaxKept = 200;
static_assert(kMaxKept < kMaxSocketMessageFds);

std::vector<std::string_view> Views(const std::vector<std::string>& fields) {
  return {fields.begin(), fields.end()};
}

std::vector<int> Numbers(const std::vector<UniqueFd>& fds) {
  std::vector<int> numbers;
  numbers.reserve(fds.size());
  for (const UniqueFd& fd : fds) numbers.push_back(fd.get());
  return numbers;
}

// Starts this program again, so that a broker has no memory of other sessions.
Status SpawnSelf(const UniqueFd& channel) {
  // By this name even after an update has replaced the file: the broker must match the parent.
  constexpr const char* kProgram = "/proc/self/exe";
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  const UniqueFd high(::fcntl(channel.get(), F_DUPFD_CLOEXEC, kListeningFd + 1));
  ::posix_spawn_file_actions_adddup2(&actions, high.get(), kListeningFd);
  std::vector<std::string> arguments{"ringfence-proxy", "session"};
  char* const no_environment[] = {nullptr};
  pid_t child = -1;
  const int code = ::posix_spawn(&child, kProgram, &actions, nullptr,
                                 ArgumentPointers(arguments).data(), no_environment);
  ::posix_spawn_file_actions_destroy(&actions);
  return code == 0 ? Status(Unit{}) : SystemError("start " + std::string(kProgram), code);
}

}  // namespace

void Session::AddPolled(std::vector<pollfd>& polled) const {
  polled.push_back({holder_.get(), static_cast<short>(IsBlocked() ? 0 : POLLIN), 0});
  if (broker_.valid()) {
    const int events = IsBlocked() && !lacks_references_ ? POLLIN | POLLOUT : POLLIN;
    return polled.push_back({broker_.get(), static_cast<short>(events), 0});
  }
  for (const UniqueFd& socket : sockets_.fds) polled.push_back({socket.get(), POLLIN, 0});
}

bool Session::Serve(std::span<const pollfd>& polled) {
  const size_t others = broker_.valid() ? 1 : sockets_.fds.size();
  const std::span<const pollfd> own = polled.first(1 + others);
  polled = polled.subspan(1 + others);
  const auto has_event = [](const pollfd& one) { return one.revents != 0; };
  const bool is_used = std::ranges::any_of(own.subspan(1), has_event);
  if (is_used && !(broker_.valid() ? HearBroker() : StartBroker().has_value())) return false;
  if (IsBlocked() && !PassSockets()) return false;
  return !has_event(own.front()) || HearHolder();
}

Status Session::StartBroker() {
  Result<SocketPair> channel = MakeSocketPair(SOCK_SEQPACKET);
  if (!channel) return channel.error();
  if (Status s = SpawnSelf(channel->other); !s) return s;
  broker_ = std::move(channel->own);
  if (::fcntl(broker_.get(), F_SETFL, O_NONBLOCK) != 0) return SystemError("fcntl(broker)");
  const char session = static_cast<char>(BrokerMessage::kSession);
  if (Status s = SendSocketMessage(broker_.get(), session, request_.Fields()); !s) return s;
  return PassSockets();
}

// Keeps them if the broker has no room for them now.
Status Session::PassSockets() {
  Status sent = SendSocketMessage(broker_.get(), static_cast<char>(BrokerMessage::kNetwork),
                                  Views(sockets_.fields), Numbers(sockets_.fds));
  lacks_references_ = !sent && sent.error().code == ETOOMANYREFS;
  if (lacks_references_ || (!sent && sent.error().code == EAGAIN)) return Unit{};
  sockets_ = {};
  return sent;
}

bool Session::Admits(const SessionRequest& other) const {
  if (request_.key != other.key) return false;
  return request_.is_shared || (launchers_.empty() && is_free_);
}

void Session::Add(int launcher, UniqueFd member) {
  launchers_.push_back(launcher);
  is_free_ = false;
  if (!member.valid()) return;  // it has created the network
  if (user_.valid()) {
    Admit({launcher, std::move(member)});
  } else {
    waiting_.push_back({launcher, std::move(member)});
  }
}

// A launcher or holder that has ended is noticed elsewhere.
void Session::Admit(const JoiningSandbox& sandbox) const {
  const int member[] = {sandbox.member.get()};
  const int namespaces[] = {user_.get(), net_.get()};
  [[maybe_unused]] const Status passed =
      SendSocketMessage(holder_.get(), static_cast<char>(HolderMessage::kMember), {}, member);
  const Status answered = SendSocketMessage(
      sandbox.launcher, static_cast<char>(LauncherMessage::kExisting), {}, namespaces);
  if (!answered) ::shutdown(sandbox.launcher, SHUT_RDWR);  // it waits for the answer
}

void Session::Remove(int launcher) {
  std::erase(launchers_, launcher);
  std::erase_if(waiting_,
                [=](const JoiningSandbox& sandbox) { return sandbox.launcher == launcher; });
  left_at_ = Nanoseconds(CLOCK_MONOTONIC);
}

bool Session::HearHolder() {
  Result<SocketMessage> message = ReceiveSocketMessage(holder_.get());
  if (!message) return false;
  if (message->type == static_cast<char>(HolderMessage::kFree)) is_free_ = true;
  if (message->type != static_cast<char>(HolderMessage::kNetwork)) return true;
  const size_t count = std::min(message->fields.size(), message->fds.size());
  for (size_t i = 0; i < count; ++i) {
    std::string& name = message->fields[i];
    UniqueFd& fd = message->fds[i];
    if (name == kUserNamespace) {
      user_ = std::move(fd);
    } else if (name == kNetNamespace) {
      net_ = std::move(fd);
    } else {
      sockets_.fields.push_back(std::move(name));
      sockets_.fds.push_back(std::move(fd));
    }
  }
  const bool starts = !broker_.valid() && sockets_.fds.size() > kMaxKept;
  if (user_.valid()) {
    for (const JoiningSandbox& sandbox : std::exchange(waiting_, {})) Admit(sandbox);
  }
  if (starts) return StartBroker().has_value();
  return !broker_.valid() || PassSockets().has_value();
}

// Takes all that is there: what a broker says before it answers a program reaches the launcher
// before the launcher asks for it (ProxyAccess::HearRest).
bool Session::HearBroker() {
  for (int i = 0; i < kMessagesOfBroker; ++i) {
    Result<SocketMessage> message = ReceiveSocketMessage(broker_.get());
    if (!message) return message.error().code == EAGAIN;
    if (message->type == static_cast<char>(BrokerMessage::kCounts)) {
      counts_ = std::move(message->fields);
    } else if (message->type == static_cast<char>(BrokerMessage::kRefused)) {
      TellAll(LauncherMessage::kRefused, message->fields);
    } else if (message->type == static_cast<char>(BrokerMessage::kFailed)) {
      TellAll(LauncherMessage::kFailed, message->fields);
    } else if (message->type == static_cast<char>(BrokerMessage::kReached)) {
      TellAll(LauncherMessage::kReached, message->fields);
    }
  }
  return true;
}

// A stopped launcher takes no message. The shutdown tells it when it continues.
void Session::TellEnd() const {
  const std::vector<std::string_view> why{"the proxy of this session has ended"};
  for (const int launcher : launchers_) {
    if (!SendSocketMessage(launcher, static_cast<char>(LauncherMessage::kLost), why)) {
      ::shutdown(launcher, SHUT_RDWR);
    }
  }
}

void Session::TellAll(LauncherMessage type, const std::vector<std::string>& fields) const {
  for (const int launcher : launchers_) {
    [[maybe_unused]] const Status told =
        SendSocketMessage(launcher, static_cast<char>(type), Views(fields));
  }
}

bool Session::IsUsed(int64_t now) const {
  if (!launchers_.empty()) return true;
  return now - left_at_ < kNetworkLifetime;
}

std::vector<std::string> Session::StatusFields() const {
  std::vector<std::string> fields{request_.key, request_.name, std::to_string(launchers_.size())};
  fields.insert(fields.end(), counts_.begin(), counts_.end());
  return fields;
}

}  // namespace ringfence
