#include "tests/support/corpora.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ringfence {

std::string CorporaFolder() {
  const char* folder = std::getenv("RINGFENCE_CORPORA");
  if (folder != nullptr && *folder != '\0') return folder;
  MESSAGE("skipped: RINGFENCE_CORPORA names no folder");
  return "";
}

std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) FAIL("cannot read " << path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

nlohmann::json ReadJsonFile(const std::string& path) {
  return nlohmann::json::parse(ReadWholeFile(path));
}

std::vector<NamedText> ReadFolder(const std::string& path) {
  std::vector<NamedText> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    files.push_back({entry.path().filename().string(), ReadWholeFile(entry.path().string())});
  }
  std::ranges::sort(files, {}, &NamedText::name);
  return files;
}

}  // namespace ringfence
