#include "proxy/parent/session.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "base/syscall.h"
#include "tests/proxy/broker/broker_bench.h"
#include "tests/support/hoarded_descriptors.h"
#include "tests/support/own_session.h"

using namespace ringfence;

namespace {

constexpr size_t kLong = 10'000;

// In place of the broker: repeats what it gets, as lines for the user, with the length of what is
// long, and the number of descriptors as its counts. It ends at "end". At "wait" it takes nothing
// more until the descriptor of that name, which is a pipe, is closed; at "last" it then ends.
int RepeatMessages() {
  for (;;) {
    const Result<SocketMessage> message = ReceiveSocketMessage(kListeningFd);
    if (!message) return 0;
    std::string text(1, message->type);
    for (const std::string& field : message->fields) {
      text += " " + (field.size() < kLong ? field : std::to_string(field.size()));
    }
    const std::string count = std::to_string(message->fds.size());
    if (!SendSocketMessage(kListeningFd, 't', std::vector<std::string_view>{count}) ||
        !SendSocketMessage(kListeningFd, '?', {}) ||
        !SendSocketMessage(kListeningFd, 'd', std::vector<std::string_view>{"a:1", text}) ||
        !SendSocketMessage(kListeningFd, 'u', std::vector<std::string_view>{"b:1", "fails"}) ||
        !SendSocketMessage(kListeningFd, 'k', std::vector<std::string_view>{"b:1"})) {
      return 1;
    }
    const std::string first = message->fields.empty() ? "" : message->fields[0];
    if (first == "end") return 0;
    char byte = 0;
    if (first == "wait" || first == "last") ::read(message->fds[0].get(), &byte, 1);
    if (first == "last") return 0;
  }
}

[[maybe_unused]] const bool kIsSet = (own_session = RepeatMessages) != nullptr;

struct Ends {
  SocketPair pair = PatientPair();
  int theirs() const { return pair.other.get(); }
  std::string Next(UniqueFd* fd = nullptr) const { return NextText(pair.own, fd); }
  bool HasNone() const {
    pollfd state{.fd = pair.own.get(), .events = POLLIN, .revents = 0};
    return ::poll(&state, 1, 0) == 0;
  }
};

UniqueFd Null() { return OpenFile("/dev/null", O_RDONLY); }

struct Parented {
  Ends holder;
  Ends creator;
  Session session;

  explicit Parented(SessionRequest request = {.key = "key", .name = "name"})
      : session(7, std::move(request), std::move(holder.pair.other)) {
    session.Add(creator.theirs(), {});
  }
  // Waits for something, and serves it.
  bool Serve() {
    std::vector<pollfd> polled;
    session.AddPolled(polled);
    REQUIRE(::poll(polled.data(), polled.size(), kPatience) > 0);
    std::span<const pollfd> left = polled;
    const bool goes_on = session.Serve(left);
    CHECK(left.empty());
    return goes_on;
  }
  // Serves it although nothing has happened, as the parent does now and then.
  bool ServeIdle() {
    std::vector<pollfd> polled;
    session.AddPolled(polled);
    std::span<const pollfd> left = polled;
    return session.Serve(left);
  }
  // What it waits for at its holder and its broker.
  std::vector<short> Events() const {
    std::vector<pollfd> polled;
    session.AddPolled(polled);
    REQUIRE(polled.size() == 2);
    return {polled[0].events, polled[1].events};
  }
  // The next line for the user; what it says of "b:1" is left out.
  std::string NextLine() {
    for (;;) {
      while (creator.HasNone()) REQUIRE(Serve());
      std::string line = creator.Next();
      if (line.starts_with("d a:1 ")) return line.substr(6);
    }
  }
  void StartBroker() {
    const UniqueFd null = Null();
    FromHolder(HolderMessage::kNetwork, std::vector<std::string_view>(201, "1"),
               std::vector<int>(201, null.get()));
  }
  // Lets the broker take nothing until the result is closed, and fills its socket with messages.
  UniqueFd FillBroker(std::string_view how, size_t& sent) {
    int ends[2] = {};
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const UniqueFd read_end(ends[0]);
    UniqueFd write_end(ends[1]);
    FromHolder(HolderMessage::kNetwork, {how}, {read_end.get()});
    for (sent = 0; Events()[0] != 0; ++sent) {
      const std::string name(kLong + sent, 'n');
      FromHolder(HolderMessage::kNetwork, {name}, {read_end.get()});
    }
    return write_end;
  }
  void FromHolder(HolderMessage type, const std::vector<std::string_view>& names,
                  const std::vector<int>& fds = {}) {
    REQUIRE(SendSocketMessage(holder.pair.own.get(), static_cast<char>(type), names, fds));
    REQUIRE(Serve());
  }
  void SendNamespaces() {
    const UniqueFd null = Null();
    FromHolder(HolderMessage::kNetwork, {kUserNamespace, kNetNamespace}, {null.get(), null.get()});
  }
};

}  // namespace

