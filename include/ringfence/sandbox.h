// libringfence: starts commands confined by the kernel under a ringfence policy, from a C++
// program.
//
//   using namespace ringfence::sandbox;
//   Expected<Process> process = Spawn({.argv = {"make", "test"}, .root = "/home/dev/project"});
//   if (!process) return Complain(process.error().text());
//   Expected<End> end = process->Wait();
//
// The library starts the installed program `ringfence`, which plans, confines and waits. So nothing
// of the setup runs in the caller's process, which may have threads, handlers and locks of its own.
// Functions throw only std::bad_alloc; access to the value of an Expected can also throw Failure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ringfence::sandbox {

// The reason why Plan(), Spawn() or Wait() failed.
struct Error {
  std::string step;    // the step of the setup that failed: "mount view"; "" for other errors
  std::string call;    // "mount(/proc)", or the invalid input: "--write", "policy.json:7:14"
  std::string what;    // "EPERM", or a sentence
  std::string remedy;  // what the user can do; may be empty

  std::string text() const;  // one line, without the remedy
};

class Failure : public std::runtime_error {
 public:
  explicit Failure(Error error) : std::runtime_error(error.text()), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};
[[noreturn]] void Throw(const Error& error);

// A value or an Error, with the member names of std::expected.
template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // These throw Failure if there is an error.
  T& value() & { return Get(*this); }
  const T& value() const& { return Get(*this); }
  T&& value() && { return std::move(Get(*this)); }
  T& operator*() & { return Get(*this); }
  const T& operator*() const& { return Get(*this); }
  T&& operator*() && { return std::move(Get(*this)); }
  T* operator->() { return &Get(*this); }
  const T* operator->() const { return &Get(*this); }

  const Error& error() const { return std::get<1>(state_); }  // requires !has_value()

 private:
  template <typename Self>
  static auto& Get(Self& self) {
    if (!self.has_value()) Throw(self.error());
    return *std::get_if<0>(&self.state_);
  }
  std::variant<T, Error> state_;
};

enum class Mode : uint8_t {
  kPolicy,      // the policy's mode
  kSandbox,     // the command can write what the policy allows
  kReadOnly,    // the project is read-only; `data_dir` is writable
  kUnconfined,  // no confinement
};

enum class Layers : uint8_t {
  kPolicy,
  kFull,
  kLandlock,  // for hosts that forbid user namespaces; weaker
};

// A command and the policy to run it under. No string may contain NUL.
struct Command {
  std::vector<std::string> argv{};  // a name without "/" is searched for in PATH of `environment`
  Mode mode = Mode::kPolicy;
  // The absolute path of an additional directory that is writable in every mode. "": none.
  std::string data_dir{};

  std::string root{};  // the project's directory; "": the current directory
  std::string cwd{};   // the directory to start in, inside `root`; "": `root`
  std::optional<std::vector<std::string>> environment{};  // "NAME=value"; nullopt: the caller's

  // Set at most one of the two. If neither is set, the policies of `ringfence run` apply.
  std::string policy_file{};
  std::string policy_text{};  // JSON
  std::string profile{};      // a profile of the policy; "": none is selected by name
  std::string home{};         // the meaning of "~" in the policy; "": HOME of `environment`
  Layers layers = Layers::kPolicy;

  // The caller's descriptors for the command's standard streams; -1: /dev/null. The caller still
  // has to close them. The command inherits no other descriptor.
  int stdin_fd = 0;
  int stdout_fd = 1;
  int stderr_fd = 2;

  // The absolute path of the program `ringfence`; "": the one installed with this library.
  std::string launcher{};
};

// Returns the plan of the sandbox without running anything: text for people, or one JSON object.
// Spawn() makes a plan of its own, which differs if files have changed in between.
enum class PlanFormat : uint8_t { kText, kJson };
Expected<std::string> Plan(const Command& command, PlanFormat format = PlanFormat::kText);

// An operation of the command or a descendant that was refused.
struct Refusal {
  std::string path;
  std::string code;  // "EACCES"
  std::string why;   // the rule, and what to do; one line
};

struct End {
  int status = 0;                     // as in a shell: 126 or 127 if it was not run, 128 + signal
  std::string not_run;                // "claude: ENOENT"; "" if it was run
  uint64_t refusal_count = 0;         // includes those that `refusals` leaves out
  std::vector<Refusal> refusals;      // the first ten, each path once
  std::vector<std::string> warnings;  // ringfence's own, one line each
};

// A confined command and all its descendants, which are killed when this object is destroyed or the
// caller's process ends. Without confinement, only Kill() and the destructor kill the command; its
// descendants continue. Any thread and any signal handler may call Kill(), Signal() and the
// accessors while the object exists; only one thread at a time may call Wait(). The caller must not
// set SIGCHLD to SIG_IGN, nor reap children that it did not start itself.
class Process {
 public:
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();  // kills and waits

  // Blocks until the command and, if confined, its descendants have ended. Later calls return the
  // same result.
  Expected<End> Wait();

  // Starts to kill the processes and returns at once; use Wait() to learn when they have ended.
  void Kill() noexcept;

  // Sends SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT or SIGTSTP to the command's
  // process group. Returns false for any other signal, and if the command has ended.
  bool Signal(int signal) noexcept;

  pid_t pid() const noexcept;       // of the launcher, not of the command
  int descriptor() const noexcept;  // owned by this object; poll(2): readable once all have ended

  bool is_confined() const noexcept;
  const std::vector<std::string>& weaker() const noexcept;  // missing protections, and why

 private:
  friend Expected<Process> Spawn(const Command& command);
  class Impl;
  explicit Process(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Starts the command, and returns once the sandbox is set up and has passed its self-test. After an
// error, nothing was run. A program that cannot be executed is not an error: see End::not_run.
Expected<Process> Spawn(const Command& command);

}  // namespace ringfence::sandbox
