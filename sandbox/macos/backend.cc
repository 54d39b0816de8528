// macOS: writes the plan as a profile (SeatbeltProfile()) and starts /usr/bin/sandbox-exec, which
// applies the profile to itself and becomes the command.
#include "sandbox/backend.h"

#include <fcntl.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/not_copied.h"
#include "base/program.h"
#include "base/syscall.h"
#include "base/unique_fd.h"
#include "sandbox/private_folders.h"
#include "sandbox/render.h"
#include "sandbox/run_bare.h"

namespace ringfence {
namespace {
constexpr const char* kSandboxExec = "/usr/bin/sandbox-exec";
constexpr const char* kTrue = "/usr/bin/true";
// A terminal sends its own signals to the whole group, and so to the command as well.
constexpr int kSentToCommand[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr int kOfTerminal[] = {SIGINT, SIGQUIT};

using Failure = std::optional<SetupFailure>;

Failure Failed(std::string step, std::string_view where, int code) {
  return SetupFailure{std::move(step), SystemError(where, code), {}};
}

Failure MakeEachFolder(const std::string& step, const Path& folder, mode_t mode) {
  std::string_view rest = folder.text();
  Path path;
  for (;;) {
    const std::string_view name = TakeComponent(rest);
    if (name.empty()) return {};
    path = path.Child(name);
    if (::mkdir(path.text().c_str(), mode) == 0 || errno == EEXIST) continue;
    const int code = errno;
    if (::access(path.text().c_str(), F_OK) != 0) {
      return Failed(step, "mkdir(" + path.text() + ")", code);
    }
  }
}

// Makes a directory, and ensures that no other user can have put anything into it.
Failure MakeOwnFolder(const std::string& step, const Path& folder) {
  if (Failure failure = MakeEachFolder(step, folder, 0700)) return failure;
  struct stat facts {};
  if (::lstat(folder.text().c_str(), &facts) != 0) {
    return Failed(step, "lstat(" + folder.text() + ")", errno);
  }
  if (!S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 022) != 0) {
    return SetupFailure{
        step,
        Error{Error::Kind::kSystem, folder.text(), "is not this user's own directory", ""},
        {}};
  }
  return {};
}

// The profile file, which exists as long as the command runs. It is in ringfence's state directory,
// a protected name that no plan makes writable.
class ProfileFile : NotCopied {
 public:
  ~ProfileFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  Failure Write(const SandboxPlan& plan) {
    const passwd* user = ::getpwuid(::geteuid());
    if (user == nullptr) return Failed("profile", "getpwuid", errno);
    const Path folder = Path::Clean(std::string(user->pw_dir) + "/.local/state/ringfence");
    if (Failure failure = MakeOwnFolder("profile", folder)) return failure;
    std::string path = folder.text() + "/seatbelt-XXXXXX.sb";
    const UniqueFd file(::mkostemps(path.data(), 3, O_CLOEXEC));  // O_EXCL and 0600
    if (!file.valid()) return Failed("profile", "mkostemps(" + path + ")", errno);
    path_ = path;
    const Status written = WriteAll(file.get(), SeatbeltProfile(plan));
    if (!written) return SetupFailure{"profile", written.error(), {}};
    return {};
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Spawned {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::string folder;  // working directory
};

// Closes all descriptors except the standard streams, and sets the child's signal mask to
// `unblocked`.
int Spawn(Spawned child, const sigset_t& unblocked, pid_t* pid) {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addinherit_np(&actions, fd);
  }
  ::posix_spawn_file_actions_addchdir_np(&actions, child.folder.c_str());
  ::posix_spawnattr_setsigmask(&attributes, &unblocked);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT);
  const int code = ::posix_spawn(pid, child.arguments.front().c_str(), &actions, &attributes,
                                 ArgumentPointers(child.arguments).data(),
                                 ArgumentPointers(child.environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return code;
}

int StatusOf(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

class Launcher {
 public:
  explicit Launcher(const SandboxPlan& plan) : plan_(plan) {}

  Result<Ended> Run() {
    Ended ended;
    ended.failure = SetUp();
    if (ended.failure) return ended;
    int code = ENOENT;
    const std::string program = FindProgram(plan_, &code);
    if (program.empty()) return NotRun(plan_, code);
    std::vector<std::string> arguments{program};
    arguments.insert(arguments.end(), plan_.argv.begin() + 1, plan_.argv.end());
    return Start(std::move(arguments));
  }

 private:
  Failure SetUp() {
    for (const PlannedPlace& place : plan_.writable) {
      if (!place.make) continue;
      if (Failure failure = MakeEachFolder("make places", place.path, 0777)) return failure;
    }
    if (plan_.private_tmp) {
      if (Failure failure = MakeOwnFolder("temporary directory", PrivateTmp(plan_))) return failure;
    }
    if (::access(kSandboxExec, X_OK) != 0) return Failed("sandbox-exec", kSandboxExec, errno);
    if (Failure failure = profile_.Write(plan_)) return failure;
    return Try();
  }

  Spawned Confined(std::vector<std::string> arguments) const {
    Spawned child{.arguments = {kSandboxExec, "-f", profile_.path(), "--"},
                  .environment = plan_.environment,
                  .folder = plan_.cwd.text()};
    child.arguments.insert(child.arguments.end(), arguments.begin(), arguments.end());
    return child;
  }

  // Detects, before the command starts, a profile that this version of macOS does not accept.
  Failure Try() const {
    sigset_t mask;
    ::sigprocmask(SIG_SETMASK, nullptr, &mask);
    pid_t pid = -1;
    if (const int code = Spawn(Confined({kTrue}), mask, &pid); code != 0) {
      return Failed("sandbox-exec", "posix_spawn", code);
    }
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (StatusOf(status) == 0) return {};
    return SetupFailure{"sandbox-exec",
                        Error{Error::Kind::kSystem, "a trial of the profile",
                              "status " + std::to_string(StatusOf(status)), ""},
                        {}};
  }

  Result<Ended> Start(std::vector<std::string> arguments) const {
    sigset_t heard;
    sigset_t before;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    for (const int signal : kSentToCommand) sigaddset(&heard, signal);
    for (const int signal : kOfTerminal) sigaddset(&heard, signal);
    ::sigprocmask(SIG_BLOCK, &heard, &before);
    Ended ended;
    pid_t pid = -1;
    if (const int code = Spawn(Confined(std::move(arguments)), before, &pid); code != 0) {
      ended.failure = Failed("sandbox-exec", "posix_spawn", code);
    } else {
      ended.status = Wait(pid, heard);
    }
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return ended;
  }

  static int Wait(pid_t pid, const sigset_t& heard) {
    const bool has_terminal = ::isatty(STDIN_FILENO) != 0;
    for (;;) {
      int status = 0;
      if (::waitpid(pid, &status, WNOHANG) == pid) return StatusOf(status);
      int signal = 0;
      if (::sigwait(&heard, &signal) != 0 || signal == SIGCHLD) continue;
      const bool of_terminal = signal == SIGINT || signal == SIGQUIT;
      if (!of_terminal || !has_terminal) ::kill(pid, signal);
    }
  }

  const SandboxPlan& plan_;
  ProfileFile profile_;
};

}  // namespace

Result<bool> ReachOwnFiles() { return false; }

HostFacts ProbeHost(const SandboxRules&) {
  HostFacts facts;
  facts.system = HostSystem::kMacos;
  facts.has_proxy = false;
  utsname name{};
  if (::uname(&name) == 0) facts.kernel = std::string(name.sysname) + " " + name.release;
  facts.user = ::geteuid();
  facts.group = ::getegid();
  return facts;
}

HostFacts ProbeHostForReport(const SandboxRules& rules) { return ProbeHost(rules); }

Result<Ended> RunConfined(const SandboxPlan& plan, const RunWatch& watch) {
  watch.observer.Started(plan);
  return Launcher(plan).Run();
}

}  // namespace ringfence
