// fixtures/decisions/TOPIC/CASE.json: each says what is decided about one call, and why. They are
// the specification; fixtures/decisions/README.md says what may stand in one. With
// UPDATE_FIXTURES=1 what is decided now is written into them, to be reviewed as a diff.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "policy/decide.h"
#include "tests/corpora.h"
#include "tests/world.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path Folder() {
  return fs::path(__FILE__).parent_path().parent_path() / "fixtures" / "decisions";
}

std::vector<fs::path> Fixtures() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(Folder())) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

FakeNode NodeOfKind(const std::string& kind) {
  if (kind == "file") return File();
  if (kind == "folder") return Directory();
  if (kind == "unreadable folder") return UnreadableDirectory();
  if (kind == "device") return Special(FileKind::kCharacterDevice);
  if (kind.starts_with("-> ")) return LinkTo(kind.substr(3));
  throw std::runtime_error("no kind of file: " + kind);
}

// "file", "folder", "-> TARGET", or an object with more about it.
FakeNode NodeOf(const Json& json) {
  if (json.is_string()) return NodeOfKind(json.get<std::string>());
  FakeNode node = NodeOfKind(json.at("kind").get<std::string>());
  for (const auto& [key, value] : json.items()) {
    if (key == "kind") continue;
    if (key == "mode") {
      node.facts.mode = static_cast<uint32_t>(std::stoul(value.get<std::string>(), nullptr, 8));
    } else if (key == "links") {
      node.facts.links = value.get<uint64_t>();
    } else if (key == "inode") {
      node.facts.inode = value.get<uint64_t>();
    } else if (key == "owner") {
      node.facts.owner = value.get<uint32_t>();
    } else {
      throw std::runtime_error("unknown key of a file: " + key);
    }
  }
  return node;
}

// Where things are, before any policy or file. The folders that are named exist.
void Place(const Json& fixture, World& world) {
  if (fixture.contains("home")) {
    const auto home = fixture["home"].get<std::string>();
    const auto leads_to = fixture.value("home_leads_to", home);
    world.MoveHome(home, leads_to);
    world.files.Put(leads_to, Directory());
  }
  if (fixture.contains("other_home")) world.AddHome(fixture["other_home"].get<std::string>());
  if (fixture.contains("root")) {
    const auto root = fixture["root"].get<std::string>();
    const auto leads_to = fixture.value("root_leads_to", root);
    world.MoveRoot(root, leads_to);
    world.files.Put(leads_to, Directory());
    world.cwd = root;
  }
  world.places.macos_names = fixture.value("macos", false);
  world.profile = fixture.value("profile", "");
}

void AddPolicy(const Json& fixture, const char* key, Layer layer, bool trusted, World& world) {
  if (fixture.contains(key)) world.AddFile(layer, fixture[key].dump(2), trusted);
}

Event EventOf(const Json& fixture, const World& world) {
  Json event = {{"hook_event_name", "PreToolUse"},
                {"session_id", world.session},
                {"cwd", *world.cwd},
                {"permission_mode", "default"}};
  event.update(fixture.at("event"));
  return world.EventOf(event.dump());
}

Json Decided(const Json& fixture) {
  World world;
  Place(fixture, world);
  AddPolicy(fixture, "managed", Layer::kManaged, true, world);
  AddPolicy(fixture, "policy", Layer::kUser, true, world);
  AddPolicy(fixture, "project", Layer::kProject, true, world);
  AddPolicy(fixture, "untrusted_project", Layer::kProject, false, world);
  const Json files = fixture.value("files", Json::object());
  for (const auto& [path, node] : files.items()) {
    world.files.Put(path, NodeOf(node));
  }
  const Event event = EventOf(fixture, world);
  const Policy policy = world.Merged(event);
  const Decision decision = Decide(event, {policy, world.places, CachedFiles(world.files)});
  if (decision.failure) return {{"verdict", "none"}, {"reason", decision.failure->text()}};
  Json expect = {{"verdict", VerdictName(decision.verdict)}};
  if (decision.say_allow) expect["says"] = "allow";
  if (!decision.cause) return expect;
  if (decision.cause->place) expect["rule"] = PlaceLabel(*decision.cause->place);
  expect["reason"] = ReasonText(decision, policy.say);
  return expect;
}

void Rewrite(const fs::path& path, Json fixture, const Json& decided) {
  fixture["expect"] = decided;
  std::ofstream(path, std::ios::binary) << fixture.dump(2) << '\n';
}

void CheckKeys(const Json& fixture) {
  static constexpr std::string_view kKeys[] = {
      "why",   "root",    "root_leads_to", "home",   "home_leads_to", "other_home",
      "macos", "profile", "managed",       "policy", "project",       "untrusted_project",
      "files", "event",   "expect"};
  for (const auto& item : fixture.items()) {
    const std::string& key = item.key();
    CAPTURE(key);
    CHECK(std::ranges::find(kKeys, key) != std::end(kKeys));
  }
}

void CheckFixture(const fs::path& path) {
  CAPTURE(path.string());
  const Json fixture = Json::parse(ReadWholeFile(path.string()), nullptr, false);
  REQUIRE(fixture.is_object());
  CheckKeys(fixture);
  CHECK_FALSE(fixture.value("why", "").empty());
  const Json decided = Decided(fixture);
  const char* update = std::getenv("UPDATE_FIXTURES");
  if (update != nullptr && std::string_view(update) == "1") return Rewrite(path, fixture, decided);
  const Json expect = fixture.value("expect", Json::object());
  CHECK(expect.contains("verdict"));
  for (const auto& item : expect.items()) {
    const std::string& key = item.key();
    CAPTURE(key);
    CHECK(decided.value(key, Json()) == item.value());
  }
  CHECK(decided.contains("says") == expect.contains("says"));
}

}  // namespace

TEST_CASE("fixtures: every decision is as its file says") {
  const std::vector<fs::path> files = Fixtures();
  CHECK(files.size() >= 60);
  for (const fs::path& path : files) CheckFixture(path);
}
