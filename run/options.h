// What `ringfence run` is asked for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct RunOptions {
  std::string home;     // "": HOME
  std::string root;     // "": the current directory
  std::string policy;   // "": the user's and the project's
  std::string profile;  // "": none
  std::string mode;     // "": the policy's; sandbox, rx, rwx
  std::string layers;   // "": the policy's; full, landlock
  std::string chdir;
  std::string session;
  std::string write;   // a directory
  std::string report;  // a descriptor
  bool no_sandbox = false;
  bool trial = false;
  bool agent = false;
  std::vector<std::string> command;
};

// An option of `run` by its name, as the fast way takes it.
struct RunOption {
  std::string_view name;
  std::string RunOptions::*text = nullptr;  // one of both
  bool RunOptions::*flag = nullptr;
  std::span<const std::string_view> values;  // any, where empty
};
std::span<const RunOption> RunOptionTable();

// The words after "ringfence run". Nothing for whatever is not plainly right: --help, a dry run, a
// mistake. ringfence-cli, which has every option and knows how to tell of a mistake, takes those.
std::optional<RunOptions> ReadRunLine(std::span<char* const> words);

}  // namespace ringfence
