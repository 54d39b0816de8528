// With "root": "git" the project can be larger than the directory in which the client starts, but
// the client's own sandbox lets commands write only that directory (measured on 2.1.330 and
// 2.1.331). The directory's .claude/settings.local.json, which applies to sessions that start
// there, opens the rest of the repository, so that `git commit` works.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/claude/setup/client_sandbox.h"
#include "agents/claude/setup/settings_editor.h"
#include "agents/claude/setup/settings_files.h"
#include "agents/claude/setup/settings_record.h"
#include "base/path.h"
#include "base/result.h"
#include "cli/common/ask.h"
#include "policy/places.h"

namespace ringfence {

// Opens a settings file, which may be missing or blank, for editing. Before the first change of a
// file, adds its original state to the record.
Result<SettingsEditor> OpenSettings(const std::optional<std::string>& before,
                                    SettingsRecord record);

// sandbox.filesystem.allowWrite and denyWrite; both are empty if there is nothing to open.
struct RepositoryWrites {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
};
RepositoryWrites RepositoryWritesFor(const Places& places);

// Adds the writes to the lists of a registration in the same file.
void AddTo(ClientLimits& limits, const RepositoryWrites& writes);

// The change of `ringfence init` to the local settings file, for a registration in another file.
struct RepositoryChange {
  std::string path;
  std::optional<std::string> before;  // nullopt if the file does not exist
  std::string after;
  SettingsRecord record;
  bool opens = false;  // false if it removes what an earlier run opened
};
struct RepositoryQuestion {
  const SettingsFile& local;
  SettingsRecord record;     // of an earlier run, or empty
  std::string registration;  // the settings file that registers the hook
  std::string program;       // the hook's program
  RepositoryWrites writes;
};
// Returns nothing if the file needs no change, or must not be changed: it has a registration of its
// own, is a link, or the client drops it as a whole.
Result<std::optional<RepositoryChange>> PlanRepositoryWrites(const RepositoryQuestion& question);

// Asks whether the project, a directory of a repository, should be the whole repository. `policy`
// is the file to change, as shown to the user. `is_for_all`: it applies to every project.
UserReply AskForRepository(const Path& repository, const std::string& policy, bool is_for_all);

// Returns the text of a policy with "root": "git" set. `shown` is its name in errors.
Result<std::string> WithRepositoryAsRoot(const std::string& text, const std::string& shown);

}  // namespace ringfence
