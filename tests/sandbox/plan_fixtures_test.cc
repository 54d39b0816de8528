// fixtures/plans/CASE: makes a plan from policy.json and host.json, and shows it as text, as JSON,
// as a Seatbelt profile and in the terms of Windows. fixtures/plans/README.md describes host.json.
// With UPDATE_FIXTURES=1, writes the current plans for review.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sandbox/plan.h"
#include "sandbox/render.h"
#include "tests/support/corpora.h"
#include "tests/support/project_root.h"
#include "tests/support/sbpl.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path Folder() { return ProjectRoot() / "fixtures" / "plans"; }

std::vector<fs::path> Cases() {
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(Folder())) {
    if (entry.is_directory()) cases.push_back(entry.path());
  }
  std::ranges::sort(cases);
  return cases;
}

FakeNode NodeOf(const std::string& kind) {
  if (kind == "file") return File();
  if (kind == "folder") return Directory();
  if (kind.starts_with("-> ")) return LinkTo(kind.substr(3));
  throw std::runtime_error("no kind of file: " + kind);
}

// The content of host.json, for one system.
struct Host {
  World world;
  FakeFiles files;
  SandboxCommand command;
  HostFacts facts;

  Host(const Json& json, HostSystem system);
};

LetterCase LettersOf(HostSystem system) {
  return system == HostSystem::kLinux ? LetterCase::kCounts : LetterCase::kIgnored;
}

SandboxCommand CommandOf(const Json& json, const std::string& root) {
  SandboxCommand command;
  command.argv = json.at("argv").get<std::vector<std::string>>();
  command.cwd = json.value("directory", root);
  command.environment = json.value("environment", std::vector<std::string>());
  command.is_agent = json.value("agent", false);
  command.session = json.value("session", "");
  return command;
}

HostFacts FactsOf(const Json& json, HostSystem system) {
  HostFacts facts;
  facts.system = system;
  facts.has_proxy = system == HostSystem::kLinux;
  facts.user = json.value("user", 1000U);
  facts.group = json.value("group", 1000U);
  facts.sockets = json.value("sockets", std::vector<std::string>());
  if (system != HostSystem::kLinux) return facts;
  facts.landlock_abi = json.value("landlock_abi", 0);
  facts.cgroup = json.value("cgroup", "");
  facts.controllers = json.value("controllers", std::vector<std::string>());
  facts.disks = json.value("disks", std::vector<std::string>());
  return facts;
}

Host::Host(const Json& json, HostSystem system) : files({}, LettersOf(system)) {
  const auto home = json.value("home", std::string("/home/dev"));
  const auto root = json.value("root", home + "/project");
  world.MoveHome(home, home);
  world.MoveRoot(root, root);
  world.places.macos_names = system == HostSystem::kMacos;
  files.Put(root, Directory());
  const Json tree = json.value("files", Json::object());
  for (const auto& [path, kind] : tree.items()) {
    files.Put(path, NodeOf(kind.get<std::string>()));
  }
  command = CommandOf(json.at("command"), root);
  facts = FactsOf(json.value("facts", Json::object()), system);
  for (const std::string& socket : facts.sockets) files.Put(socket, Special(FileKind::kSocket));
}

SandboxPlan PlanFor(const fs::path& folder, HostSystem system) {
  const Json json = Json::parse(ReadWholeFile((folder / "host.json").string()));
  CHECK_FALSE(json.value("why", "").empty());
  Host host(json, system);
  host.world.AddFile(Layer::kUser, ReadWholeFile((folder / "policy.json").string()));
  const Policy policy = host.world.Merged(host.world.EventOf("Write", PathInput("a")));
  const CachedFiles files(host.files);
  Result<SandboxPlan> plan = MakePlan({policy, host.world.places, files, host.command, host.facts});
  if (!plan) throw std::runtime_error(folder.string() + ": " + plan.error().text());
  return std::move(*plan);
}

void CheckText(const fs::path& path, const std::string& text) {
  CAPTURE(path.string());
  const char* update = std::getenv("UPDATE_FIXTURES");
  if (update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  CHECK(ReadWholeFile(path.string()) == text);
}

void CheckCase(const fs::path& folder) {
  CAPTURE(folder.string());
  const SandboxPlan plan = PlanFor(folder, HostSystem::kLinux);
  CheckText(folder / "plan.txt", PlanText(plan));
  CheckText(folder / "plan.json", PlanJson(plan));
  const std::string seatbelt = SeatbeltProfile(PlanFor(folder, HostSystem::kMacos));
  CHECK_NOTHROW(SbplProfile{seatbelt});
  CheckText(folder / "seatbelt.sb", seatbelt);
  CheckText(folder / "windows.txt", WindowsPlan(PlanFor(folder, HostSystem::kWindows)));
}

}  // namespace

TEST_CASE("fixtures: every plan matches its files") {
  const std::vector<fs::path> cases = Cases();
  CHECK(cases.size() >= 8);
  for (const fs::path& folder : cases) CheckCase(folder);
}
