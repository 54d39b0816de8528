// The files below ~/.local/state/ringfence that commands keep: what is trusted, what was approved
// and what init changed. Mode 0600 in folders of mode 0700; no agent may write them.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/settings_record.h"
#include "base/result.h"
#include "cli/common/file_transaction.h"
#include "policy/load/trust.h"

namespace ringfence {

// One state file: what it held when it was read, and its value, which may be changed and saved.
template <typename Value>
struct StateFile {
  std::string path;
  std::optional<std::string> text;
  Value value;
};

Result<StateFile<std::vector<TrustedProject>>> ReadTrust(const std::string& home);
Result<StateFile<Approvals>> ReadApprovalsFile(const std::string& home);
Result<StateFile<std::vector<SettingsRecord>>> ReadRecords(const std::string& home);

// Nothing is written when nothing has changed.
Status Save(const StateFile<std::vector<TrustedProject>>& file, FileTransaction& transaction);
Status Save(const StateFile<Approvals>& file, FileTransaction& transaction);
Status Save(const StateFile<std::vector<SettingsRecord>>& file, FileTransaction& transaction);

// Puts the digest in the place of the one of the same root.
void Pin(std::vector<TrustedProject>& projects, const TrustedProject& project);
// What a person accepts by running init: the file as it is. Of the client's deny rules only those
// that `record` says we wrote; the others are the user's to remove.
ApprovedFile ApprovedWith(const ClientSettings& settings, std::string_view program,
                          const SettingsRecord& record);
// Puts `file` in the place of the one of the same path.
void Approve(Approvals& approvals, const ApprovedFile& file);

}  // namespace ringfence
