#include "proxy/worker/worker.h"

#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "proxy/link/messages.h"
#include "tests/proxy/broker/broker_bench.h"
#include "tests/support/full_watches.h"

using namespace ringfence;

namespace {

// A worker in a process of its own. The test is its broker.
class Working {
 public:
  Working() {
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      channel_.own = UniqueFd();
      // Not _exit(2), with which a coverage build opens a file.
      ::syscall(SYS_exit_group, ServeConnections(std::move(channel_.other), ""));
    }
    channel_.other = UniqueFd();
  }
  ~Working() {
    channel_.own = UniqueFd();
    int status = 0;
    CHECK(::waitpid(child_, &status, 0) == child_);
    CHECK(status == 0);
  }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

  std::string Heard() { return NextText(channel_.own); }
  void Listen(std::string_view name, int fd) {
    const std::string_view fields[] = {name};
    const int fds[] = {fd};
    REQUIRE(SendSocketMessage(channel_.own.get(), static_cast<char>(WorkerMessage::kListen), fields,
                              fds));
  }

 private:
  SocketPair channel_ = PatientPair();
  pid_t child_ = -1;
};

UniqueFd ConnectedTo(uint16_t port) {
  UniqueFd program(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{.tv_sec = kPatience / 1000, .tv_usec = 0};
  REQUIRE(::setsockopt(program.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
  const sockaddr_in address = LoopbackAddress(port);
  REQUIRE(::connect(program.get(), SocketAddress(address), sizeof address) == 0);
  return program;
}

std::string AskFor(const UniqueFd& program, std::string_view host) {
  const std::string request = "CONNECT " + std::string(host) +
                              ":443 HTTP/1.1\r\nHost: " + std::string(host) + ":443\r\n\r\n";
  return ::send(program.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
                 static_cast<ssize_t>(request.size())
             ? request
             : "";
}

}  // namespace

TEST_CASE("worker: while the kernel watches nothing more, programs are refused, and later served") {
  Working worker;
  REQUIRE(worker.Heard() == "y");
  const LoopbackListener listener;
  worker.Listen(kExplicitListener, listener.fd());
  const UniqueFd before = ConnectedTo(listener.port());
  AskFor(before, "before.example");
  REQUIRE(worker.Heard() == "o 1 connect before.example 443");
  const LoopbackListener later;
  const UniqueFd datagrams(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  {
    const FullWatches full;
    const UniqueFd program = ConnectedTo(listener.port());
    char byte = 0;
    CHECK(::recv(program.get(), &byte, 1, 0) <= 0);
    CHECK(worker.Heard().starts_with("r 0 tcp - 0 the programs of this user leave"));
    CHECK(full.Failed() > 0);
    worker.Listen(kExplicitListener, later.fd());
    worker.Listen(kDnsDatagrams, datagrams.get());
    const int failed = full.Failed();
    while (full.Failed() < failed + 4) ::usleep(1000);  // two attempts for each
  }
  const UniqueFd after = ConnectedTo(listener.port());
  AskFor(after, "after.example");
  CHECK(worker.Heard() == "o 2 connect after.example 443");
  const UniqueFd new_one = ConnectedTo(later.port());
  AskFor(new_one, "later.example");
  CHECK(worker.Heard() == "o 3 connect later.example 443");
}

TEST_CASE("worker: it ends with its broker, also before it has begun") {
  const FullWatches full;
  const Working worker;
}

TEST_CASE("worker: it begins once the kernel watches something") {
  const FullWatches full;
  Working worker;
  const LoopbackListener listener;
  worker.Listen(kExplicitListener, listener.fd());
  const UniqueFd program = ConnectedTo(listener.port());
  AskFor(program, "a.example");
  while (full.Failed() < 4) ::usleep(1000);
  { const FullWatches last(0); }
  CHECK(worker.Heard() == "y");
  CHECK(worker.Heard() == "o 1 connect a.example 443");
}
