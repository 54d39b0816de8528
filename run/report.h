// Reports on a run: lines of text on standard error or, for a program that asks with --report, JSON
// objects, one per line (listed in docs/library.md), and nothing on standard error.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/backend.h"

namespace ringfence {

class RunReport {
 public:
  RunReport() = default;  // text on standard error
  // `descriptor` is the number of an inherited socket, which is not passed on to any other program.
  static Result<RunReport> To(const std::string& descriptor);

  // The socket; its other end is closed once no program waits any longer. -1 for text output.
  int descriptor() const { return socket_.get(); }

  void Warn(std::string_view text) const;
  void Started(const SandboxPlan& plan) const;
  void Refused(const Refusal& refusal, std::string_view text) const;
  void HostRefused(std::string_view host, std::string_view text) const;
  void Ended(const ringfence::Ended& ended) const;
  // True if the failure was sent to the socket; otherwise the caller prints it.
  bool Failed(std::string_view step, const Error& error) const;

 private:
  // Sends a JSON object. A member is its name and its value as JSON.
  using Members = std::initializer_list<std::pair<std::string_view, std::string>>;
  void Send(std::string_view event, Members members) const;
  UniqueFd socket_;
};

}  // namespace ringfence