TEST_CASE("session: which sandboxes it admits") {
  Parented parent;
  const SessionRequest same{.key = "key"};
  CHECK(parent.session.id() == 7);
  CHECK_FALSE(parent.session.Admits({.key = "other"}));
  CHECK_FALSE(parent.session.Admits(same));
  parent.session.Remove(parent.creator.theirs());
  CHECK_FALSE(parent.session.Admits(same));  // its processes may still run
  parent.FromHolder(HolderMessage::kFree, {});
  CHECK(parent.session.Admits(same));
  const Ends next;
  parent.session.Add(next.theirs(), Null());
  CHECK_FALSE(parent.session.Admits(same));
  Parented shared({.key = "key", .is_shared = true});
  CHECK(shared.session.Admits(same));
}

TEST_CASE("session: a further sandbox gets the namespaces, and the holder its socket") {
  Parented parent;
  const Ends early;
  const Ends late;
  const Ends gone;
  parent.session.Add(early.theirs(), Null());
  parent.session.Add(gone.theirs(), Null());
  parent.session.Remove(gone.theirs());
  CHECK(early.HasNone());
  parent.FromHolder(HolderMessage::kNetwork, {});
  CHECK(early.HasNone());
  parent.SendNamespaces();
  parent.session.Add(late.theirs(), Null());
  for (const Ends* newcomer : {&early, &late}) {
    UniqueFd fd;
    CHECK(newcomer->Next(&fd) == "e");
    CHECK(fd.valid());
    UniqueFd member;
    CHECK(parent.holder.Next(&member) == "m");
    CHECK(member.valid());
  }
  CHECK(gone.HasNone());
  CHECK(parent.creator.HasNone());
  CHECK(parent.holder.HasNone());
}

TEST_CASE("session: it is kept for a while without a sandbox") {
  Parented parent;
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t now = Nanoseconds(CLOCK_MONOTONIC);
  CHECK(parent.session.IsUsed(now + 1000 * kSecond));
  parent.session.Remove(parent.creator.theirs());
  CHECK(parent.session.IsUsed(now));
  CHECK_FALSE(parent.session.IsUsed(now + 1000 * kSecond));
}

TEST_CASE("session: it ends with its holder") {
  Parented parent;
  parent.FromHolder(static_cast<HolderMessage>('?'), {});
  parent.holder.pair.own = UniqueFd();
  CHECK_FALSE(parent.Serve());
}

TEST_CASE("session: everybody is told") {
  const Parented parent;
  parent.session.TellEnd();
  CHECK(parent.creator.Next().starts_with("x "));
  CHECK(parent.session.StatusFields() == std::vector<std::string>{"key", "name", "1"});
}

