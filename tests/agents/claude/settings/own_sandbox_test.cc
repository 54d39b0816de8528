#include "agents/claude/settings/own_sandbox.h"

#include <doctest/doctest.h>

#include "tests/support/settings_tree.h"

using namespace ringfence;

namespace {

std::string Confinement(const SettingsTree& tree) { return BashConfinement(tree.FoundPlaces()); }

}  // namespace

TEST_CASE("own sandbox: Bash is confined by the client's sandbox if the settings enable it") {
  if (!NoManagedSettings()) {
    MESSAGE("skipped: this machine has managed settings");
    return;
  }
  const SettingsTree settings;
  CHECK(Confinement(settings).empty());
  settings.File("home/.claude/settings.json", R"({"sandbox":{"enabled":true}})");
  CHECK(Confinement(settings).starts_with("the client's sandbox, where"));
  settings.File("project/.claude/settings.json", R"({"model":"x"})");
  CHECK(Confinement(settings).starts_with("the client's sandbox, where"));
  settings.File("project/.claude/settings.local.json",
                "\xEF\xBB\xBF{\"sandbox\":{\"enabled\":false}}");
  CHECK(Confinement(settings).empty());
  settings.File("project/.claude/settings.local.json", R"({"sandbox":{"enabled":true)");
  CHECK(Confinement(settings).starts_with(
      "the client's sandbox, where"));  // a broken file is dropped
  settings.File("home/.claude/settings.json", R"({"sandbox":{"enabled":"yes"}})");
  CHECK(Confinement(settings).empty());
}

TEST_CASE("own sandbox: the first file that sets it decides whether it is on") {
  if (!NoManagedSettings()) {
    MESSAGE("skipped: this machine has managed settings");
    return;
  }
  const SettingsTree settings;
  CHECK(FindOwnSandbox(settings.FoundPlaces()) == OwnSandbox::kOff);
  settings.File("home/.claude/settings.json", R"({"sandbox":{"enabled":true}})");
  settings.File("project/.claude/settings.json", R"({"model":"x"})");
  CHECK(FindOwnSandbox(settings.FoundPlaces()) == OwnSandbox::kOn);
  settings.File("project/.claude/settings.local.json", R"({"sandbox":{"enabled":false}})");
  CHECK(FindOwnSandbox(settings.FoundPlaces()) == OwnSandbox::kOff);
}

TEST_CASE("own sandbox: a file that the client drops as a whole confines nothing") {
  if (!NoManagedSettings()) {
    MESSAGE("skipped: this machine has managed settings");
    return;
  }
  const SettingsTree settings;
  settings.File("home/.claude/settings.json", R"({"sandbox":{"enabled":true},"model":5})");
  CHECK(Confinement(settings).empty());
}

TEST_CASE("own sandbox: a sandbox without file rules confines nothing that counts") {
  if (!NoManagedSettings()) {
    MESSAGE("skipped: this machine has managed settings");
    return;
  }
  const SettingsTree settings;
  settings.File("home/.claude/settings.json",
                R"({"sandbox":{"enabled":true,"filesystem":{"disabled":true}}})");
  CHECK(Confinement(settings).empty());
}

TEST_CASE("own sandbox: a sandbox that excludes every command is not described as confining") {
  if (!NoManagedSettings()) {
    MESSAGE("skipped: this machine has managed settings");
    return;
  }
  const SettingsTree settings;
  settings.File("home/.claude/settings.json",
                R"({"sandbox":{"enabled":true,"failIfUnavailable":true,
                    "allowUnsandboxedCommands":false,"excludedCommands":["*"]}})");
  CHECK(Confinement(settings).empty());
}

TEST_CASE("own sandbox: the client's other configuration directory replaces ~/.claude") {
  if (!NoManagedSettings()) return;
  const SettingsTree disk;
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
  const SettingsTree disk;
  disk.Directory("project/.claude/settings.json");
  CHECK(Confinement(disk).empty());
  disk.File("home/.claude/settings.json", R"({"sandbox":{"enabled":true}})");
  CHECK(Confinement(disk).starts_with("the client's sandbox, where"));
}
