// Go's tables of trees with links, built on the disk: os.Root and filepath.EvalSymlinks.
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

constexpr std::string_view kTop = "above/ROOT";

std::string Replaced(std::string text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Builds entries: "d/" is a directory, "f" a file, "a => b" a link.
void Build(const TemporaryTree& tree, const json& entries) {
  tree.Directory(kTop);
  const std::string top = std::string(kTop) + "/";
  for (const std::string entry : entries) {
    const size_t arrow = entry.find(" => ");
    if (arrow != std::string::npos) {
      const std::string target = Replaced(entry.substr(arrow + 4), "$ABS", tree.At(kTop));
      tree.Link(top + entry.substr(0, arrow), target);
    } else if (entry.ends_with('/')) {
      tree.Directory(top + entry.substr(0, entry.size() - 1));
    } else {
      tree.File(top + entry, entry);
    }
  }
}

bool Exists(const TemporaryTree& tree, const std::string& name) {
  return std::filesystem::exists(
      std::filesystem::symlink_status(tree.At(std::string(kTop) + "/" + name)));
}

}  // namespace

TEST_CASE("corpora: Go's os.Root trees lead where Go says") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const json file = ReadJsonFile(folder + "/paths/symlinks.json");
  for (const json& row : file["go_os_Root"]["cases"]) {
    const std::string name = row["name"];
    CAPTURE(name);
    const TemporaryTree tree;
    Build(tree, row["fs"]);
    const Path top = Path::Clean(tree.At(kTop));
    const std::string open = row["open"];
    if (row["target"].is_string()) {
      const std::string target = row["target"];
      const std::string full = std::string(kTop) + "/" + target;
      if (!Exists(tree, target)) tree.File(full, target);
    }
    const Walked walked = Walk(top.text() + "/" + open, RealFiles());
    const bool inside = walked.stop == Walked::Stop::kEnd && walked.end.IsInside(top);
    if (name == "symlink cycle") {
      CHECK(walked.stop == Walked::Stop::kLoop);
      continue;
    }
    // An empty text means the directory itself here; callers refuse it earlier.
    CHECK(inside == (row["derived_realpath_inside"].get<bool>() || open.empty()));
    if (!row["target"].is_string()) continue;
    CHECK(walked.end.text() == top.text() + "/" + row["target"].get<std::string>());
    CHECK(walked.facts.kind == FileKind::kFile);
  }
}

TEST_CASE("corpora: Go's EvalSymlinks tree leads where Go says") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const json table = ReadJsonFile(folder + "/paths/symlinks.json")["go_EvalSymlinks"];
  const TemporaryTree tree;
  for (const json& entry : table["dirs"]) {
    const std::string name = entry[0];
    const std::string target = entry[1];
    if (target.empty()) {
      tree.Directory(name);
    } else {
      tree.Link(name, target);
    }
  }
  for (const json& row : table["cases"]) {
    const std::string text = row[0];
    const std::string want = row[1];
    CAPTURE(text);
    const Walked walked = Walk(tree.At(text), RealFiles());
    CHECK(walked.stop == Walked::Stop::kEnd);
    CHECK(walked.end == Path::Clean(want.starts_with('/') ? want : tree.At(want)));
    CHECK(walked.facts.kind == FileKind::kDirectory);
  }
}

TEST_CASE("corpora: Go's behaviour for missing names, files in the way and texts above the root") {
  const std::string folder = CorporaFolder();
  if (folder.empty()) return;
  const TemporaryTree tree;
  tree.File("file");
  tree.File("a/file");
  tree.Link("link", "notexist");
  tree.Link("b", "a");
  const auto end = [&](const std::string& text) { return Walk(text, RealFiles()).end.text(); };
  CHECK(Walk(tree.At("notexist"), RealFiles()).facts.kind == FileKind::kMissing);
  CHECK(end(tree.At("link")) == tree.At("notexist"));
  std::string up = "/";
  for (int i = 0; i < 30; ++i) up += "../";
  CHECK(end(tree.root() + up + tree.root().substr(1) + "/b/file") == tree.At("a/file"));
  for (const std::string text : {"file/", "file//", "file/.", "file//."}) {
    CAPTURE(text);
    CHECK(end(tree.At(text)) == tree.At("file"));
  }
}
