// What is told of a run: lines for people on standard error or, for the program that asks by
// --report, JSON objects, one a line (docs/library.md lists them), and nothing on standard error.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/backend.h"

namespace ringfence {

class RunReport {
 public:
  RunReport() = default;  // for people
  // `descriptor` is a number of an inherited socket; it does not go on to any other program.
  static Result<RunReport> To(const std::string& descriptor);

  // Its other end says whether anybody still waits; -1 where people read.
  int descriptor() const { return socket_.get(); }

  void Warn(std::string_view text) const;
  void Started(const SandboxPlan& plan) const;
  void Refused(const Refusal& refusal, std::string_view text) const;
  void Ended(const ringfence::Ended& ended) const;
  // True when it was told here; else whoever called the run prints it.
  bool Failed(std::string_view step, const Error& error) const;

 private:
  class Line;
  void Send(const Line& line) const;
  UniqueFd socket_;
};

}  // namespace ringfence
