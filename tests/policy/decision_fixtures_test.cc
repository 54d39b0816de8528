// fixtures/decisions/TOPIC/CASE.json: each file has the decision about one call, with the reason.
// They are the specification; `ringfence audit fixtures/decisions` decides them as well. With
// UPDATE_FIXTURES=1, writes the current decisions into them, for review as a diff.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "audit_log/entry.h"
#include "cli/audit/matrix.h"
#include "tests/support/corpora.h"
#include "tests/support/project_root.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path Folder() { return ProjectRoot() / "fixtures" / "decisions"; }

std::vector<fs::path> Files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(Folder())) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// Returns the text of the fixture with this result as its expectation.
std::string Updated(const fs::path& path, const CellResult& result) {
  Json fixture = Json::parse(ReadWholeFile(path.string()));
  Json expect{{"decision", VerdictName(result.decision)}};
  if (result.says_allow) expect["says"] = "allow";
  if (!result.rule.empty()) expect["rule"] = result.rule;
  if (!result.reason.empty()) expect["reason"] = result.reason;
  fixture["expect"] = expect;
  return fixture.dump(2) + '\n';
}

void CheckFixture(const fs::path& path, bool update) {
  CAPTURE(path.string());
  std::vector<Error> mistakes;
  FixtureFile file = ReadFixtures(ReadWholeFile(path.string()), path.string(), true, mistakes);
  if (!mistakes.empty()) FAIL(mistakes.front().text());
  REQUIRE(file.fixtures.size() == 1);
  // Nothing depends on this machine.
  CHECK(file.fixtures.front().files.has_value());
  CHECK_FALSE(file.fixtures.front().policies.empty());
  CHECK_FALSE(file.fixtures.front().why.empty());
  const Result<Matrix> matrix = DecideAll({}, std::move(file.fixtures), [] {});
  if (!matrix) FAIL(matrix.error().text());
  REQUIRE(matrix->rows.size() == 1);
  REQUIRE(matrix->rows.front().cells.size() == 1);
  const Cell& cell = matrix->rows.front().cells.front();
  const std::string updated = Updated(path, cell.result);
  if (update) {
    std::ofstream(path, std::ios::binary) << updated;
    return;
  }
  CHECK(updated == ReadWholeFile(path.string()));
  CHECK(cell.mismatch == "");
  const Expected& expected = matrix->rows.front().fixture.expected;
  CHECK(cell.result.reason == expected.reason);  // the complete text
  CHECK(cell.result.says_allow == expected.says_allow.value_or(false));
}

}  // namespace

TEST_CASE("fixtures: every decision matches its file") {
  const std::vector<fs::path> files = Files();
  CHECK(files.size() >= 60);
  const char* update = std::getenv("UPDATE_FIXTURES");
  for (const fs::path& path : files) {
    CheckFixture(path, update != nullptr && std::string_view(update) == "1");
  }
}
