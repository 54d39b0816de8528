#include "proxy/parent/parent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message_socket.h"
#include "base/syscall.h"
#include "proxy/link/control.h"
#include "proxy/link/messages.h"
#include "proxy/parent/session.h"

namespace ringfence {
namespace {

constexpr int kTick = 1000;                                // milliseconds
constexpr int64_t kLastsFor = int64_t{2} * 1'000'000'000;  // without a session
constexpr int64_t kAcceptPause = int64_t{1} * 1'000'000'000;
constexpr size_t kMaxLaunchers = 1024;
constexpr size_t kMaxNetworks = 256;
constexpr size_t kUsuallyPolled = 8;  // descriptors of a session

class Parent {
 public:
  Parent(UniqueFd listening, UniqueFd folder)
      : listening_(std::move(listening)),
        folder_(std::move(folder)),
        used_at_(Nanoseconds(CLOCK_MONOTONIC)) {}

  int Serve() {
    for (;;) {
      ServeOnce();
      DropUnused();
      if (IsIdle() && Leave()) return 0;
    }
  }

 private:
  struct Launcher {
    UniqueFd socket;
    uint64_t session = 0;  // its id; 0 before it has named one, and after its end
    // A status that is being sent has no room now; its sessions up to this one have been sent.
    bool wants_status = false;
    uint64_t told = 0;
  };

  void ServeOnce() {
    const bool accepts = Nanoseconds(CLOCK_MONOTONIC) >= accepts_at_;
    std::vector<pollfd> polled{{accepts ? listening_.get() : -1, POLLIN, 0}};
    polled.reserve(1 + launchers_.size() + kUsuallyPolled * sessions_.size());
    const size_t launcher_count = launchers_.size();
    for (const Launcher& launcher : launchers_) {
      const short events = launcher.wants_status ? POLLOUT : POLLIN;
      polled.push_back({launcher.socket.get(), events, 0});
    }
    for (const Session& session : sessions_) session.AddPolled(polled);
    if (::poll(polled.data(), polled.size(), kTick) < 0) return;
    std::span<const pollfd> of_sessions = std::span(polled).subspan(1 + launcher_count);
    std::vector<uint64_t> ended;
    for (Session& session : sessions_) {
      if (!session.Serve(of_sessions)) ended.push_back(session.id());
    }
    for (const uint64_t id : ended) End(id);
    std::vector<int> gone;
    for (size_t i = 0; i < launcher_count; ++i) {
      if (polled[1 + i].revents != 0 && !HearLauncher(i)) gone.push_back(polled[1 + i].fd);
    }
    for (const int launcher : gone) Drop(launcher);
    if (polled[0].revents != 0) Accept();
  }

  void Accept() {
    // Nonblocking: a launcher that the user has stopped hears nothing, and holds up no other.
    UniqueFd socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid() && (errno == EMFILE || errno == ENFILE)) return RefuseOne();
    if (!socket.valid() && errno != EAGAIN) {
      accepts_at_ = Nanoseconds(CLOCK_MONOTONIC) + kAcceptPause;
      return;
    }
    ucred peer{};
    socklen_t size = sizeof peer;
    const bool is_own = socket.valid() &&
                        ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
                        peer.uid == ::geteuid();
    if (is_own && launchers_.size() < kMaxLaunchers) launchers_.push_back({std::move(socket)});
  }

