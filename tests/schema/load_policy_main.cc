// load_policy FILE...: reads each file as the hook reads a policy and prints what came of it, one
// line each, with tabs between: the file and "ok", or the file, a mistake and its hint. Exit
// status: 0 all are sound, 1 one is not, 2 one cannot be read. load_policy --lines: the same for
// each line of standard input; its number stands for the file. load_policy --built-in: prints that
// policy.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "agents/claude/agent.h"
#include "policy/load/load.h"

namespace ringfence {
namespace {

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The exit status for one policy, which messages call `shown`.
int Report(const std::string& name, std::string text, const std::string& shown) {
  std::vector<Error> mistakes;
  const auto policy = LoadPolicy({std::move(text), shown, shown, true, &ClaudeCode()}, mistakes);
  if (policy != nullptr) std::cout << name << "\tok\n";
  for (const Error& mistake : mistakes) {
    std::cout << name << '\t' << mistake.text() << '\t' << mistake.hint << '\n';
  }
  return policy == nullptr ? 1 : 0;
}

int ReportFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file) return Report(path, std::move(text), BaseName(path));
  std::cerr << "load_policy: " << path << ": cannot be read\n";
  return 2;
}

int ReportLines() {
  int status = 0;
  std::string line;
  for (int number = 1; std::getline(std::cin, line); ++number) {
    status = std::max(status, Report(std::to_string(number), line, "policy.json"));
  }
  return status;
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::cerr << "usage: load_policy --built-in | --lines | FILE...\n";
    return 2;
  }
  if (arguments[0] == "--lines") return ReportLines();
  if (arguments[0] == "--built-in") {
    std::cout << BuiltInPolicyText();
    return 0;
  }
  int status = 0;
  for (const std::string& path : arguments) status = std::max(status, ReportFile(path));
  return status;
}

}  // namespace
}  // namespace ringfence

int main(int argc, char** argv) { return ringfence::Run({argv + 1, argv + argc}); }
