#include "proxy/parent/parent.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/syscall.h"
#include "proxy/link/control.h"
#include "tests/proxy/broker/broker_bench.h"

using namespace ringfence;

namespace {

// A parent in a process of its own, as a launcher starts it.
class ParentProcess {
 public:
  ParentProcess() {
    disk_.Directory("proxy");
    REQUIRE(::chmod(disk_.At("proxy").c_str(), 0700) == 0);
    UniqueFd folder = OpenFile(disk_.At("proxy").c_str(), O_PATH | O_DIRECTORY);
    UniqueFd listening(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = SocketPathIn(folder, ControlSocketName());
    REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    REQUIRE(::bind(listening.get(), SocketAddress(address), sizeof address) == 0);
    REQUIRE(::listen(listening.get(), 16) == 0);
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) ::_exit(ServeSessions(std::move(listening), std::move(folder)));
  }
  ~ParentProcess() { Wait(); }
  ParentProcess(const ParentProcess&) = delete;
  ParentProcess& operator=(const ParentProcess&) = delete;

  UniqueFd Connect() const {
    Result<UniqueFd> socket = ConnectToRunningProxy(folder());
    REQUIRE(socket);
    const timeval patience{.tv_sec = kPatience / 1000, .tv_usec = 0};
    REQUIRE(::setsockopt(socket->get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
    return std::move(*socket);
  }
  // It ends soon after the last session.
  int Wait() {
    if (child_ < 0) return status_;
    while (::waitpid(child_, &status_, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    return status_;
  }
  Path folder() const { return *Path::Parse(disk_.At("proxy")); }

 private:
  TemporaryTree disk_;
  pid_t child_ = -1;
  int status_ = -1;
};

void Send(const UniqueFd& socket, LauncherMessage type, const SessionRequest& request,
          const std::vector<int>& fds) {
  const std::vector<std::string_view> fields = request.Fields();
  REQUIRE(SendSocketMessage(socket.get(), static_cast<char>(type), fields, fds));
}

void AskStatus(const UniqueFd& socket) {
  REQUIRE(SendSocketMessage(socket.get(), static_cast<char>(LauncherMessage::kStatus), {}));
}

}  // namespace

TEST_CASE("parent: sessions of launchers, until nobody uses them") {
  ParentProcess parent;
  const SessionRequest request{.key = "key", .name = "name", .is_shared = true};
  SocketPair holder = PatientPair();
  SocketPair member = PatientPair();
  {
    const UniqueFd status = parent.Connect();
    AskStatus(status);
    CHECK(NextText(status) == "z");

    UniqueFd first = parent.Connect();
    Send(first, LauncherMessage::kJoin, request, {member.other.get()});
    CHECK(NextText(first) == "z");
    Send(first, LauncherMessage::kCreate, request, {holder.other.get()});
    holder.other = UniqueFd();
    const UniqueFd null = OpenFile("/dev/null", O_RDONLY);
    const int namespaces[] = {null.get(), null.get()};
    const std::string_view names[] = {kUserNamespace, kNetNamespace};
    REQUIRE(SendSocketMessage(holder.own.get(), 'n', names, namespaces));

    const UniqueFd second = parent.Connect();
    Send(second, LauncherMessage::kJoin, request, {member.other.get()});
    CHECK(NextText(second) == "e");
    UniqueFd passed;
    CHECK(NextText(holder.own, &passed) == "m");
    CHECK(passed.valid());
    AskStatus(status);
    CHECK(NextText(status) == "t key name 2");
    CHECK(NextText(status) == "z");

    // A launcher has one session.
    const UniqueFd third = parent.Connect();
    for (int i = 0; i < 2; ++i) Send(third, LauncherMessage::kJoin, request, {member.other.get()});
    CHECK(NextText(third) == "e");
    CHECK(NextText(third).empty());
    Send(first, LauncherMessage::kCreate, request, {member.other.get()});
    CHECK(NextText(first).empty());
    first = UniqueFd();
    // The others learn of the end of the network.
    holder.own = UniqueFd();
    CHECK(NextText(second) == "x the proxy of this session has ended");
    AskStatus(status);
    CHECK(NextText(status) == "z");
  }
  CHECK(parent.Wait() == 0);
  CHECK(ConnectToRunningProxy(parent.folder()).error().code == ENOENT);
}

TEST_CASE("parent: launchers that make no sense are dropped, and nobody else") {
  ParentProcess parent;
  const UniqueFd status = parent.Connect();
  const SocketPair other = PatientPair();
  for (const char type : {'e', 'z', 'd', 'u', 'k', 'x', 't', '?', 'j', 'c'}) {
    const UniqueFd launcher = parent.Connect();
    REQUIRE(SendSocketMessage(launcher.get(), type, {}));
    CHECK(NextText(launcher).empty());
  }
  for (const LauncherMessage type : {LauncherMessage::kJoin, LauncherMessage::kCreate}) {
    const UniqueFd launcher = parent.Connect();
    Send(launcher, type, {.key = "key"}, {});
    CHECK(NextText(launcher).empty());
  }
  AskStatus(status);
  CHECK(NextText(status) == "z");
}
