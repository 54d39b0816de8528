#include "sandbox/run_bare.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/program.h"
#include "base/syscall.h"

namespace ringfence {

Ended NotRun(const SandboxPlan& plan, int code) {
  Ended ended;
  ended.status = code == ENOENT ? 127 : 126;
  ended.not_run = {plan.argv.front(), code};
  return ended;
}

std::string FindProgram(const SandboxPlan& plan, int* code) {
  *code = ENOENT;
  for (const std::string& program : plan.programs) {
    struct stat facts {};
    if (::stat(program.c_str(), &facts) != 0) {
      if (errno != ENOENT && errno != ENOTDIR) *code = errno;
    } else if (!S_ISREG(facts.st_mode) || ::access(program.c_str(), X_OK) != 0) {
      *code = EACCES;
    } else {
      return program;
    }
  }
  return "";
}

Ended RunBare(const SandboxPlan& plan, const Inherited& inherited) {
  std::vector<std::string> arguments = plan.argv;
  std::vector<std::string> environment = plan.environment;
  int code = ENOENT;
  const std::string program = FindProgram(plan, &code);
  if (program.empty()) return NotRun(plan, code);
  if (const Status restored = inherited.RestoreAll(); !restored) {
    return Ended{.failure = SetupFailure{"signals", restored.error(), {}}};
  }
  ::execve(program.c_str(), ArgumentPointers(arguments).data(),
           ArgumentPointers(environment).data());
  code = errno;
  if (code == ENOEXEC) {  // the shell runs a script without an interpreter line (execvp(3))
    arguments.front() = program;
    arguments.insert(arguments.begin(), "sh");
    ::execve("/bin/sh", ArgumentPointers(arguments).data(), ArgumentPointers(environment).data());
  }
  return NotRun(plan, code);
}

}  // namespace ringfence
