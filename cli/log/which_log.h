// The options of `ringfence log` that select a log, and the function that finds it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "cli/command_line/command.h"
#include "cli/common/context_options.h"

namespace ringfence {

// The options of one command, which tell after parsing whether they were given.
class DeclaredOptions {
 public:
  explicit DeclaredOptions(const Command& command) : command_(command) {}

  template <typename T>
  Option Add(const std::string& name, T& value, const std::string& what) {
    return options_.emplace_back(name, command_.AddOption(name, value, what)).second;
  }
  Option AddFlag(const std::string& name, bool& value, const std::string& what) {
    return options_.emplace_back(name, command_.AddFlag(name, value, what)).second;
  }
  std::string first_given() const;  // "" if none was given

 private:
  Command command_;
  std::vector<std::pair<std::string, Option>> options_;
};

struct WhichLog {
  Registration given;
  bool json = false;
  std::string file;
};
void AddWhichLog(DeclaredOptions& options, WhichLog& log);

// Returns the log of all the user's projects if no project is named and the current directory
// cannot be one.
Result<Path> FindLog(const WhichLog& log);

}  // namespace ringfence