TEST_CASE("session: its broker starts when a program uses the network") {
  Parented parent({.key = "key", .name = "name", .words = {"--home", "%2f"}});
  parent.SendNamespaces();
  LoopbackListener listener;
  const uint16_t port = listener.port();
  const std::string name = std::to_string(port);
  const UniqueFd null = Null();
  // A descriptor without a name is nothing.
  parent.FromHolder(HolderMessage::kNetwork, {name}, {listener.fd(), null.get()});
  const UniqueFd program(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = LoopbackAddress(port);
  REQUIRE(::connect(program.get(), SocketAddress(address), sizeof address) == 0);
  REQUIRE(parent.Serve());
  const auto next = [&parent] {
    while (parent.creator.HasNone()) REQUIRE(parent.Serve());
    return parent.creator.Next();
  };
  CHECK(next() == "d a:1 s key name     --home %2f");
  CHECK(next() == "u b:1 fails");
  CHECK(next() == "k b:1");
  CHECK(next() == "d a:1 n " + name);
  CHECK(next() == "u b:1 fails");
  CHECK(next() == "k b:1");
  CHECK(parent.session.StatusFields() == std::vector<std::string>{"key", "name", "1", "1"});
  // A port that is wanted later.
  const LoopbackListener later;
  parent.FromHolder(HolderMessage::kNetwork, {"5432"}, {later.fd()});
  CHECK(next() == "d a:1 n 5432");
  CHECK(next() == "u b:1 fails");
  CHECK(next() == "k b:1");
  // The session ends with its broker.
  REQUIRE(SendSocketMessage(parent.holder.pair.own.get(), 'n', std::vector<std::string_view>{"end"},
                            std::vector<int>{null.get()}));
  bool goes_on = true;
  while (goes_on) goes_on = parent.Serve();
  CHECK(next().ends_with("n end"));
}

TEST_CASE("session: its broker starts without use once there are many sockets") {
  Parented parent;
  const Ends unused;
  parent.FromHolder(HolderMessage::kNetwork, std::vector<std::string_view>(200, "1"),
                    std::vector<int>(200, unused.theirs()));
  CHECK(parent.ServeIdle());
  CHECK(parent.creator.HasNone());
  parent.FromHolder(HolderMessage::kNetwork, {"2"}, {unused.theirs()});
  CHECK(parent.NextLine().starts_with("s key"));
  CHECK(parent.NextLine().ends_with("1 1 2"));
  CHECK(parent.session.StatusFields().back() == "201");
}

TEST_CASE("session: its holder waits while its broker takes nothing, and nothing is lost") {
  Parented parent;
  parent.StartBroker();
  size_t sent = 0;
  UniqueFd wait = parent.FillBroker("wait", sent);
  CHECK(parent.Events() == std::vector<short>{0, POLLIN | POLLOUT});
  CHECK(parent.ServeIdle());
  CHECK(parent.Events() == std::vector<short>{0, POLLIN | POLLOUT});
  wait = UniqueFd();
  CHECK(parent.NextLine().starts_with("s key"));
  CHECK(parent.NextLine().ends_with("1 1 1"));
  CHECK(parent.NextLine() == "n wait");
  for (size_t i = 0; i < sent; ++i) CHECK(parent.NextLine() == "n " + std::to_string(kLong + i));
  CHECK(parent.Events() == std::vector<short>{POLLIN, POLLIN});
  CHECK(parent.session.StatusFields().back() == "1");
}

TEST_CASE("session: it ends with a broker that took nothing") {
  Parented parent;
  parent.StartBroker();
  size_t sent = 0;
  UniqueFd wait = parent.FillBroker("last", sent);
  std::vector<pollfd> polled;
  parent.session.AddPolled(polled);
  wait = UniqueFd();
  polled[1].events = 0;
  REQUIRE(::poll(&polled[1], 1, kPatience) == 1);
  CHECK((polled[1].revents & POLLHUP) != 0);
  CHECK_FALSE(parent.ServeIdle());
}

TEST_CASE("session: sockets wait while the kernel takes no descriptors") {
  Parented parent;
  parent.StartBroker();
  CHECK(parent.NextLine().starts_with("s key"));
  CHECK(parent.NextLine().ends_with("1 1 1"));
  const UniqueFd null = Null();
  REQUIRE(SendSocketMessage(parent.holder.pair.own.get(), 'n',
                            std::vector<std::string_view>{"5432"}, std::vector<int>{null.get()}));
  std::optional<HoardedDescriptors> hoarded(std::in_place);
  while (parent.Events()[0] != 0) REQUIRE(parent.Serve());
  // It is not woken again and again by a broker that has room.
  CHECK(parent.Events() == std::vector<short>{0, POLLIN});
  CHECK(parent.ServeIdle());
  CHECK(parent.Events() == std::vector<short>{0, POLLIN});
  hoarded.reset();
  CHECK(parent.ServeIdle());
  CHECK(parent.Events() == std::vector<short>{POLLIN, POLLIN});
  CHECK(parent.NextLine() == "n 5432");
}
