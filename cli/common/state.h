// The state files below ~/.local/state/ringfence: trusted projects, approved settings, and the
// changes that init made. Mode 0600 in directories of mode 0700; no agent may write them.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/settings_record.h"
#include "base/result.h"
#include "cli/common/file_transaction.h"
#include "policy/load/trust.h"

namespace ringfence {

// One state file: its text when it was read, and its value, which the caller can change and save.
template <typename Value>
struct StateFile {
  std::string path;
  std::optional<std::string> text;
  Value value;
};

Result<StateFile<std::vector<TrustedProject>>> ReadTrust(const std::string& home);
Result<StateFile<Approvals>> ReadApprovalsFile(const std::string& home);
Result<StateFile<std::vector<SettingsRecord>>> ReadRecords(const std::string& home);

// Writes nothing if the text is unchanged.
Status Save(const StateFile<std::vector<TrustedProject>>& file, FileTransaction& transaction);
Status Save(const StateFile<Approvals>& file, FileTransaction& transaction);
Status Save(const StateFile<std::vector<SettingsRecord>>& file, FileTransaction& transaction);

// Returns the record of a file under this path, even if it was made before a link led to the file;
// an empty record if there is none.
SettingsRecord RecordOf(const std::vector<SettingsRecord>& records, const std::string& path);
// Adds `record`, or replaces the one of the same file.
void PutRecord(std::vector<SettingsRecord>& records, const SettingsRecord& record);
// Removes the record of a file, if there is one.
void DropRecord(std::vector<SettingsRecord>& records, const std::string& path);

// Adds the project, and replaces an entry with the same root.
void Pin(std::vector<TrustedProject>& projects, const TrustedProject& project);
// Returns the file as it is, which the user accepts by running init. Of the client's deny rules it
// keeps only those that `record` says we wrote: the user may remove the others.
ApprovedFile ApprovedWith(const ClientSettings& settings, std::string_view program,
                          const SettingsRecord& record);
// Adds `file`, and replaces an entry with the same path.
void Approve(Approvals& approvals, const ApprovedFile& file);

}  // namespace ringfence
