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
// Functions throw nothing but std::bad_alloc; Expected::value() throws Failure for those who like
// it.
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

// Why nothing was run, or could not be waited for.
struct Error {
  std::string step;    // of the setup: "mount view"; "" outside of it
  std::string call;    // "mount(/proc)", or what is wrong: "--write", "policy.json:7:14"
  std::string what;    // "EPERM", or a sentence
  std::string remedy;  // what a person can do; may be empty

  std::string text() const;  // one line
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

  // Throw Failure where there is an error.
  T& value() & { return Get(*this); }
  const T& value() const& { return Get(*this); }
  T&& value() && { return std::move(Get(*this)); }
  T& operator*() & { return Get(*this); }
  const T& operator*() const& { return Get(*this); }
  T&& operator*() && { return std::move(Get(*this)); }
  T* operator->() { return &Get(*this); }
  const T* operator->() const { return &Get(*this); }

  const Error& error() const { return std::get<1>(state_); }  // has_value() is false

 private:
  template <typename Self>
  static auto& Get(Self& self) {
    if (!self.has_value()) Throw(self.error());
    return *std::get_if<0>(&self.state_);
  }
  std::variant<T, Error> state_;
};

enum class Mode : uint8_t {
  kPolicy,      // as the policy says
  kSandbox,     // writes as the policy says
  kReadOnly,    // the project is read-only; `data_dir` is not
  kUnconfined,  // no confinement at all
};

enum class Layers : uint8_t {
  kPolicy,
  kFull,
  kLandlock,  // weaker; for hosts that forbid user namespaces
};

// What to run, and under which policy. Texts may not hold NUL.
struct Command {
  std::vector<std::string> argv{};  // a name without "/" is looked for in PATH of `environment`
  Mode mode = Mode::kPolicy;
  // A directory that may be written besides those of the policy, in every mode; absolute. "": none.
  std::string data_dir{};

  std::string root{};  // of the project; "": the current directory
  std::string cwd{};   // in which the command starts, inside of `root`; "": `root`
  std::optional<std::vector<std::string>> environment{};  // "NAME=value"; nothing: the caller's

  // The policy: one of both, else the user's and the project's as for `ringfence run`.
  std::string policy_file{};
  std::string policy_text{};  // JSON
  std::string profile{};      // of the policy; "": none is chosen
  std::string home{};         // what "~" means in the policy; "": HOME of `environment`
  Layers layers = Layers::kPolicy;

  // Descriptors of the caller that become the command's standard streams; -1: /dev/null. They stay
  // the caller's to close. No other descriptor is inherited.
  int stdin_fd = 0;
  int stdout_fd = 1;
  int stderr_fd = 2;

  // The program `ringfence`, absolute; "": where it was installed with this library.
  std::string launcher{};
};

// What would be confined and how, now, without running anything: text for people, or one JSON
// object. Spawn() plans again, so a file that changes in between changes the plan.
enum class PlanFormat : uint8_t { kText, kJson };
Expected<std::string> Plan(const Command& command, PlanFormat format = PlanFormat::kText);

// A call of the command that was refused.
struct Refusal {
  std::string path;
  std::string code;  // "EACCES"
  std::string why;   // the rule and what to do, one line
};

struct End {
  int status = 0;                 // as a shell says: 126 and 127 where it was not run, 128 + signal
  std::string not_run;            // "claude: ENOENT"; "" where it was run
  uint64_t refusal_count = 0;     // all of them
  std::vector<Refusal> refusals;  // the first ten, each path once
  std::vector<std::string> warnings;  // of ringfence's own, one line each
};

// A confined command and everybody it starts. They end when this object or the caller's process
// does; unconfined (Mode::kUnconfined), only the command itself is ended, and only by Kill() and
// the destructor. Kill(), Signal() and the accessors may be called by any thread and in a signal
// handler while the object lives; Wait() by one thread at a time. The caller must not ignore
// SIGCHLD (SIG_IGN) nor reap children that are not its own.
class Process {
 public:
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();  // kills and waits

  // Blocks until everybody inside has ended. Called again, it gives the same.
  Expected<End> Wait();

  // Asks for the end of everybody inside, and returns at once. Wait() says when it has come.
  void Kill() noexcept;

  // Sends SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT or SIGTSTP to the command's
  // process group. False: not sent (another signal, or it has ended).
  bool Signal(int signal) noexcept;

  pid_t pid() const noexcept;       // of the launcher, not of the command
  int descriptor() const noexcept;  // of this object; poll(2) finds it readable when all is over

  bool is_confined() const noexcept;
  const std::vector<std::string>& weaker() const noexcept;  // what is not enforced, and why

 private:
  friend Expected<Process> Spawn(const Command& command);
  class Impl;
  explicit Process(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Starts the command and returns when the sandbox stands and has passed its test of itself. An
// error means that nothing was run. A program that cannot be executed is no error: see
// End::not_run.
Expected<Process> Spawn(const Command& command);

}  // namespace ringfence::sandbox
