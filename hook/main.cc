// ringfence-hook: one event in, one answer out. See docs/hook-protocol.md.
#include <poll.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>

#include "agents/claude/agent.h"
#include "agents/claude/answer.h"
#include "base/environment.h"
#include "base/json_scanner.h"
#include "base/program.h"
#include "base/syscall.h"
#include "hook/fail_closed.h"
#include "hook/options.h"
#include "hook/plugin_command.h"
#include "hook/serve.h"

namespace ringfence {
namespace {

// As large as a pipe, and too large for a small stack. There is only one standard input.
std::array<char, 65536> buffer;

// Reads the event as it arrives. Input is always read to its end: a client that cannot write all of
// it would consider the hook broken.
class StdinSource final : public ByteSource {
 public:
  Result<std::string_view> Next() override {
    while (!at_end_) {
      const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
      if (got > 0) return std::string_view(buffer.data(), static_cast<size_t>(got));
      if (got == 0) {
        at_end_ = true;
        break;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) {
        at_end_ = true;
        return SystemError("read(stdin)");
      }
      pollfd wait{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
      if (::poll(&wait, 1, -1) < 0 && errno != EINTR) {  // bounded by the deadline
        at_end_ = true;
        return SystemError("poll(stdin)");
      }
    }
    return std::string_view();
  }

  // Reads and discards the rest.
  void Drain() {
    while (!at_end_) {
      if (const Result<std::string_view> bytes = Next(); !bytes) return;
    }
  }

 private:
  bool at_end_ = false;
};

class Stdout final : public Output {
 public:
  bool Print(const std::string& out) override { return WriteAll(STDOUT_FILENO, out).has_value(); }
};

uint32_t EffectiveUser() {
#ifdef __linux__
  return static_cast<uint32_t>(::getauxval(AT_EUID));  // without a system call
#else
  return ::geteuid();
#endif
}

// Reads only these three variables: the client lets no project set the first two, and the third can
// only protect more names.
Result<Registration> RegistrationOf(const HookOptions& options) {
  Result<std::string> program_real = OwnProgramReal();
  if (!program_real) return program_real.error();
  Registration registration = options;
  const Agent& agent = ClaudeCode();
  registration.agent = &agent;
  registration.project_dir = Variable(agent.variables.project);
  registration.home_variable = Variable("HOME");
  registration.config_dir = Variable(agent.variables.settings);
  registration.program = OwnProgram();
  registration.program_real = std::move(*program_real);
  registration.user = EffectiveUser();
  if (registration.is_plugin) {
    // The plugin names the program relative to its own directory, and has no --home. With these,
    // its answers equal those of a registration by `ringfence init`.
    if (!registration.program_real.empty()) registration.program = registration.program_real;
    if (registration.home.empty()) registration.home = registration.home_variable;
  }
  return registration;
}

[[noreturn]] void EndWith(const Reply& reply) {
  if (!reply.err.empty()) {
    [[maybe_unused]] const Status written = WriteAll(STDERR_FILENO, reply.err);
  }
  Exit(reply.status);
}

[[noreturn, gnu::noinline]] void EndRefused(const Error& error) {
  EndWith({RefusalLine(error, ""), 2, {}});
}

// Returns only if the program cannot be started.
Error Become(std::vector<std::string> program, const Registration& registration) {
  const std::vector<char*> arguments = ArgumentPointers(program);
  std::vector<std::string> variables = AnswerEnvironment(registration);
  const std::vector<char*> environment = ArgumentPointers(variables);
  if (Status s = LiftLimits(); !s) return s.error();
  ::execve(program.front().c_str(), arguments.data(), environment.data());
  Error error = SystemError("start " + program.front());
  error.hint = "both programs are needed: install ringfence again";
  return error;
}

// Not inlined into main: its variables take 5 KiB of stack, and a stack overflow is caught only
// once FailClosed() has been called.
[[noreturn, gnu::noinline]] void Run(std::span<char* const> arguments) {
  StdinSource source;
  const Result<HookOptions> options = ParseHookOptions(arguments);
  if (!options) {
    source.Drain();
    EndRefused(options.error());
  }
  Stdout output;
  if (options->help || options->version) {
    const bool printed =
        output.Print(options->help ? HookHelp() : "ringfence-hook " RINGFENCE_VERSION "\n");
    Exit(printed ? 0 : 2);
  }
  const Result<Registration> registration = RegistrationOf(*options);
  if (!registration) {
    source.Drain();
    EndRefused(registration.error());
  }
  const Reply reply = Serve(*registration, source, output);
  source.Drain();
  if (!reply.program.empty()) EndRefused(Become(reply.program, *registration));
  EndWith(reply);
}

}  // namespace
}  // namespace ringfence

int main(int argc, char** argv) {
  if (const ringfence::Status s = ringfence::FailClosed(); !s) ringfence::EndRefused(s.error());
  const std::span<char* const> arguments(argv, static_cast<size_t>(argc < 0 ? 0 : argc));
  ringfence::Run(arguments.subspan(arguments.empty() ? 0 : 1));
}
