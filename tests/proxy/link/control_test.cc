#include "proxy/link/control.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/syscall.h"
#include "tests/support/loopback.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

// The directory of a proxy, and a program in place of it that notes each start.
struct Control {
  TemporaryTree disk;
  std::string program = disk.At("program");

  Control() {
    Program("#!/bin/sh\necho $$ >>" + disk.At("starts") +
            "\nread line <&3\nexec sleep 3600 </dev/null\n");
  }
  ~Control() {
    for (const pid_t process : Started()) ::kill(process, SIGKILL);
  }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  void Program(const std::string& text) const {
    disk.File("program", text);
    REQUIRE(::chmod(program.c_str(), 0700) == 0);
  }
  Path folder() const { return *Path::Parse(disk.At("state/ringfence/proxy")); }
  std::string Socket() const { return folder().text() + "/" + ControlSocketName(); }
  std::vector<pid_t> Started() const {
    std::ifstream file(disk.At("starts"));
    std::vector<pid_t> processes;
    for (pid_t process = 0; file >> process;) processes.push_back(process);
    return processes;
  }
  // Waits for the first start.
  size_t AwaitStarts() const {
    for (int i = 0; i < kPatience && Started().empty(); ++i) ::usleep(1000);
    return Started().size();
  }
  Result<ControlConnection> Connect() const { return ConnectToProxy(folder(), program); }
};

std::vector<std::string> Texts(const SessionRequest& request) {
  const std::vector<std::string_view> fields = request.Fields();
  return {fields.begin(), fields.end()};
}

}  // namespace

TEST_CASE("control: a session request survives its way") {
  const SessionRequest rows[] = {
      {.key = "key"},
      {.key = "key", .name = "name", .is_shared = true, .words = {"--home", "%2f"}},
      {.key = "key", .is_agent = true, .credential = "secret"},
      {.key = "key", .words = {""}, .is_trial = true}};
  for (const SessionRequest& row : rows) {
    const Result<SessionRequest> read = SessionRequest::Of(Texts(row));
    REQUIRE(read);
    CHECK(Texts(*read) == Texts(row));
    CHECK(read->is_shared == row.is_shared);
    CHECK(read->is_agent == row.is_agent);
    CHECK(read->is_trial == row.is_trial);
    CHECK(read->credential == row.credential);
    CHECK(read->words == row.words);
  }
}

TEST_CASE("control: fields that are no session request") {
  CHECK(SessionRequest::Of({}).error().code == EPROTO);
  CHECK(SessionRequest::Of({"key", "", "", "", ""}).error().code == EPROTO);
  CHECK(SessionRequest::Of({"", "", "", "", "", ""}).error().code == EPROTO);
}

TEST_CASE("control: the name of the socket has the namespaces") {
  const std::string name = ControlSocketName();
  CHECK(name == ControlSocketName());
  CHECK(name.starts_with("control-"));
  CHECK(name.find("--") == std::string::npos);
  struct stat facts {};
  REQUIRE(::stat("/proc/self/ns/net", &facts) == 0);
  CHECK(name.find("-" + std::to_string(facts.st_ino) + "-") != std::string::npos);
}

