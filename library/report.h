// Reads the lines that `ringfence run --report` writes (docs/library.md).
#pragma once

#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "ringfence/sandbox.h"

namespace ringfence::sandbox {

class Report {
 public:
  explicit Report(UniqueFd socket) : socket_(std::move(socket)) {}

  // Reads until the command has started or failed to start, or the report ends.
  void ReadStart();
  void ReadToEnd();
  void HangUp() const noexcept;

  bool has_started() const { return started_; }
  bool is_confined() const { return confined_; }
  bool has_ended() const { return ended_; }
  const std::vector<std::string>& weaker() const { return weaker_; }
  const End& end() const { return end_; }  // as far as it has been reported
  const std::optional<Error>& failure() const { return failure_; }

 private:
  bool ReadMore();
  void Take(std::string line);

  UniqueFd socket_;
  std::string text_;  // an incomplete line
  End end_;
  std::vector<std::string> weaker_;
  std::optional<Error> failure_;
  bool started_ = false;
  bool confined_ = true;
  bool ended_ = false;
};

}  // namespace ringfence::sandbox
