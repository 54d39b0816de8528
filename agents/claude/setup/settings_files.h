// The client's settings files: which there are, where they stand, and what they hold.
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
bool IsPerProject(SettingsLayer layer);           // its file serves one project

// --home, else HOME, else the home that /etc/passwd has; "" where there is none.
Result<std::string> GivenOrOwnHome(const std::string& option);

// With the home, the client's configuration directory and the project. `home_option` is --home,
// `directory` the project's; "" stands for the home and for the current directory.
Result<Registration> FindRegistration(const std::string& home_option, const std::string& directory);

// The same, of a folder that must be there where one is named.
Result<Registration> FindProject(const std::string& home_option, const std::string& directory);

std::string SettingsPath(SettingsLayer layer, const Registration& where);
// The same with links on the way to the home, the project or the configuration directory resolved:
// the hook may know them by either name.
std::string ResolvedSettingsPath(SettingsLayer layer, const Registration& where);
std::string ClientStatePath(const Registration& where);  // .claude.json

// "~/.claude/settings.json" for people.
std::string ShownPath(const std::string& path, const Registration& where);

// One settings file as it is on the disk.
struct SettingsFile {
  SettingsLayer layer = SettingsLayer::kUser;
  std::string path;
  std::optional<std::string> text;  // nothing: there is no file
  ClientSettings settings;
};
Result<SettingsFile> ReadSettingsFile(SettingsLayer layer, const Registration& where);
// The layers that have a file of their own: in the home, the project's settings are the user's.
std::vector<SettingsLayer> DistinctLayers(const Registration& where);
// Of these layers, in their order, then the managed ones of managed-settings.d.
Result<std::vector<SettingsFile>> ReadSettingsFiles(const Registration& where);
ClientSettings CheckSettings(const std::optional<std::string>& text, const std::string& path,
                             const Registration& where);

// The client starts the hooks in it. For a mistake it drops the whole file; of the managed ones it
// skips the key, or does not start at all.
bool MayRunHooks(const SettingsFile& file);

// Nothing but white space counts as an empty object.
bool IsBlank(std::string_view text);

}  // namespace ringfence
