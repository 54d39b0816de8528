// The options of `ringfence run`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/option_rows.h"
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
  bool stage = false;    // keep the changes to the project apart, and at the end:
  bool apply = false;    // apply them without a question,
  bool discard = false;  // show and discard them,
  bool keep = false;     // or keep them for `ringfence stage`
  bool json = false;     // print the result as JSON
  std::vector<std::string> command;
};

using RunOption = OptionRow<RunOptions>;
std::span<const RunOption> RunOptionTable();

// Parses the words after "ringfence run", or after "ringfence stage run". Returns nothing for
// --help, a dry run or a mistake: ringfence-cli handles those, since it has every option and can
// explain mistakes.
std::optional<RunOptions> ReadRunLine(std::span<char* const> words, bool is_staged = false);

}  // namespace ringfence
