#include "library/launch.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>

#include "base/not_copied.h"
#include "base/program.h"
#include "base/syscall.h"

namespace ringfence::sandbox {
namespace {

// Descriptor numbers in the child.
constexpr int kReport = 3;
constexpr int kPolicy = 4;
constexpr int kFirstFree = 5;

Error LaunchError(std::string call, std::string what, std::string remedy = "") {
  return Error{"", std::move(call), std::move(what), std::move(remedy)};
}

bool HasNul(const std::string& text) { return text.find('\0') != std::string::npos; }

bool HasNul(const std::vector<std::string>& texts) {
  return std::ranges::any_of(texts, [](const std::string& text) { return HasNul(text); });
}

const char* ModeName(Mode mode) {
  if (mode == Mode::kSandbox) return "sandbox";
  if (mode == Mode::kReadOnly) return "rx";
  return mode == Mode::kUnconfined ? "rwx" : "";
}

const char* LayersName(Layers layers) {
  if (layers == Layers::kFull) return "full";
  return layers == Layers::kLandlock ? "landlock" : "";
}

// Returns a sealed copy of the policy's text, in a file that has no name in any directory.
Expected<UniqueFd> PolicyFile(const std::string& text) {
  UniqueFd file(::memfd_create("policy", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid()) return FailedCall("memfd_create", errno);
  // A new memfd is writable for all users, which no policy file may be.
  if (::fchmod(file.get(), 0400) != 0) return FailedCall("fchmod(policy)", errno);
  if (const Status s = WriteAll(file.get(), text); !s) {
    return LaunchError(s.error().where, s.error().what);
  }
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    return FailedCall("fcntl(F_ADD_SEALS)", errno);
  }
  return file;
}

// Uses posix_spawn(3): safe with threads, and fast however large the calling process is.
class Spawner : NotCopied {
 public:
  Spawner() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~Spawner() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }

  // Passes `fd` to the child as `number`; -1 means /dev/null. Copies `fd` out of the way first,
  // since another descriptor may get its number.
  std::optional<Error> Hand(int fd, int number) {
    UniqueFd copy(fd < 0 ? ::open("/dev/null", O_RDWR | O_CLOEXEC)
                         : ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFree));
    if (!copy.valid()) return FailedCall("fcntl(F_DUPFD)", errno);
    // dup2(2) onto itself would leave it close-on-exec.
    if (copy.get() < kFirstFree) copy = UniqueFd(::fcntl(copy.get(), F_DUPFD_CLOEXEC, kFirstFree));
    if (!copy.valid()) return FailedCall("fcntl(F_DUPFD)", errno);
    if (const int code = ::posix_spawn_file_actions_adddup2(&actions_, copy.get(), number)) {
      return FailedCall("posix_spawn_file_actions_adddup2", code);
    }
    handed_.push_back(std::move(copy));
    next_ = number + 1;
    return {};
  }

  Expected<pid_t> Start(std::vector<std::string> words, std::vector<std::string> environment) {
    if (const int code = ::posix_spawn_file_actions_addclosefrom_np(&actions_, next_)) {
      return FailedCall("posix_spawn_file_actions_addclosefrom_np", code);
    }
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const int code =
        ::posix_spawn(&pid, words.front().c_str(), &actions_, &attributes_,
                      ArgumentPointers(words).data(), ArgumentPointers(environment).data());
    if (code == 0) return pid;
    return LaunchError("posix_spawn(" + words.front() + ")", ErrnoName(code),
                       "install ringfence, or name its program: Command::launcher");
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  std::vector<UniqueFd> handed_;
  int next_ = 0;
};

// Refuses commands that cannot be passed to the launcher unchanged.
std::optional<Error> Check(const Command& command) {
  if (command.argv.empty() || command.argv.front().empty()) {
    return LaunchError("argv", "no command is given");
  }
  if (!LauncherOf(command).starts_with('/')) {
    return LaunchError("launcher", "is not an absolute path",
                       "name the installed program ringfence");
  }
  if (!command.policy_file.empty() && !command.policy_text.empty()) {
    return LaunchError("policy_text", "cannot be combined with policy_file",
                       "set only one of them");
  }
  const bool has_nul = HasNul(command.argv) ||
                       HasNul({command.data_dir, command.root, command.cwd, command.policy_file,
                               command.profile, command.home, command.launcher});
  if (has_nul || (command.environment && HasNul(*command.environment))) {
    return LaunchError("command", "holds a NUL byte");
  }
  return {};
}

std::vector<std::string> EnvironmentOf(const Command& command) {
  if (command.environment) return *command.environment;
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
  }
  return environment;
}

}  // namespace

Error FailedCall(const char* call, int code) { return LaunchError(call, ErrnoName(code)); }

std::string LauncherOf(const Command& command) {
  return command.launcher.empty() ? RINGFENCE_LAUNCHER : command.launcher;
}

Expected<std::vector<std::string>> LaunchOptions(const Command& command) {
  if (std::optional<Error> error = Check(command)) return *error;
  std::string root = command.root;
  if (root.empty()) {
    std::array<char, PATH_MAX> here{};
    if (::getcwd(here.data(), here.size()) == nullptr) return FailedCall("getcwd", errno);
    root = here.data();
  }
  std::vector<std::string> options;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) options.push_back(std::string(name) + "=" + value);
  };
  add("--root", root);
  add("--chdir", command.cwd.empty() ? root : command.cwd);
  add("--write", command.data_dir);
  add("--mode", ModeName(command.mode));
  add("--layers", LayersName(command.layers));
  add("--profile", command.profile);
  add("--home", command.home);
  add("--policy", command.policy_text.empty() ? command.policy_file
                                              : "/proc/self/fd/" + std::to_string(kPolicy));
  return options;
}

Expected<pid_t> Start(Launch launch) {
  Spawner spawner;
  std::vector<std::string> words{LauncherOf(launch.command), "run"};
  for (std::string& option : launch.options) words.push_back(std::move(option));
  const std::array streams{launch.command.stdin_fd, launch.stdout_fd, launch.stderr_fd};
  for (int number = 0; number < static_cast<int>(streams.size()); ++number) {
    if (auto error = spawner.Hand(streams.at(static_cast<size_t>(number)), number)) return *error;
  }
  words.push_back("--report=" + std::to_string(kReport));
  if (auto error = spawner.Hand(launch.report.get(), kReport)) return *error;
  if (!launch.command.policy_text.empty()) {
    const Expected<UniqueFd> policy = PolicyFile(launch.command.policy_text);
    if (!policy) return policy.error();
    if (auto error = spawner.Hand(policy->get(), kPolicy)) return *error;
  }
  words.emplace_back("--");
  for (const std::string& word : launch.command.argv) words.push_back(word);
  return spawner.Start(std::move(words), EnvironmentOf(launch.command));
}

}  // namespace ringfence::sandbox
