// libringfence as another program uses it, with the installed `ringfence`.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <ringfence/sandbox.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

using namespace ringfence::sandbox;
namespace fs = std::filesystem;

namespace {

constexpr const char* kPath = "PATH=/usr/local/bin:/usr/bin:/bin";

std::string TextOf(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// A separate home, project and data directory for each test.
class World {
 public:
  World() {
    std::string name = "/var/tmp/ringfence-library-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    base_ = name;
    for (const char* folder : {"home", "project", "data"}) fs::create_directory(base_ / folder);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    std::error_code ignored;
    fs::remove_all(base_, ignored);
  }

  Command Shell(const std::string& script) const {
    return {.argv = {"sh", "-c", script},
            .root = project(),
            .environment = {{kPath}},
            .home = base_ / "home"};
  }
  std::string project() const { return base_ / "project"; }
  std::string data() const { return base_ / "data"; }
  bool Has(const char* name) const { return fs::exists(base_ / name); }
  void AwaitFile(const char* name) const {
    for (int i = 0; i < 6000 && !Has(name); ++i) ::usleep(10'000);
    REQUIRE(Has(name));
  }
  std::string Text(const char* name) const { return TextOf(base_ / name); }

 private:
  fs::path base_;
};

struct Pipe {
  Pipe() { REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0); }
  ~Pipe() {
    CloseWriter();
    ::close(ends[0]);
  }
  void CloseWriter() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  std::string ReadAll() {
    CloseWriter();
    std::string text;
    std::array<char, 512> bytes{};
    for (ssize_t got = 1; (got = ::read(ends[0], bytes.data(), bytes.size())) > 0;) {
      text.append(bytes.data(), static_cast<size_t>(got));
    }
    return text;
  }
  std::array<int, 2> ends{-1, -1};
};

End Finish(const Command& command) {
  Expected<Process> process = Spawn(command);
  return process.value().Wait().value();
}

// The number of processes whose command line contains `text`.
int Count(const std::string& text) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    if (TextOf(entry.path() / "cmdline").find(text) != std::string::npos) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("library: a command writes only in the project, and refusals are reported") {
  const World world;
  const std::string outside = world.data() + "/x";
  const End end = Finish(world.Shell("touch in; touch " + outside + "; exit 3"));
  CHECK(end.status == 3);
  CHECK(end.not_run.empty());
  CHECK(world.Has("project/in"));
  CHECK_FALSE(world.Has("data/x"));
  REQUIRE(end.refusals.size() == 1);
  CHECK(end.refusal_count == 1);
  CHECK(end.refusals[0].path == outside);
  CHECK(end.refusals[0].code == "EROFS");
  CHECK(end.refusals[0].why.find("outside the project") != std::string::npos);
}

TEST_CASE("library: the data directory is writable in every confined mode") {
  const World world;
  for (const Mode mode : {Mode::kSandbox, Mode::kReadOnly}) {
    const std::string name = mode == Mode::kSandbox ? "s" : "r";
    Command command = world.Shell("touch " + name + "; touch " + world.data() + "/" + name);
    command.mode = mode;
    command.data_dir = world.data();
    CHECK(Finish(command).status == 0);
  }
  CHECK(world.Has("data/s"));
  CHECK(world.Has("data/r"));
  CHECK(world.Has("project/s"));
  CHECK_FALSE(world.Has("project/r"));
}

TEST_CASE("library: a policy may be given as text") {
  const World world;
  Command command = world.Shell("mkdir -p open closed; touch open/x closed/x");
  command.policy_text = R"({"version":1,"write":{"allow":["."],"deny":["closed"]}})";
  const End end = Finish(command);
  CHECK(end.status == 1);
  CHECK(world.Has("project/open/x"));
  CHECK_FALSE(world.Has("project/closed/x"));
  REQUIRE_FALSE(end.refusals.empty());
  CHECK(end.refusals[0].why.find("denied by \"closed\"") != std::string::npos);
}

TEST_CASE("library: an invalid policy runs nothing and is reported with its place") {
  const World world;
  Command command = world.Shell("touch made");
  command.policy_text = R"({"version":1,"wriet":{}})";
  const Expected<Process> process = Spawn(command);
  REQUIRE_FALSE(process);
  CHECK(process.error().text().find("wriet") != std::string::npos);
  CHECK_THROWS_AS(static_cast<void>(process.value()), Failure);
  CHECK_FALSE(world.Has("project/made"));
}

TEST_CASE("library: the plan is readable text or JSON, and runs nothing") {
  const World world;
  Command command = world.Shell("touch made");
  command.data_dir = world.data();
  const std::string text = Plan(command).value();
  CHECK(text.find("write   \"" + world.data() + "\"") != std::string::npos);
  const std::string json = Plan(command, PlanFormat::kJson).value();
  CHECK(json.starts_with("{"));
  CHECK(json.find("\"mode\": \"sandbox\"") != std::string::npos);
  CHECK_FALSE(world.Has("project/made"));
  command.cwd = "/";
  const Expected<std::string> none = Plan(command);
  REQUIRE_FALSE(none);
  CHECK(none.error().text().find("outside of the project") != std::string::npos);
}

TEST_CASE("library: the standard streams are the given ones, in any order of numbers") {
  const World world;
  Pipe in;
  Pipe out;
  REQUIRE(::write(in.ends[1], "text", 4) == 4);
  in.CloseWriter();
  Command command = world.Shell("cat; echo wrong >&2; ls /proc/self/fd | wc -l");
  command.stdin_fd = in.ends[0];
  command.stdout_fd = out.ends[1];
  command.stderr_fd = -1;
  CHECK(Finish(command).status == 0);
  CHECK(out.ReadAll() == "text4\n");

  Pipe both;
  command = world.Shell("echo out; echo err >&2");
  const int saved = ::dup(STDIN_FILENO);
  REQUIRE(::dup2(both.ends[1], STDIN_FILENO) == STDIN_FILENO);
  command.stdin_fd = STDOUT_FILENO;  // each takes the number of another
  command.stdout_fd = STDIN_FILENO;
  command.stderr_fd = STDIN_FILENO;
  const End end = Finish(command);
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  CHECK(end.status == 0);
  CHECK(both.ReadAll() == "out\nerr\n");
}

TEST_CASE("library: no other descriptor reaches the command or its launcher") {
  const World world;
  Pipe kept;
  REQUIRE(::fcntl(kept.ends[1], F_SETFD, 0) == 0);  // without O_CLOEXEC
  Expected<Process> process = Spawn(world.Shell("touch ready; sleep 1000"));
  REQUIRE(process);
  world.AwaitFile("project/ready");
  CHECK(kept.ReadAll().empty());  // returns only because no other process holds it open
  process->Kill();
  CHECK(process->Wait().value().status == 128 + SIGKILL);
}

TEST_CASE("library: environment, directory and program are the given ones") {
  const World world;
  fs::create_directory(world.project() + "/sub");
  Command command = world.Shell("pwd > where; echo \"$LANG:$SECRET\" > env");
  command.cwd = world.project() + "/sub";
  command.environment = {{kPath, "LANG=C", "SECRET=x"}};
  CHECK(Finish(command).status == 0);
  CHECK(world.Text("project/sub/where") == world.project() + "/sub\n");
  CHECK(world.Text("project/sub/env") == "C:\n");
  command.argv = {"no-such-program"};
  const End end = Finish(command);
  CHECK(end.status == 127);
  CHECK(end.not_run == "no-such-program: ENOENT");
  command.argv = {"/etc/passwd"};
  CHECK(Finish(command).status == 126);
}

TEST_CASE("library: Kill() ends the whole process tree, in every set of layers") {
  const World world;
  for (const Layers layers : {Layers::kFull, Layers::kLandlock}) {
    const std::string mark = std::to_string(::getpid()) + "." + std::to_string(int(layers));
    Command command = world.Shell("trap '' TERM; sh -c 'setsid sh -c \"touch " + mark +
                                  "; sleep 1000; : " + mark + "\" & sleep 1000; : " + mark + "'");
    command.layers = layers;
    Expected<Process> process = Spawn(command);
    REQUIRE(process);
    CHECK(process->is_confined());
    const bool is_limited = ::geteuid() != 0;  // the kernel does not limit root's processes
    CHECK(process->weaker().empty() == (layers == Layers::kFull && is_limited));
    world.AwaitFile(("project/" + mark).c_str());
    CHECK(Count(mark) > 0);
    process->Kill();
    CHECK(process->Wait().value().status == 128 + SIGKILL);
    CHECK(Count(mark) == 0);
    CHECK(process->Wait().value().status == 128 + SIGKILL);
    process->Kill();  // no process is left
  }
}

TEST_CASE("library: a process that goes out of scope ends its process tree") {
  const World world;
  const std::string mark = std::to_string(::getpid()) + ".scope";
  {
    Expected<Process> process =
        Spawn(world.Shell("touch ready; sh -c 'sleep 1000; : " + mark + "' & wait"));
    REQUIRE(process);
    world.AwaitFile("project/ready");
  }
  CHECK(Count(mark) == 0);
}

TEST_CASE("library: when the caller dies, so does the command") {
  const World world;
  const std::string mark = std::to_string(::getpid()) + ".orphan";
  const pid_t caller = ::fork();
  REQUIRE(caller >= 0);
  if (caller == 0) {
    const Expected<Process> process =
        Spawn(world.Shell("touch ready; sh -c 'sleep 1000; : " + mark + "'"));
    ::pause();
    ::_exit(1);
  }
  world.AwaitFile("project/ready");
  CHECK(Count(mark) > 0);
  REQUIRE(::kill(caller, SIGKILL) == 0);
  REQUIRE(::waitpid(caller, nullptr, 0) == caller);
  for (int i = 0; i < 6000 && Count(mark) > 0; ++i) ::usleep(10'000);
  CHECK(Count(mark) == 0);
}

TEST_CASE("library: a signal reaches the command, and the caller can poll for the end") {
  const World world;
  Expected<Process> process =
      Spawn(world.Shell("trap 'exit 7' TERM; touch ready; while :; do sleep 0.01; done"));
  REQUIRE(process);
  world.AwaitFile("project/ready");
  pollfd polled{process->descriptor(), POLLIN, 0};
  CHECK(::poll(&polled, 1, 0) == 0);
  CHECK_FALSE(process->Signal(SIGSTOP));
  CHECK(process->Signal(SIGTERM));
  CHECK(::poll(&polled, 1, -1) == 1);
  CHECK(process->Wait().value().status == 7);
  CHECK_FALSE(process->Signal(SIGTERM));
}

TEST_CASE("library: a program that is not a launcher is an error, not an unconfined command") {
  const World world;
  Command command = world.Shell("touch made");
  for (const char* launcher : {"/bin/true", "/bin/false", "/no/such/program", "ringfence"}) {
    CAPTURE(launcher);
    command.launcher = launcher;
    const Expected<Process> process = Spawn(command);
    CHECK_FALSE(process);
    CHECK_FALSE(Plan(command));
  }
  CHECK_FALSE(world.Has("project/made"));
}

TEST_CASE("library: an invalid command is an error") {
  const World world;
  Command none = world.Shell("");
  none.argv.clear();
  CHECK_FALSE(Spawn(none));
  Command both = world.Shell("true");
  both.policy_text = both.policy_file = "{}";
  CHECK_FALSE(Spawn(both));
  Command nul = world.Shell(std::string("touch made\0x", 12));
  CHECK_FALSE(Spawn(nul));
  Command closed = world.Shell("true");
  closed.stdout_fd = 9999;
  const Expected<Process> process = Spawn(closed);
  REQUIRE_FALSE(process);
  CHECK(process.error().what == "EBADF");
  CHECK_FALSE(world.Has("project/made"));
}

TEST_CASE("library: an unconfined command reports that, and ends by Kill()") {
  const World world;
  Command command =
      world.Shell("touch " + world.data() + "/x; echo ready > ready; exec sleep 1000");
  command.mode = Mode::kUnconfined;
  Expected<Process> process = Spawn(command);
  REQUIRE(process);
  CHECK_FALSE(process->is_confined());
  world.AwaitFile("project/ready");
  CHECK(world.Has("data/x"));
  process->Kill();
  CHECK(process->Wait().value().status == 128 + SIGKILL);
}

TEST_CASE("library: many threads start commands while others allocate and lock") {
  const World world;
  std::atomic<bool> stop = false;
  std::atomic<int> good = 0;
  std::vector<std::thread> busy;
  for (int i = 0; i < 2; ++i) {
    busy.emplace_back([&] {
      while (!stop) {
        std::ostringstream text;
        text << std::string(1000, 'x') << ::getpid();
      }
    });
  }
  std::vector<std::thread> starters;
  for (int i = 0; i < 4; ++i) {
    starters.emplace_back([&, i] {
      for (int j = 0; j < 5; ++j) {
        const int status = 10 + i * 5 + j;
        Expected<Process> process = Spawn(world.Shell("exit " + std::to_string(status)));
        if (!process) continue;
        const Expected<End> end = process->Wait();
        if (end && end->status == status) ++good;
      }
    });
  }
  for (std::thread& thread : starters) thread.join();
  stop = true;
  for (std::thread& thread : busy) thread.join();
  CHECK(good == 20);
}

TEST_CASE("library: no descriptor is left open") {
  const World world;
  const auto count = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = count();
  Command command = world.Shell("true");
  command.policy_text = R"({"version":1})";
  CHECK(Finish(command).status == 0);
  CHECK(Plan(command));
  command.launcher = "/no/such/program";
  CHECK_FALSE(Spawn(command));
  CHECK(count() == before);
}