TEST_CASE("control: the first connection starts the proxy, and others find it") {
  const Control control;
  CHECK(ConnectToRunningProxy(control.folder()).error().code == ENOENT);
  const Result<ControlConnection> first = control.Connect();
  REQUIRE(first);
  CHECK(first->is_new);
  const Result<ControlConnection> second = control.Connect();
  REQUIRE(second);
  CHECK_FALSE(second->is_new);
  CHECK(ConnectToRunningProxy(control.folder()));
  CHECK(control.AwaitStarts() == 1);
  struct stat facts {};
  REQUIRE(::stat(control.folder().text().c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0700);
}

TEST_CASE("control: many launchers at once start one proxy") {
  const Control control;
  constexpr size_t kLaunchers = 16;
  std::vector<std::thread> threads;
  std::vector<int> news(kLaunchers, -1);
  std::vector<UniqueFd> sockets(kLaunchers);
  threads.reserve(kLaunchers);
  for (size_t i = 0; i < kLaunchers; ++i) {
    threads.emplace_back([&, i] {
      Result<ControlConnection> connection = control.Connect();
      if (!connection) return;
      news[i] = connection->is_new ? 1 : 0;
      sockets[i] = std::move(connection->socket);
    });
  }
  for (std::thread& thread : threads) thread.join();
  int count = 0;
  for (const int is_new : news) {
    CHECK(is_new >= 0);
    count += is_new;
  }
  CHECK(count == 1);
  CHECK(control.AwaitStarts() == 1);
}

TEST_CASE("control: a proxy that has been killed is started again") {
  const Control control;
  REQUIRE(control.Connect());
  REQUIRE(control.AwaitStarts() == 1);
  REQUIRE(::kill(control.Started()[0], SIGKILL) == 0);
  for (int i = 0; i < kPatience && ConnectToRunningProxy(control.folder()); ++i) ::usleep(1000);
  CHECK(ConnectToRunningProxy(control.folder()).error().code == ECONNREFUSED);
  const Result<ControlConnection> again = control.Connect();
  REQUIRE(again);
  CHECK(again->is_new);
}

TEST_CASE("control: a launcher that waits for another to start the proxy finds it") {
  const Control control;
  REQUIRE(control.Connect());
  REQUIRE(control.AwaitStarts() == 1);
  // The other holds the lock, and has not bound the socket yet.
  const std::string aside = control.Socket() + "-aside";
  REQUIRE(::rename(control.Socket().c_str(), aside.c_str()) == 0);
  UniqueFd lock = OpenFile((control.folder().text() + "/lock").c_str(), O_RDWR);
  REQUIRE(::flock(lock.get(), LOCK_EX) == 0);
  bool is_new = true;
  std::thread launcher([&] {
    const Result<ControlConnection> connection = control.Connect();
    is_new = !connection || connection->is_new;
  });
  ::usleep(50'000);  // so that it usually waits; the result must be the same if it does not
  REQUIRE(::rename(aside.c_str(), control.Socket().c_str()) == 0);
  lock = UniqueFd();
  launcher.join();
  CHECK_FALSE(is_new);
  CHECK(control.Started().size() == 1);
}

TEST_CASE("control: a lock that is held for too long") {
  const Control control;
  REQUIRE(control.Connect());
  REQUIRE(control.AwaitStarts() == 1);
  REQUIRE(::unlink(control.Socket().c_str()) == 0);
  const UniqueFd lock = OpenFile((control.folder().text() + "/lock").c_str(), O_RDWR);
  REQUIRE(::flock(lock.get(), LOCK_EX) == 0);
  const Result<ControlConnection> connection = control.Connect();
  REQUIRE_FALSE(connection);
  CHECK(connection.error().what == "another command is starting it, slowly");
}

TEST_CASE("control: a program that cannot start") {
  const Control control;
  REQUIRE(::unlink(control.program.c_str()) == 0);
  const Result<ControlConnection> connection = control.Connect();
  REQUIRE_FALSE(connection);
  CHECK(connection.error().code == ENOENT);
  CHECK(connection.error().hint.find("install ringfence again") != std::string::npos);
  CHECK(::access(control.Socket().c_str(), F_OK) != 0);
}

TEST_CASE("control: a directory that others may enter, or that is a link") {
  const Control control;
  REQUIRE(control.Connect());
  REQUIRE(control.AwaitStarts() == 1);
  SUBCASE("others may") {
    REQUIRE(::chmod(control.folder().text().c_str(), 0750) == 0);
    CHECK(control.Connect().error().code == EPERM);
    CHECK(ConnectToRunningProxy(control.folder()).error().code == EPERM);
  }
  SUBCASE("a link") {
    const std::string elsewhere = control.disk.At("elsewhere");
    REQUIRE(::rename(control.folder().text().c_str(), elsewhere.c_str()) == 0);
    REQUIRE(::symlink(elsewhere.c_str(), control.folder().text().c_str()) == 0);
    CHECK_FALSE(control.Connect());
    CHECK_FALSE(ConnectToRunningProxy(control.folder()));
  }
  CHECK(control.Started().size() == 1);
}

TEST_CASE("control: whether a run could connect or start one can be checked beforehand") {
  const Control control;
  const std::string lock_path = control.folder().text() + "/lock";
  CHECK(CheckProxyAccess(control.folder()));  // nothing exists yet
  REQUIRE(control.Connect());
  REQUIRE(control.AwaitStarts() == 1);
  CHECK(CheckProxyAccess(control.folder()));
  REQUIRE(::unlink(control.Socket().c_str()) == 0);
  CHECK(CheckProxyAccess(control.folder()));
  {
    const UniqueFd lock = OpenFile(lock_path.c_str(), O_RDWR);
    REQUIRE(::flock(lock.get(), LOCK_EX) == 0);
    const Status held = CheckProxyAccess(control.folder());
    REQUIRE_FALSE(held);
    CHECK(held.error().what == "another program holds this lock, and no proxy runs");
  }
  REQUIRE(::unlink(lock_path.c_str()) == 0);
  CHECK(CheckProxyAccess(control.folder()));
  REQUIRE(::mkdir(lock_path.c_str(), 0700) == 0);
  CHECK_FALSE(CheckProxyAccess(control.folder()));
  REQUIRE(::chmod(control.folder().text().c_str(), 0755) == 0);
  CHECK(CheckProxyAccess(control.folder()).error().code == EPERM);
  CHECK(control.Started().size() == 1);
}

TEST_CASE("control: nothing can be made where the directory should be") {
  const Control control;
  control.disk.File("state");
  CHECK_FALSE(control.Connect());
  CHECK_FALSE(ConnectToRunningProxy(control.folder()));
}

TEST_CASE("control: the path of the directory may be of any length") {
  const Control control;
  const std::string name(120, 'd');
  control.disk.Directory(name);
  const Path folder = *Path::Parse(control.disk.At(name + "/ringfence/proxy"));
  const Result<ControlConnection> connection = ConnectToProxy(folder, control.program);
  REQUIRE(connection);
  CHECK(connection->is_new);
  CHECK(control.AwaitStarts() == 1);
}
