// The client's settings files: their layers, paths and contents.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "base/path.h"
#include "base/result.h"
#include "policy/places.h"

namespace ringfence {

enum class SettingsLayer { kUser, kProject, kLocal, kManaged };
inline constexpr std::array kSettingsLayers = {SettingsLayer::kUser, SettingsLayer::kProject,
                                               SettingsLayer::kLocal, SettingsLayer::kManaged};
std::string_view LayerName(SettingsLayer layer);  // "user"
bool IsPerProject(SettingsLayer layer);           // true if its file serves one project

// Returns --home, else HOME, else the home in /etc/passwd; "" if there is none.
Result<std::string> GivenOrOwnHome(const std::string& option);

// Finds the home, the client's configuration directory and the project. `home_option` is --home,
// `directory` is the project; "" means the user's home and the current directory.
Result<Registration> FindRegistration(const std::string& home_option, const std::string& directory);

// The same, but `directory` must exist if it is given.
Result<Registration> FindProject(const std::string& home_option, const std::string& directory);

std::string SettingsPath(SettingsLayer layer, const Registration& where);
// The same, with links in the home, project and configuration directories resolved: the hook may
// know them by either name.
std::string ResolvedSettingsPath(SettingsLayer layer, const Registration& where);
std::string ClientStatePath(const Registration& where);  // .claude.json

// Shortens a path for messages: "~/.claude/settings.json".
std::string ShownPath(const std::string& path, const Registration& where);

// One settings file as it is on the disk.
struct SettingsFile {
  SettingsLayer layer = SettingsLayer::kUser;
  std::string path;
  std::optional<std::string> text;  // nullopt: the file does not exist
  ClientSettings settings;
};
Result<SettingsFile> ReadSettingsFile(SettingsLayer layer, const Registration& where);
// The layers with distinct files: in the home, the project's settings are the user's.
std::vector<SettingsLayer> DistinctLayers(const Registration& where);
// Reads the files of these layers in order, then those in managed-settings.d.
Result<std::vector<SettingsFile>> ReadSettingsFiles(const Registration& where);
ClientSettings CheckSettings(const std::optional<std::string>& text, const std::string& path,
                             const Registration& where);

// True if the client runs the hooks in the file. It drops a whole file with a mistake, but in a
// managed file it skips the key, or does not start at all.
bool MayRunHooks(const SettingsFile& file);

// True if the text is only white space, which counts as an empty object.
bool IsBlank(std::string_view text);

}  // namespace ringfence
