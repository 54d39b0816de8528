// fixtures/policies: the good ones load; a bad one is refused with the mistake in NAME.txt.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "agents/claude/agent.h"
#include "policy/load/load.h"
#include "tests/support/project_root.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;

fs::path Folder() { return ProjectRoot() / "fixtures/policies"; }

std::vector<fs::path> Policies(const char* kind) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(Folder() / kind)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string Content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns "" if the policy loads, or each mistake as the command shows it.
std::string Mistakes(const fs::path& path) {
  std::vector<Error> mistakes;
  const std::string name = path.filename().string();
  const auto policy =
      LoadPolicy({Content(path), path.string(), name, true, &ClaudeCode()}, mistakes);
  CHECK((policy == nullptr) == !mistakes.empty());
  std::string text;
  for (const Error& mistake : mistakes) {
    text += mistake.text() + "\n";
    if (!mistake.hint.empty()) text += "  Hint: " + mistake.hint + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("fixtures: every good policy loads") {
  const std::vector<fs::path> files = Policies("good");
  REQUIRE(files.size() > 20);
  for (const fs::path& file : files) {
    CAPTURE(file);
    CHECK(Mistakes(file) == "");
  }
}

TEST_CASE("fixtures: every bad policy is refused with the expected mistake beside it") {
  const std::vector<fs::path> files = Policies("bad");
  REQUIRE(files.size() > 90);
  for (const fs::path& file : files) {
    CAPTURE(file);
    fs::path wanted = file;
    CHECK(Mistakes(file) == Content(wanted.replace_extension(".txt")));
  }
}
