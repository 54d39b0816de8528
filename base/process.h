// Runs a program without a shell and captures its output.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct Finished {
  int exit_status = 0;  // 128 + the signal number if a signal ended it
  std::string out;      // `out` and `err`: at most kMostHeard bytes each
  std::string err;
};
inline constexpr size_t kMostHeard = size_t{4} << 20;

struct ProgramCall {
  std::string program;  // absolute
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value"
  std::string input;
  std::chrono::milliseconds limit{10'000};
  // If set, receives standard output piece by piece, instead of Finished::out.
  std::function<void(std::string_view)> hear = {};
};

// Returns an error if the program cannot be started, exceeds the time limit or writes more than
// kMostHeard bytes; kills it in the last two cases.
Result<Finished> Run(const ProgramCall& call);

}  // namespace ringfence
