// Result of a command of the command line.
#pragma once

#include <optional>
#include <utility>

#include "base/result.h"

namespace ringfence {

// Exit status 0: done; 1: the answer is no; 2: wrong usage or unusable input; `ringfence run` has
// more. The error, if any, is printed once, by main() or the code next to it.
struct Outcome {
  int status = 0;
  std::optional<Error> error;

  Outcome() = default;
  Outcome(int exit_status) : status(exit_status) {}
  Outcome(Error cause) : status(2), error(std::move(cause)) {}
  static Outcome No(Error cause) {
    Outcome outcome(std::move(cause));
    outcome.status = 1;
    return outcome;
  }
};

}  // namespace ringfence
