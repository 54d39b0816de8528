// load_policy FILE...: reads each file as the hook reads a policy and prints one tab-separated line
// per result: the file and "ok", or the file, a mistake and its hint. Exit status: 0 all are sound,
// 1 one is not, 2 one cannot be read. load_policy --lines: the same for each line of standard
// input, with the line number in place of the file. load_policy --built-in: prints the built-in
// policy. load_policy --keys: prints the table of keys, one JSON object each. --with-test-keys
// before any of these: the policy also has the keys of tests/support/test_keys.h.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "agents/claude/agent.h"
#include "policy/load/load.h"
#include "tests/support/test_keys.h"

namespace ringfence {
namespace {

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::span<const DocumentedKey> documented_keys = keys::kTable;
std::span<const KeyRow> keys_of_policy = PolicyKeys();

// Reports one policy, which messages call `shown`; returns the exit status.
int Report(const std::string& name, std::string text, const std::string& shown) {
  std::vector<Error> mistakes;
  const auto policy =
      LoadPolicy({std::move(text), shown, shown, true, &ClaudeCode()}, mistakes, keys_of_policy);
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

const char* KindName(KeyKind kind) {
  static constexpr const char* kNames[] = {"switch", "choice", "size", "number", "text", "texts"};
  return kNames[static_cast<size_t>(kind)];
}

const char* FormName(TextForm form) {
  static constexpr const char* kNames[] = {"any",      "not empty", "variable", "directory name",
                                           "own path", "proxy url"};
  return kNames[static_cast<size_t>(form)];
}

// The documents' last column, unless the row specifies it.
std::string_view SeveralOf(const DocumentedKey& key) {
  if (!key.document.several.empty()) return key.document.several;
  if (key.row.rules.merge == KeyRule::kHigher) return "one `true` is enough";
  return key.row.rules.is_tightened_by(TightLayer::kManaged) ? "limit" : "last";
}

int ReportKeys() {
  for (const DocumentedKey& key : documented_keys) {
    const KeyType& type = key.row.type;
    nlohmann::json said = {{"name", key.row.name},
                           {"kind", KindName(type.kind)},
                           {"form", FormName(type.form)},
                           {"whole", type.whole},
                           {"least", type.least},
                           {"most", type.most},
                           {"least_size", type.least_size},
                           {"choices", nlohmann::json::array()},
                           {"without", key.document.without},
                           {"meaning", key.document.meaning},
                           {"several", SeveralOf(key)}};
    for (const KeyChoice& choice : type.choices) said["choices"].push_back(choice.word);
    std::cout << said << '\n';
  }
  return 0;
}

int Run(std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments[0] == "--with-test-keys") {
    documented_keys = DocumentedKeysAndTestKeys();
    keys_of_policy = KeysAndTestKeys();
    arguments.erase(arguments.begin());
  }
  if (arguments.empty()) {
    std::cerr << "usage: load_policy [--with-test-keys] --built-in | --keys | --lines | FILE...\n";
    return 2;
  }
  if (arguments[0] == "--lines") return ReportLines();
  if (arguments[0] == "--keys") return ReportKeys();
  if (arguments[0] == "--built-in") {
    std::cout << BuiltInPolicy(ClaudeCode()).text;
    return 0;
  }
  int status = 0;
  for (const std::string& path : arguments) status = std::max(status, ReportFile(path));
  return status;
}

}  // namespace
}  // namespace ringfence

int main(int argc, char** argv) { return ringfence::Run({argv + 1, argv + argc}); }
