// Runs a program without a shell and hears what it says.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct Finished {
  int exit_status = 0;  // 128 + the signal's number when one ended it
  std::string out;      // of each at most kMostHeard bytes
  std::string err;
};
inline constexpr size_t kMostHeard = size_t{4} << 20;

struct ProgramCall {
  std::string program;  // absolute
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value"
  std::string input;
  std::chrono::milliseconds limit{10'000};
  // Gets what it says on standard output, piece by piece, in the place of Finished::out.
  std::function<void(std::string_view)> hear = {};
};

// An error when it cannot be started, takes longer than the limit or says more than kMostHeard (it
// is killed then).
Result<Finished> Run(const ProgramCall& call);

}  // namespace ringfence
