// The options of `ringfence run`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/places.h"

namespace ringfence {

// Home, project, policy, profile and --trial are those of a registration.
struct RunOptions : Registration {
  std::string mode;    // sandbox, rx or rwx; "" means the policy's
  std::string layers;  // full or landlock; "" means the policy's
  std::string chdir;
  std::string session;
  std::string write;   // another writable directory
  std::string report;  // the number of a socket
  bool no_sandbox = false;
  bool is_agent = false;
  std::vector<std::string> command;
};

// An option of `run`, as ReadRunLine() parses it.
struct RunOption {
  std::string_view name;
  std::string RunOptions::*text = nullptr;  // either this or `flag` is set
  bool RunOptions::*flag = nullptr;
  std::span<const std::string_view> values;  // allowed values; empty for any
};
std::span<const RunOption> RunOptionTable();

// Parses the words after "ringfence run". Returns nothing for --help, a dry run or a mistake:
// ringfence-cli handles those, since it has every option and can explain mistakes.
std::optional<RunOptions> ReadRunLine(std::span<char* const> words);

}  // namespace ringfence
