// Where "root": "git" makes the project more than the directory in which the client starts, the
// client's own sandbox still lets commands write that directory alone (measured on 2.1.330 and
// 2.1.331). Its .claude/settings.local.json, which counts for sessions that start there, opens the
// rest of the repository, so that `git commit` works.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/claude/setup/client_sandbox.h"
#include "agents/claude/setup/settings_editor.h"
#include "agents/claude/setup/settings_files.h"
#include "agents/claude/setup/settings_record.h"
#include "base/result.h"
#include "policy/places.h"

namespace ringfence {

// To edit a settings file, which may be missing or blank. At the first change of a file its record
// also gets what it was.
Result<SettingsEditor> OpenSettings(const std::optional<std::string>& before,
                                    SettingsRecord record);

// sandbox.filesystem.allowWrite and denyWrite, both empty where nothing is to be opened.
struct RepositoryWrites {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
};
RepositoryWrites RepositoryWritesFor(const Places& places);

// The same, added to the lists of a registration in that very file.
void AddTo(ClientLimits& limits, const RepositoryWrites& writes);

// What `ringfence init` changes in the local settings file for a registration in another one.
struct RepositoryChange {
  std::string path;
  std::optional<std::string> before;  // nullopt if the file does not exist
  std::string after;
  SettingsRecord record;
  bool opens = false;  // or takes back what an earlier run had opened
};
struct RepositoryQuestion {
  const SettingsFile& local;
  SettingsRecord record;     // of an earlier run, or an empty one
  std::string registration;  // the settings file that holds the hook
  std::string program;       // the hook
  RepositoryWrites writes;
};
// Nothing where the file is as it should be, or is not this one's to change: it holds a
// registration of its own, is a link, or the client drops it as a whole.
Result<std::optional<RepositoryChange>> PlanRepositoryWrites(const RepositoryQuestion& question);

}  // namespace ringfence
