#include "tests/support/interrupted_run.h"

#include <doctest/doctest.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ringfence {
namespace {

constexpr long kNoCall = -1;

bool MayFail(long call) {
  constexpr std::array kNever = {SYS_mmap,       SYS_munmap, SYS_brk,   SYS_mprotect,
                                 SYS_exit_group, SYS_exit,   SYS_close, SYS_madvise};
  return std::ranges::find(kNever, call) == kNever.end();
}

class Tracer {
 public:
  Tracer(pid_t child, size_t at, int code) : child_(child), at_(at), code_(code) {}

  InterruptedRun Run() {
    int status = 0;
    REQUIRE(::waitpid(child_, &status, 0) == child_);
    REQUIRE(WIFSTOPPED(status));
    REQUIRE(::ptrace(PTRACE_SETOPTIONS, child_, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0);
    int signal = 0;
    for (;;) {
      if (::ptrace(PTRACE_SYSCALL, child_, 0, signal) != 0) break;
      REQUIRE(::waitpid(child_, &status, 0) == child_);
      if (WIFEXITED(status) || WIFSIGNALED(status)) break;
      constexpr int kAtCall = SIGTRAP | 0x80;
      signal = WSTOPSIG(status) == kAtCall ? 0 : WSTOPSIG(status);
      if (signal == 0 && !AtCall()) break;
    }
    if (WIFSTOPPED(status)) {
      ::kill(child_, SIGKILL);
      REQUIRE(::waitpid(child_, &status, 0) == child_);
    }
    run_.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return run_;
  }

 private:
  // Returns false if the child is to be killed.
  bool AtCall() {
    is_entry_ = !is_entry_;
    user_regs_struct registers{};
    REQUIRE(::ptrace(PTRACE_GETREGS, child_, 0, &registers) == 0);
    if (!is_entry_) {
      if (fails_now_) {
        registers.rax = static_cast<unsigned long long>(-code_);
        REQUIRE(::ptrace(PTRACE_SETREGS, child_, 0, &registers) == 0);
        fails_now_ = false;
      }
      return true;
    }
    if (++calls_ != at_) return true;
    if (code_ == 0) {
      run_.was_interrupted = true;
      return false;
    }
    run_.was_interrupted = true;
    if (!MayFail(static_cast<long>(registers.orig_rax))) return true;
    fails_now_ = true;
    registers.orig_rax = static_cast<unsigned long long>(kNoCall);
    REQUIRE(::ptrace(PTRACE_SETREGS, child_, 0, &registers) == 0);
    return true;
  }

  pid_t child_;
  size_t at_;
  int code_;
  size_t calls_ = 0;
  bool is_entry_ = false;
  bool fails_now_ = false;
  InterruptedRun run_;
};

InterruptedRun Interrupt(size_t at, int code, const std::function<int()>& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, 0, 0);
    ::raise(SIGSTOP);
    ::_exit(work());
  }
  return Tracer(child, at, code).Run();
}

}  // namespace

InterruptedRun KillAt(size_t at, const std::function<int()>& work) {
  return Interrupt(at, 0, work);
}

InterruptedRun FailAt(size_t at, int code, const std::function<int()>& work) {
  return Interrupt(at, code, work);
}

std::string Snapshot(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> lines;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    struct stat facts {};
    REQUIRE(::lstat(entry.path().c_str(), &facts) == 0);
    std::ostringstream line;
    line << fs::relative(entry.path(), folder).string() << " " << std::oct << facts.st_mode << " ";
    if (entry.is_symlink()) {
      line << fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      line << std::ifstream(entry.path()).rdbuf();
    }
    std::array<char, 256> names{};
    const ssize_t size = ::llistxattr(entry.path().c_str(), names.data(), names.size());
    if (size > 0) line << std::string(names.data(), static_cast<size_t>(size));
    lines.push_back(line.str());
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace ringfence
