// Go's, Node's and git's tables of path arithmetic, and Go's trees with links.
#include <doctest/doctest.h>

#include <filesystem>

#include "base/path.h"
#include "policy/files/real_files.h"
#include "policy/files/resolve.h"
#include "tests/support/corpora.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;
using nlohmann::json;

namespace {

const json& Table(const json& file, std::string_view name) {
  for (const json& table : file["tables"]) {
    if (table["name"] == name) return table["cases"];
  }
  FAIL("no table " << name);
  return file;
}

bool IsAbsolute(std::string_view text) { return text.starts_with('/'); }

// Deep enough that no ".." of a table climbs to the root.
Path Below(std::string_view text) { return Path::Clean("/1/2/3/4/" + std::string(text)); }

// git keeps one trailing slash, and its empty text means the directory itself.
std::string WithoutLastSlash(std::string text) {
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

void CheckCleaned(const std::string& input, const std::string& want) {
  CAPTURE(input);
  if (IsAbsolute(input)) {
    CHECK(Path::Clean(input).text() == WithoutLastSlash(want));
    CHECK(Path::Clean(want) == Path::Clean(input));
  } else {
    CHECK(Below(input) == Below(want));
  }
}

}  // namespace

TEST_CASE("corpora: cleaning paths, as Go, Node and git do") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const json file = ReadJsonFile(folder + "/paths/paths.json");
  for (const json& row : Table(file, "go_filepath_Clean_posix")) CheckCleaned(row[0], row[1]);
  for (const json& row : Table(file, "node_path_posix_normalize")) CheckCleaned(row[0], row[1]);
  for (const json& row : Table(file, "git_normalize_path_copy")) {
    const std::string input = row[0];
    CAPTURE(input);
    if (!row[1].is_null()) {
      CheckCleaned(input, row[1]);
      continue;
    }
    // git refuses to climb above the start. Here an absolute path stays at "/", as in the kernel,
    // and a relative one ends outside its start.
    if (IsAbsolute(input)) continue;
    const Path start = Path::Clean("/1/2/3/4");
    CHECK_FALSE(Below(input).IsInside(start));
  }
  for (const json& row : Table(file, "node_path_posix_resolve")) {
    std::string text = "/cwd/of/node";
    for (const std::string part : row[0]) text = IsAbsolute(part) ? part : text + "/" + part;
    const std::string want = row[1];
    CHECK(Path::Clean(text).text() == (want == "$CWD" ? "/cwd/of/node" : want));
  }
}

TEST_CASE("corpora: absolute paths, names and parents") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const json file = ReadJsonFile(folder + "/paths/paths.json");
  for (const json& row : Table(file, "go_filepath_IsAbs_posix")) {
    const std::string input = row[0];
    CAPTURE(input);
    const bool has_dots = input.find("..") != std::string::npos;
    CHECK(Path::Parse(input).has_value() == (row[1].get<bool>() && !has_dots));
  }
  for (const json& row : Table(file, "go_filepath_Base_posix")) {
    const std::string input = row[0];
    const std::string want = row[1];
    CAPTURE(input);
    if (want == ".") continue;  // here the directory itself has a name
    const Path path = Path::Clean("/" + input);
    CHECK((path.is_root() ? "/" : std::string(path.name())) == want);
  }
  for (const json& row : Table(file, "go_filepath_Dir_posix")) {
    const std::string input = row[0];
    CAPTURE(input);
    if (!IsAbsolute(input)) continue;
    // Go's Dir cuts at the last slash: a text that ends in a slash is its own parent.
    const Path path = input.ends_with('/') ? Path::Clean(input) : Path::Clean(input).Parent();
    CHECK(path.text() == row[1].get<std::string>());
  }
  for (const json& row : Table(file, "go_filepath_Join_posix")) {
    std::string text;
    for (const std::string part : row[0]) text += (text.empty() ? "" : "/") + part;
    if (IsAbsolute(text)) CHECK(Path::Clean(text).text() == row[1].get<std::string>());
  }
}

TEST_CASE("corpora: containment") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const json file = ReadJsonFile(folder + "/paths/paths.json");
  const Path start = Path::Clean("/1/2/3/4");
  for (const json& row : Table(file, "go_filepath_IsLocal_posix")) {
    const std::string input = row[0];
    CAPTURE(input);
    if (input.empty()) continue;  // not a path for Go
    const Path path = IsAbsolute(input) ? Path::Clean(input) : Below(input);
    CHECK(path.IsInside(start) == row[1].get<bool>());
  }
  for (const json& row : Table(file, "go_filepath_Rel_posix")) {
    const std::string base = row[0];
    const std::string target = row[1];
    const std::string want = row[2];
    CAPTURE(base);
    CAPTURE(target);
    if (want == "err" && base.starts_with("..")) continue;  // needs names that Go does not know
    const Path from = IsAbsolute(base) ? Path::Clean(base) : Below(base);
    const Path to = IsAbsolute(target) ? Path::Clean(target) : Below(target);
    const bool inside = want != "err" && want != ".." && !want.starts_with("../");
    CHECK(to.IsInside(from) == inside);
    if (inside) CHECK(*to.Below(from) == (want == "." ? "" : want));
  }
  for (const json& row : Table(file, "git_relative_path")) {
    const std::string target = row[0];
    const std::string base = row[1];
    const std::string want = row[2];
    CAPTURE(target);
    CAPTURE(base);
    if (IsAbsolute(target) != IsAbsolute(base)) continue;  // git gives up here
    CHECK(Below(target).IsInside(Below(base)) == !want.starts_with("../"));
  }
}

TEST_CASE("corpora: the longest ancestor, by whole components") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const json file = ReadJsonFile(folder + "/paths/paths.json");
  for (const json& row : Table(file, "git_longest_ancestor_length")) {
    const Path path = Path::Clean(row[0].get<std::string>());
    std::string prefixes = row[1].get<std::string>() + ":";
    CAPTURE(path.text());
    CAPTURE(prefixes);
    long longest = -1;
    for (size_t colon; (colon = prefixes.find(':')) != std::string::npos;) {
      const Path folder_path = Path::Clean(prefixes.substr(0, colon));
      prefixes.erase(0, colon + 1);
      if (path == folder_path || !path.IsInside(folder_path)) continue;  // ancestors are above
      const long length = folder_path.is_root() ? 0 : static_cast<long>(folder_path.text().size());
      longest = std::max(longest, length);
    }
    CHECK(longest == row[2].get<long>());
  }
}
