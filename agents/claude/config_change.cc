#include "agents/claude/config_change.h"

#include "agents/claude/settings/settings.h"
#include "base/add_once.h"
#include "base/regular_file.h"
#include "policy/load/sources.h"

namespace ringfence {
namespace {

// Returns all settings files that the client reads for this project, and the one that the event
// names.
std::vector<Path> SettingsFiles(const Event& event, const Places& places) {
  std::vector<Path> files;
  const auto add = [&files](const Path& file) { AddOnce(files, file); };
  for (const char* name : {"settings.json", "settings.local.json"}) {
    add(places.root.Child(".claude").Child(name));
    for (const Path& home : places.homes) add(home.Child(".claude").Child(name));
    for (const Path& folder : places.settings_folders) add(folder.Child(name));
  }
  // The event also reports skills and other files of the client that are not settings.
  const std::optional<Path> named = Path::Parse(event.config_file);
  if (named && named->name().ends_with(".json")) add(*named);
  return files;
}

Result<Approvals> ReadApprovals(const Places& places) {
  if (places.homes.empty()) return Approvals{};
  const std::string path = ApprovalsPath(places.homes.front().text());
  Result<FileBytes> bytes = ReadRegularFile(path);
  if (!bytes) return bytes.error();
  if (bytes->missing) return Approvals{};
  return ParseApprovals(std::move(bytes->text), path);
}

}  // namespace

Result<std::vector<std::string>> WeakenedSettings(const Event& event, const Places& places,
                                                  std::string_view program) {
  const Result<Approvals> approvals = ReadApprovals(places);
  if (!approvals) return approvals.error();
  std::vector<std::string> reasons;
  for (const Path& file : SettingsFiles(event, places)) {
    Result<FileBytes> bytes = ReadRegularFile(file.text());
    if (!bytes) return bytes.error();
    ClientSettings settings;
    settings.path = file.text();
    settings.name = file.text();
    if (!bytes->missing) {
      settings = ParseClientSettings(std::move(bytes->text), file.text(), file.text());
    }
    for (std::string& reason : Weakens(settings, *approvals, program)) {
      reasons.push_back(std::move(reason));
    }
  }
  return reasons;
}

}  // namespace ringfence
