#include "agents/claude/settings/own_sandbox.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "agents/claude/agent.h"
#include "agents/claude/settings/settings.h"
#include "base/regular_file.h"
#include "base/text.h"

namespace ringfence {
namespace {

// Describes what the client's sandbox does not let commands do, whatever the policy permits
// (measured on 2.1.330 and 2.1.331; the FAQ gives the reasons).
std::string ClientSandboxWords(const Places& places, bool opens_root) {
  std::string text = ", where `git add -A` fails (use -u or names)";
  const Path start = StartOf(places);
  if (start == places.root || opens_root) return text;
  return text + ". They write only in " + Quote(start.text()) +
         ", where the client was started. To commit, or to write elsewhere in the project, have "
         "the user start the client in " +
         Quote(places.root.text());
}

// The client's settings files, from the highest precedence to the lowest.
std::vector<Path> SettingsFilesOf(const Places& places) {
  const Agent& agent = ClaudeCode();
  const Path in_project = StartOf(places).Child(agent.state.folder);
  std::vector<Path> files{Path::Clean(agent.settings.managed).Child("managed-settings.json"),
                          in_project.Child("settings.local.json"),
                          in_project.Child("settings.json")};
  for (const Path& folder : places.settings_folders) files.push_back(folder.Child("settings.json"));
  if (places.settings_folders.empty()) {  // they replace ~/.claude
    for (const Path& home : places.homes) {
      if (!MayAllowBelow(places, home)) continue;  // the client uses HOME
      files.push_back(home.Child(agent.state.folder).Child("settings.json"));
    }
  }
  return files;
}

// Returns nothing for a file that the client ignores, or that does not exist.
std::optional<ClientSettings> SettingsOf(const Path& file) {
  Result<FileBytes> bytes = ReadRegularFile(file.text());
  if (!bytes || bytes->missing) return {};
  ClientSettings settings = ParseClientSettings(std::move(bytes->text), file.text(), file.text());
  if (!settings.drops.empty()) return {};
  return settings;
}

}  // namespace

OwnSandbox FindOwnSandbox(const Places& places) {
  const std::vector<Path> files = SettingsFilesOf(places);
  for (const Path& file : files) {
    const std::optional<ClientSettings> settings = SettingsOf(file);
    const std::optional<bool> enabled =
        settings ? settings->Flag("/sandbox/enabled") : std::optional<bool>();
    if (!enabled) continue;
    if (!*enabled) return OwnSandbox::kOff;
    return &file == &files.front() ? OwnSandbox::kOnByAdministrator : OwnSandbox::kOn;
  }
  return OwnSandbox::kOff;
}

std::string BashConfinement(const Places& places) {
  std::optional<bool> enabled;  // from the first file that sets it
  bool leaves_out_some = false;
  bool opens_root = false;  // commands may write anywhere in the project
  for (const Path& file : SettingsFilesOf(places)) {
    const std::optional<ClientSettings> settings = SettingsOf(file);
    if (!settings) continue;
    if (!enabled) enabled = settings->Flag("/sandbox/enabled");
    if (settings->Flag("/sandbox/filesystem/disabled") == true) return "";
    opens_root |= OpensWrites(*settings, places.root_real);
    if (const auto* commands = settings->Texts("/sandbox/excludedCommands")) {
      if (std::ranges::find(*commands, "*") != commands->end()) return "";
      leaves_out_some |= !commands->empty();
    }
  }
  if (!enabled.value_or(false)) return "";
  return std::string("the client's sandbox") +
         (leaves_out_some ? ", except those that its settings exclude" : "") +
         ClientSandboxWords(places, opens_root);
}

}  // namespace ringfence
