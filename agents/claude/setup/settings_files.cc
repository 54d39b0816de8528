#include "agents/claude/setup/settings_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "agents/claude/agent.h"
#include "base/environment.h"
#include "base/regular_file.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/files/real_files.h"
#include "policy/places.h"

namespace ringfence {
namespace {

#ifdef __APPLE__
constexpr const char* kManagedSettings =
    "/Library/Application Support/ClaudeCode/managed-settings.json";
#else
constexpr const char* kManagedSettings = "/etc/claude-code/managed-settings.json";
#endif

Result<std::string> FindHome(const std::string& option) {
  const Result<std::string> named = GivenOrOwnHome(option);
  if (!named) return named.error();
  const std::string& home = *named;
  if (home.empty()) {
    return UsageError("", "HOME is not set, and /etc/passwd has no home for you",
                      "name the home directory: --home DIR");
  }
  const char* where = option.empty() ? "HOME" : "--home";
  const std::optional<Path> path = Path::Parse(home);
  if (!path) {
    return UsageError(where, Quote(home) + " is not an absolute path",
                      "name the home directory: --home DIR");
  }
  if (!IsValidUtf8(home))
    return UsageError(where, "is not UTF-8, so a settings file cannot name it");
  struct stat facts {};
  const bool is_there = ::stat(path->text().c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
  if (!option.empty() && !is_there) {  // a service's HOME need not exist
    return UsageError("--home", Quote(home) + " is not an existing directory",
                      "name an existing one");
  }
  return path->text();
}

// Returns the additional files of the managed settings, sorted.
std::vector<std::string> ManagedParts() {
  std::vector<std::string> parts;
  std::error_code failure;
  const std::filesystem::path folder =
      std::filesystem::path(kManagedSettings).parent_path() / "managed-settings.d";
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::filesystem::path& path = entry.path();
    const bool is_hidden = path.filename().string().starts_with('.');
    if (!is_hidden && path.extension() == ".json") parts.push_back(path.string());
  }
  std::ranges::sort(parts);
  return parts;
}

Result<SettingsFile> ReadFrom(std::string path, SettingsLayer layer, const Registration& where) {
  SettingsFile file;
  file.layer = layer;
  file.path = std::move(path);
  if (Status s = ReadIfThere(file.path).MoveTo(file.text); !s) return s.error();
  file.settings = CheckSettings(file.text, file.path, where);
  return file;
}

}  // namespace

Result<std::string> GivenOrOwnHome(const std::string& option) {
  if (!option.empty()) return option;
  if (std::string home = Variable("HOME"); !home.empty()) return home;
  const Result<std::optional<Path>> home = PasswdHome(::geteuid(), RealFiles());
  if (!home) return home.error();
  return *home ? (*home)->text() : std::string();
}

std::string_view LayerName(SettingsLayer layer) {
  constexpr std::string_view kNames[] = {"user", "project", "local",
                                         "managed"};  // by SettingsLayer
  return kNames[static_cast<size_t>(layer)];
}

bool IsPerProject(SettingsLayer layer) {
  return layer == SettingsLayer::kProject || layer == SettingsLayer::kLocal;
}

Result<Registration> FindRegistration(const std::string& home_option,
                                      const std::string& directory) {
  Registration where{.agent = &ClaudeCode()};
  if (Status s = FindHome(home_option).MoveTo(where.home); !s) return s.error();
  where.config_dir = Variable("CLAUDE_CONFIG_DIR");
  if (!where.config_dir.empty() && !Path::Parse(where.config_dir)) {
    return UsageError("CLAUDE_CONFIG_DIR", Quote(where.config_dir) + " is not an absolute path");
  }
  where.project_dir = directory;
  if (directory == "~" || directory.starts_with("~/")) {  // quoted, so the shell did not expand it
    where.project_dir = where.home + directory.substr(1);
  } else if (!directory.starts_with('/')) {
    const std::string current = CurrentDirectory();
    if (current.empty()) return NoCurrentDirectory("go to an existing directory");
    where.project_dir = current + "/" + directory;
  }
  where.project_dir = Path::Clean(where.project_dir).text();
  if (!IsValidUtf8(where.project_dir)) {
    return UsageError(Quote(where.project_dir), "is not UTF-8, so a settings file cannot name it");
  }
  return where;
}

Result<Registration> FindProject(const std::string& home_option, const std::string& directory) {
  Result<Registration> where = FindRegistration(home_option, directory);
  if (!where || directory.empty()) return where;
  struct stat facts {};
  if (::stat(where->project_dir.c_str(), &facts) != 0) {
    const int failure = errno;
    if (failure == ENOENT || failure == ENOTDIR) {
      return UsageError(Quote(where->project_dir), "does not exist",
                        "name the project's directory");
    }
    return SystemError("stat(" + where->project_dir + ")", failure);
  }
  if (!S_ISDIR(facts.st_mode)) {
    return UsageError(Quote(where->project_dir), "is not a directory",
                      "name the project's directory");
  }
  return where;
}

std::string SettingsPath(SettingsLayer layer, const Registration& where) {
  switch (layer) {
    case SettingsLayer::kUser:
      return (where.config_dir.empty() ? where.home + "/.claude" : where.config_dir) +
             "/settings.json";
    case SettingsLayer::kProject:
      return where.project_dir + "/.claude/settings.json";
    case SettingsLayer::kLocal:
      return where.project_dir + "/.claude/settings.local.json";
    case SettingsLayer::kManaged:
      return kManagedSettings;
  }
  return "";
}

std::string ResolvedSettingsPath(SettingsLayer layer, const Registration& where) {
  const auto resolved = [](const std::string& folder) {
    std::error_code failed;
    const std::string real = std::filesystem::canonical(folder, failed).string();
    return failed ? folder : real;
  };
  const std::string config = where.config_dir.empty() ? "" : resolved(where.config_dir);
  Registration real = where;
  real.home = resolved(where.home);
  real.config_dir = config;
  real.project_dir = resolved(where.project_dir);
  return SettingsPath(layer, real);
}

std::string ClientStatePath(const Registration& where) {
  return (where.config_dir.empty() ? where.home : where.config_dir) + "/.claude.json";
}

std::string ShownPath(const std::string& path, const Registration& where) {
  if (path.starts_with(where.home + "/")) return "~" + path.substr(where.home.size());
  return path;
}

bool MayRunHooks(const SettingsFile& file) {
  return file.layer == SettingsLayer::kManaged || file.settings.drops.empty();
}

bool IsBlank(std::string_view text) {
  return WithoutByteOrderMark(text).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

ClientSettings CheckSettings(const std::optional<std::string>& text, const std::string& path,
                             const Registration& where) {
  const bool is_blank = !text || IsBlank(*text);
  return ParseClientSettings(is_blank ? "{}" : *text, ShownPath(path, where), path);
}

Result<SettingsFile> ReadSettingsFile(SettingsLayer layer, const Registration& where) {
  return ReadFrom(SettingsPath(layer, where), layer, where);
}

std::vector<SettingsLayer> DistinctLayers(const Registration& where) {
  std::vector<SettingsLayer> layers(kSettingsLayers.begin(), kSettingsLayers.end());
  if (SettingsPath(SettingsLayer::kProject, where) == SettingsPath(SettingsLayer::kUser, where)) {
    std::erase(layers, SettingsLayer::kProject);
  }
  return layers;
}

Result<std::vector<SettingsFile>> ReadSettingsFiles(const Registration& where) {
  std::vector<SettingsFile> files;
  for (const SettingsLayer layer : DistinctLayers(where)) {
    Status read = ReadSettingsFile(layer, where).MoveTo(files.emplace_back());
    if (!read) return read.error();
  }
  for (std::string& part : ManagedParts()) {
    Status read =
        ReadFrom(std::move(part), SettingsLayer::kManaged, where).MoveTo(files.emplace_back());
    if (!read) return read.error();
  }
  return files;
}

}  // namespace ringfence