  // Out of descriptors: refuses one waiting launcher, so that poll(2) does not report it for ever.
  void RefuseOne() {
    spare_ = UniqueFd();
    const bool is_refused =
        UniqueFd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)).valid();
    spare_ = SpareDescriptor();
    if (!is_refused || !spare_.valid()) accepts_at_ = Nanoseconds(CLOCK_MONOTONIC) + kAcceptPause;
  }

  UniqueFd SpareDescriptor() const {
    return UniqueFd(::fcntl(listening_.get(), F_DUPFD_CLOEXEC, 0));
  }

  // Returns false if the connection has ended or makes no sense.
  bool HearLauncher(size_t index) {
    if (launchers_[index].wants_status) return SendStatus(launchers_[index]);
    Result<SocketMessage> message = ReceiveSocketMessage(launchers_[index].socket.get());
    if (!message) return false;
    switch (static_cast<LauncherMessage>(message->type)) {
      case LauncherMessage::kJoin:
        return Join(launchers_[index], *message);
      case LauncherMessage::kCreate:
        return Create(launchers_[index], *message);
      case LauncherMessage::kStatus:
        return SendStatus(launchers_[index]);
      case LauncherMessage::kExisting:
      case LauncherMessage::kNone:
      case LauncherMessage::kRefused:
      case LauncherMessage::kFailed:
      case LauncherMessage::kReached:
      case LauncherMessage::kLost:
      case LauncherMessage::kSessionStatus:
        break;
    }
    return false;
  }

  Session* Find(uint64_t id) {
    const auto found = std::ranges::find(sessions_, id, &Session::id);
    return found == sessions_.end() ? nullptr : &*found;
  }

  bool Join(Launcher& launcher, SocketMessage& message) {
    const Result<SessionRequest> request = SessionRequest::Of(std::move(message.fields));
    if (!request || message.fds.size() != 1 || launcher.session != 0) return false;
    const auto session = std::ranges::find_if(
        sessions_, [&request](const Session& one) { return one.Admits(*request); });
    if (session == sessions_.end()) {
      // Another launcher may be about to create one. Two networks of a client's session are no
      // harm: the second sandbox only does not see the servers of the first.
      const char none = static_cast<char>(LauncherMessage::kNone);
      return SendSocketMessage(launcher.socket.get(), none, {}).has_value();
    }
    launcher.session = session->id();
    session->Add(launcher.socket.get(), std::move(message.fds.front()));
    return true;
  }

  bool Create(Launcher& launcher, SocketMessage& message) {
    Result<SessionRequest> request = SessionRequest::Of(std::move(message.fields));
    if (!request || message.fds.size() != 1 || launcher.session != 0) return false;
    if (sessions_.size() == kMaxNetworks) return false;
    launcher.session = ++last_session_;
    Session& session = sessions_.emplace_back(launcher.session, std::move(*request),
                                              std::move(message.fds.front()));
    session.Add(launcher.socket.get(), {});
    return true;
  }

  // A launcher that has not yet read all refusals of its command gets the rest later.
  bool SendStatus(Launcher& launcher) const {
    const int socket = launcher.socket.get();
    Status sent = Unit{};
    for (const Session& session : sessions_) {
      if (session.id() <= launcher.told) continue;
      const std::vector<std::string> fields = session.StatusFields();
      const std::vector<std::string_view> views(fields.begin(), fields.end());
      const char status = static_cast<char>(LauncherMessage::kSessionStatus);
      sent = SendSocketMessage(socket, status, views);
      if (!sent) break;
      launcher.told = session.id();
    }
    if (sent) sent = SendSocketMessage(socket, static_cast<char>(LauncherMessage::kNone), {});
    launcher.wants_status = !sent && sent.error().code == EAGAIN;
    if (sent) launcher.told = 0;
    return sent || launcher.wants_status;
  }

  void Drop(int launcher) {
    const auto is_it = [launcher](const Launcher& one) { return one.socket.get() == launcher; };
    const auto found = std::ranges::find_if(launchers_, is_it);
    if (Session* session = Find(found->session)) session->Remove(launcher);
    launchers_.erase(found);
  }

  void End(uint64_t id) {
    const auto found = std::ranges::find(sessions_, id, &Session::id);
    found->TellEnd();
    for (Launcher& launcher : launchers_) {
      if (launcher.session == id) launcher.session = 0;
    }
    sessions_.erase(found);
  }

  // Closing the channels of a session ends its broker and its holder.
  void DropUnused() {
    const int64_t now = Nanoseconds(CLOCK_MONOTONIC);
    std::erase_if(sessions_, [now](const Session& session) { return !session.IsUsed(now); });
    if (!sessions_.empty() || !launchers_.empty()) used_at_ = now;
  }

  bool IsIdle() const { return Nanoseconds(CLOCK_MONOTONIC) - used_at_ > kLastsFor; }

  // Takes the socket's name away, under the lock with which launchers start a proxy. A launcher
  // that has connected before is served.
  bool Leave() {
    const UniqueFd lock(::openat(folder_.get(), std::string(kControlLock).c_str(),
                                 O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!lock.valid()) return true;  // the directory is gone
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
    const std::string name = ControlSocketName();
    const std::string leaving = "leaving-" + name;
    const int folder = folder_.get();
    if (::renameat(folder, name.c_str(), folder, leaving.c_str()) != 0) return true;
    pollfd waiting{.fd = listening_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 0) == 0) {
      ::unlinkat(folder, leaving.c_str(), 0);
      return true;
    }
    ::renameat(folder, leaving.c_str(), folder, name.c_str());
    used_at_ = Nanoseconds(CLOCK_MONOTONIC);
    return false;
  }

  UniqueFd listening_;
  UniqueFd folder_;
  UniqueFd spare_ = SpareDescriptor();
  std::vector<Launcher> launchers_;
  std::vector<Session> sessions_;
  uint64_t last_session_ = 0;
  int64_t accepts_at_ = 0;  // nanoseconds, CLOCK_MONOTONIC
  int64_t used_at_;         // nanoseconds, CLOCK_MONOTONIC
};

}  // namespace

int ServeSessions(UniqueFd listening, UniqueFd folder) {
  std::signal(SIGCHLD, SIG_IGN);  // brokers leave no zombies
  return Parent(std::move(listening), std::move(folder)).Serve();
}

}  // namespace ringfence
