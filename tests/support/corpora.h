// Other projects' data, which is not part of this repository: the directory in RINGFENCE_CORPORA,
// with json-test-suite/, paths/ and wildmatch/ in it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ringfence {

// Returns "" if there is none, and prints once that these tests are skipped.
std::string CorporaFolder();

nlohmann::json ReadJsonFile(const std::string& path);
std::string ReadWholeFile(const std::string& path);

struct NamedText {
  std::string name, text;
};
std::vector<NamedText> ReadFolder(const std::string& path);  // sorted by name

}  // namespace ringfence
