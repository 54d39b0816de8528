#include "cli/common/init_command.h"

#include <doctest/doctest.h>

using namespace ringfence;

namespace {

const Registration kWhere{.project_dir = "/home/dev/my project", .home = "/home/dev"};
constexpr const char* kRegistered =
    R"({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "timeout": 10,
    "command": "/opt/bin/ringfence-hook", "args": ["--home", "/home/dev", "--profile", "a b",
    "--policy", "/srv/p.json", "--root", "/srv/x"]}]}]}})";

SettingsFile FileOf(SettingsLayer layer, const std::string& text) {
  SettingsFile file;
  file.layer = layer;
  file.path = SettingsPath(layer, kWhere);
  file.text = text;
  file.settings = CheckSettings(text, file.path, kWhere);
  return file;
}

Approvals Registering(const SettingsFile& file) {
  ApprovedFile approved;
  approved.path = file.settings.path;
  approved.registration = {"digest"};
  return {{approved}};
}

}  // namespace

TEST_CASE("init command: keeps the layer and the options of the registration") {
  CHECK(InitCommand(FileOf(SettingsLayer::kUser, kRegistered), kWhere) ==
        "ringfence init --root /srv/x --profile 'a b' --policy /srv/p.json");
  CHECK(InitCommand(FileOf(SettingsLayer::kUser, kRegistered), kWhere, PolicyOption::kDrop) ==
        "ringfence init --root /srv/x --profile 'a b'");
  CHECK(InitCommand(FileOf(SettingsLayer::kUser, "{}"), kWhere) == "ringfence init");
  CHECK(InitCommand(FileOf(SettingsLayer::kLocal, "{}"), kWhere) ==
        "ringfence init --local '/home/dev/my project'");
  CHECK(InitCommand(FileOf(SettingsLayer::kProject, "{}"), kWhere) ==
        "ringfence init --project '/home/dev/my project'");
  CHECK(InitCommand(FileOf(SettingsLayer::kManaged, "{}"), kWhere) == "ringfence init --managed");
}

TEST_CASE("init command: it is for the file that registers the hook, or did") {
  const SettingsFile user = FileOf(SettingsLayer::kUser, "{}");
  const SettingsFile project = FileOf(SettingsLayer::kProject, "{}");
  const SettingsFile local = FileOf(SettingsLayer::kLocal, kRegistered);
  const char* const kOfProject = "ringfence init --project '/home/dev/my project'";
  CHECK(InitCommandInForce({user, project}, {}, kWhere) == "ringfence init");
  CHECK(InitCommandInForce({user, project}, Registering(project), kWhere) == kOfProject);
  CHECK(InitCommandInForce({user, project, local}, Registering(project), kWhere) ==
        InitCommand(local, kWhere));
  Approvals without = Registering(project);
  without.files[0].registration.clear();
  CHECK(InitCommandInForce({user, project}, without, kWhere) == "ringfence init");
}
