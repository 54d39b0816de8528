// ringfence-hook: one event in, one answer out. See docs/hook-protocol.md.
#ifdef __linux__
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <span>

#include "base/syscall.h"
#include "hook/answer.h"
#include "hook/fail_closed.h"
#include "hook/options.h"
#include "hook/serve.h"
#include "hook/stdin_source.h"

namespace ringfence {
namespace {

class Stdout final : public Output {
 public:
  bool Print(const std::string& out) override { return WriteAll(STDOUT_FILENO, out).has_value(); }
};

// The name that this program was started by; it only protects that file, so an unknown one is no
// error.
std::string OwnProgram() {
#ifdef __linux__
  // The kernel hands over the address of the text (getauxval(3)).
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const auto* name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return name == nullptr ? "" : name;
#elif defined(__APPLE__)
  std::array<char, 1024> name{};
  uint32_t size = name.size();
  return ::_NSGetExecutablePath(name.data(), &size) == 0 ? name.data() : "";
#else
  return "";
#endif
}

// The same without links. Empty where the system does not tell: that costs looks at the way there.
Result<std::string> OwnProgramReal() {
#ifdef __linux__
  constexpr const char* kSelf = "/proc/self/exe";  // proc(5)
  std::string name(4096, '\0');                    // PATH_MAX
  const ssize_t length = ::readlink(kSelf, name.data(), name.size());
  if (length >= 0) return name.substr(0, static_cast<size_t>(length));
  const bool is_hidden = errno == ENOENT || errno == EACCES || errno == ELOOP;
  if (!is_hidden) return SystemError("readlink(" + std::string(kSelf) + ")");
#endif
  return std::string();
}

uint32_t EffectiveUser() {
#ifdef __linux__
  return static_cast<uint32_t>(::getauxval(AT_EUID));  // without a system call
#else
  return ::geteuid();
#endif
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Only these three are read: the client lets no project set the first two, and the third can only
// protect more names.
Result<Registration> RegistrationOf(const HookOptions& options) {
  Result<std::string> program_real = OwnProgramReal();
  if (!program_real) return program_real.error();
  return Registration{.root = options.root,
                      .project_dir = Variable("CLAUDE_PROJECT_DIR"),
                      .home = options.home,
                      .home_variable = Variable("HOME"),
                      .config_dir = Variable("CLAUDE_CONFIG_DIR"),
                      .policy = options.policy,
                      .profile = options.profile,
                      .program = OwnProgram(),
                      .program_real = std::move(*program_real),
                      .user = EffectiveUser()};
}

[[noreturn]] void End(const Reply& reply) {
  if (!reply.err.empty()) {
    [[maybe_unused]] const Status written = WriteAll(STDERR_FILENO, reply.err);
  }
  Exit(reply.status);
}

[[noreturn]] void EndRefused(const Error& error, StdinSource& source) {
  source.Drain();
  End({"", RefusalLine(error, ""), 2});
}

[[noreturn]] void Run(std::span<char* const> arguments) {
  if (Status s = FailClosed(); !s) End({"", RefusalLine(s.error(), ""), 2});
  StdinSource source;
  const Result<HookOptions> options = ParseHookOptions(arguments);
  if (!options) EndRefused(options.error(), source);
  Stdout output;
  if (options->help || options->version) {
    const bool printed =
        output.Print(options->help ? HookHelp() : "ringfence-hook " RINGFENCE_VERSION "\n");
    Exit(printed ? 0 : 2);
  }
  const Result<Registration> registration = RegistrationOf(*options);
  if (!registration) EndRefused(registration.error(), source);
  const Reply reply = Serve(*registration, source, output);
  source.Drain();
  End(reply);
}

}  // namespace
}  // namespace ringfence

int main(int argc, char** argv) {
  const std::span<char* const> arguments(argv, static_cast<size_t>(argc < 0 ? 0 : argc));
  ringfence::Run(arguments.subspan(arguments.empty() ? 0 : 1));
}
