// Runs code in a child process that is interrupted at one of its system calls (ptrace(2)).
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace ringfence {

struct InterruptedRun {
  bool was_interrupted = false;  // false: it made fewer calls, and has finished
  int status = 0;                // exit status; 128 + the signal
};

// Kills the child before its call number `at`, from 1.
InterruptedRun KillAt(size_t at, const std::function<int()>& work);

// Makes the call number `at` fail with `code`. Calls that get memory or end the process never fail.
InterruptedRun FailAt(size_t at, int code, const std::function<int()>& work);

// What is below a directory: a line for each name, with its kind, mode and content.
std::string Snapshot(const std::string& folder);

}  // namespace ringfence
