#include "agents/claude/settings/own_sandbox.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "agents/claude/agent.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

class Settings : public TemporaryTree {
 public:
  Settings() {
    Directory("home");
    Directory("project");
  }
  Places FoundPlaces() const {
    Places places{.agent = &ClaudeCode()};
    places.root = places.root_real = Path::Clean(At("project"));
    places.homes = places.homes_real = {Path::Clean(At("home"))};
    return places;
  }
  std::string Confinement() const { return BashConfinement(FoundPlaces()); }
};

bool NoManagedSettings() {
  return !std::filesystem::exists("/etc/claude-code/managed-settings.json");
}

}  // namespace

TEST_CASE("own sandbox: Bash is confined by the client's sandbox if the settings enable it") {
  if (!NoManagedSettings()) {
    MESSAGE("skipped: this machine has managed settings");
    return;
  }
  const Settings settings;
  CHECK(settings.Confinement().empty());
  settings.File("home/.claude/settings.json", R"({"sandbox":{"enabled":true}})");
  CHECK(settings.Confinement().starts_with("the client's sandbox, where"));
  settings.File("project/.claude/settings.json", R"({"model":"x"})");
  CHECK(settings.Confinement().starts_with("the client's sandbox, where"));
  settings.File("project/.claude/settings.local.json",
                "\xEF\xBB\xBF{\"sandbox\":{\"enabled\":false}}");
  CHECK(settings.Confinement().empty());
  settings.File("project/.claude/settings.local.json", R"({"sandbox":{"enabled":true)");
  CHECK(settings.Confinement().starts_with(
      "the client's sandbox, where"));  // a broken file is dropped
  settings.File("home/.claude/settings.json", R"({"sandbox":{"enabled":"yes"}})");
  CHECK(settings.Confinement().empty());
}

TEST_CASE("own sandbox: a file that the client drops as a whole confines nothing") {
  if (!NoManagedSettings()) {
    MESSAGE("skipped: this machine has managed settings");
    return;
  }
  const Settings settings;
  settings.File("home/.claude/settings.json", R"({"sandbox":{"enabled":true},"model":5})");
  CHECK(settings.Confinement().empty());
}

TEST_CASE("own sandbox: a sandbox without file rules confines nothing that counts") {
  if (!NoManagedSettings()) {
    MESSAGE("skipped: this machine has managed settings");
    return;
  }
  const Settings settings;
  settings.File("home/.claude/settings.json",
                R"({"sandbox":{"enabled":true,"filesystem":{"disabled":true}}})");
  CHECK(settings.Confinement().empty());
}

TEST_CASE("own sandbox: a sandbox that excludes every command is not described as confining") {
  if (!NoManagedSettings()) {
    MESSAGE("skipped: this machine has managed settings");
    return;
  }
  const Settings settings;
  settings.File("home/.claude/settings.json",
                R"({"sandbox":{"enabled":true,"failIfUnavailable":true,
                    "allowUnsandboxedCommands":false,"excludedCommands":["*"]}})");
  CHECK(settings.Confinement().empty());
}

TEST_CASE("own sandbox: the client's other configuration directory replaces ~/.claude") {
  if (!NoManagedSettings()) return;
  const Settings disk;
  disk.File("cc/settings.json", R"({"sandbox":{"enabled":true,"excludedCommands":["docker"]}})");
  disk.File("home/.claude/settings.json", R"({"sandbox":{"enabled":true}})");
  Places places = disk.FoundPlaces();
  CHECK(BashConfinement(places).starts_with("the client's sandbox, where"));
  places.settings_folders = {Path::Clean(disk.At("cc"))};
  CHECK(BashConfinement(places).starts_with(
      "the client's sandbox, except those that its settings exclude, where"));
  places.settings_folders = {Path::Clean(disk.At("none"))};
  CHECK(BashConfinement(places).empty());
}

TEST_CASE("own sandbox: unreadable settings confine nothing") {
  if (!NoManagedSettings()) return;
  const Settings disk;
  disk.Directory("project/.claude/settings.json");
  CHECK(disk.Confinement().empty());
  disk.File("home/.claude/settings.json", R"({"sandbox":{"enabled":true}})");
  CHECK(disk.Confinement().starts_with("the client's sandbox, where"));
}
