// Alerts: whole files in a folder that somebody else reads.
#include "hook/alert.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/temporary_tree.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;

// The content of the only file in `folder`; what is wrong there otherwise.
std::string OnlyFile(const std::string& folder) {
  std::string text;
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    text.assign(std::istreambuf_iterator<char>(file), {});
    if (!entry.path().filename().string().starts_with("ringfence-")) return "a file left over";
    ++files;
  }
  return files == 1 ? text : std::to_string(files) + " files";
}

Places PlacesWithHome(const std::string& home) {
  Places places;
  if (!home.empty()) places.homes.push_back(Path::Clean(home));
  return places;
}

}  // namespace

TEST_CASE("alert: one file with the fields and the text") {
  const TemporaryTree tree;
  tree.Directory("in");
  const std::string inbox = tree.At("in");
  const AlertRules rules{.inbox = inbox, .fields = {{"chat", "ma\"in"}, {"to", "x"}}};
  CHECK(WriteAlert(rules, {}, "a \"text\"\n", 17));
  CHECK(OnlyFile(inbox) == "{\"chat\":\"ma\\\"in\",\"to\":\"x\",\"text\":\"a \\\"text\\\"\\n\"}\n");
}

TEST_CASE("alert: below the home, without fields") {
  const TemporaryTree tree;
  tree.Directory("in");
  CHECK(WriteAlert({.inbox = "~/in", .fields = {}}, PlacesWithHome(tree.root()), "t", 17));
  CHECK(OnlyFile(tree.At("in")) == "{\"text\":\"t\"}\n");
}

TEST_CASE("alert: none without an inbox") { CHECK(WriteAlert({}, {}, "t", 17)); }

TEST_CASE("alert: what cannot be written is told") {
  const TemporaryTree tree;
  const std::string missing = tree.At("missing");
  const Status no_folder = WriteAlert({.inbox = missing, .fields = {}}, {}, "t", 17);
  REQUIRE(!no_folder);
  CHECK(no_folder.error().text().find("ENOENT") != std::string::npos);
  const Status no_home = WriteAlert({.inbox = "~/in", .fields = {}}, {}, "t", 17);
  REQUIRE(!no_home);
  CHECK(no_home.error().where == "alerts.inbox");
}

TEST_CASE("alert: a name that is taken by a folder is an error, and nothing is left over") {
  const TemporaryTree tree;
  tree.Directory("in");
  const std::string inbox = tree.At("in");
  const AlertRules rules{.inbox = inbox, .fields = {}};
  REQUIRE(WriteAlert(rules, {}, "first", 17));
  const std::string name = fs::directory_iterator(inbox)->path().string();
  fs::remove(name);
  fs::create_directory(name);
  CHECK_FALSE(WriteAlert(rules, {}, "second", 17));
  size_t left = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(inbox)) ++left;
  CHECK(left == 1);
}
