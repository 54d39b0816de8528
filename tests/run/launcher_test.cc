#include "run/launcher.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/syscall.h"
#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

// No test here has a network that needs the proxy.
class NoNetwork final : public NetworkAccess {
 public:
  Result<NetworkEntry> Enter(const SandboxPlan&) override { return NetworkEntry{}; }
  int notices() const override { return -1; }
  void Hear() override {}
};

// Writes a letter into a pipe for each notification: the command replaces this process at the end.
class Recorder final : public LaunchObserver {
 public:
  Recorder(int pipe, bool refuses) : pipe_(pipe), refuses_(refuses) {}

  Result<bool> Planning(RunRequest&, const HostFacts&) override { return false; }
  Status Starting(const SandboxPlan& plan) override {
    Put(plan.is_confined() ? "c" : "u");
    if (!refuses_) return Unit{};
    return Error{Error::Kind::kUsage, "observer", "does not want it", ""};
  }
  void Started(const SandboxPlan&) override { Put("s"); }
  std::optional<std::string> TakePacket(std::string_view) override { return {}; }
  void GoesOnWithout(const SetupFailure&) override { Put("w"); }
  NetworkAccess& network() override { return network_; }

 private:
  void Put(std::string_view letter) const {
    [[maybe_unused]] const Status written = WriteAll(pipe_, letter);
  }

  int pipe_;
  bool refuses_;
  NoNetwork network_;
};

struct Heard {
  std::string letters;
  int status;  // the command's, or one of these
};
constexpr int kUsageError = 100;
constexpr int kSystemError = 101;

// Launches in a child process, which the command replaces and whose limits Launch() changes.
Heard LaunchIn(const SandboxCommand& command, bool refuses) {
  PlanWorld world;
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Recorder recorder(pipe[1], refuses);
    const Policy policy = world.world.Merged(world.world.EventOf("Bash", "{}"));
    RunRequest request{{world.world.places, {}}, policy, command};
    const Result<Launched> launched = Launch(request, CachedFiles(world.world.files), -1, recorder);
    if (launched) ::_exit(launched->ended.status);
    ::_exit(launched.error().kind == Error::Kind::kSystem ? kSystemError : kUsageError);
  }
  REQUIRE(child > 0);
  ::close(pipe[1]);
  Heard heard;
  heard.letters = *ReadAll(pipe[0], 100, "pipe");
  ::close(pipe[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  heard.status = WEXITSTATUS(status);
  return heard;
}

SandboxCommand Unconfined(std::vector<std::string> argv) {
  SandboxCommand command = PlanWorld().command;
  command.mode = SandboxMode::kRwx;
  command.argv = std::move(argv);
  return command;
}

}  // namespace

TEST_CASE("launcher: the observer is notified before and after the start, and the command runs") {
  const Heard heard = LaunchIn(Unconfined({"/bin/sh", "-c", "exit 7"}), false);
  CHECK(heard.letters == "us");
  CHECK(heard.status == 7);
  const Heard missing = LaunchIn(Unconfined({"/nonexistent/program"}), false);
  CHECK(missing.letters == "us");
  CHECK(missing.status == 127);
}

TEST_CASE("launcher: if the observer refuses, nothing starts, and the error is a system error") {
  const Heard heard = LaunchIn(Unconfined({"/bin/sh", "-c", "exit 7"}), true);
  CHECK(heard.letters == "u");
  CHECK(heard.status == kSystemError);
}

TEST_CASE("launcher: without a plan the observer is not notified, and the error is a usage error") {
  CHECK(LaunchIn(Unconfined({}), false).letters.empty());
  CHECK(LaunchIn(Unconfined({}), false).status == kUsageError);
}
