#include "sandbox/linux/foreign_program.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/limits.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

#ifdef __aarch64__
constexpr uint32_t kOwnArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kOwnArchitecture = AUDIT_ARCH_X86_64;
#endif

bool IsFor32Bits(const UniqueFd& program) {
  std::array<unsigned char, EI_NIDENT> begin{};
  return ::pread(program.get(), begin.data(), begin.size(), 0) == EI_NIDENT &&
         std::memcmp(begin.data(), ELFMAG, SELFMAG) == 0 && begin[EI_CLASS] == ELFCLASS32;
}

}  // namespace

bool IsForeign(const seccomp_notif& call) { return call.data.arch != kOwnArchitecture; }

void AnswerForeign(const SupervisedCaller& caller, Supervision& supervision) {
  const pid_t process = caller.process();
  const std::string name = std::to_string(process) + "/exe";
  const UniqueFd program(::openat(supervision.proc.get(), name.c_str(), O_RDONLY | O_CLOEXEC));
  if (process <= 0 || !program.valid() || !IsFor32Bits(program) || !caller.IsWaiting()) {
    return caller.ReturnError(ENOSYS);
  }
  const Result<std::string> path = RealPath(supervision, program);
  if (path) ReportProgram(supervision, *path, "the sandbox runs no 32-bit programs");
  ::kill(process, SIGKILL);
}

}  // namespace ringfence
