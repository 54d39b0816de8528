// Registers the hook in one settings file: reads the current state, plans the changes, writes all
// of them or none, and proves that the registered command decides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/claude/setup/settings_editor.h"
#include "agents/claude/setup/settings_files.h"
#include "base/result.h"
#include "cli/common/confinement.h"
#include "cli/common/file_transaction.h"
#include "cli/common/policies.h"
#include "cli/setup/client_limits.h"
#include "cli/setup/proof.h"
#include "cli/setup/repository_writes.h"

namespace ringfence {

struct InstallRequest {
  Registration where;
  bool directory_is_given = false;
  SettingsLayer layer = SettingsLayer::kUser;
  HookProgram hook;
  std::string profile;
  std::string policy;                 // --policy, absolute; may be empty
  std::string root;                   // --root, absolute; may be empty
  bool keeps_client_sandbox = false;  // leaves its settings as they are
  bool client_fence = false;
  bool dry_run = false;
  bool may_ask = false;  // may ask the user on a terminal
};

struct InstallReport {
  std::string settings_path;
  std::vector<std::string> changes;            // of the settings file; empty if unchanged
  std::optional<RepositoryChange> repository;  // the change of a second file
  std::string policy_path;
  bool policy_is_new = false;
  std::vector<std::string> notes;
  Confinement confinement;
  std::vector<HookSwitch> switches;  // settings that keep the client from running the hook
  std::optional<Proof> proof;        // absent in a dry run, or if hooks are switched off
};

// If the proof failed, `error` describes it, and everything is as it was before.
struct InstallFailure {
  Error error;
  bool proof_failed = false;
};

class Installation {
 public:
  explicit Installation(InstallRequest request);
  // Fills `report`, or returns a failure.
  std::optional<InstallFailure> Run(InstallReport& report);

 private:
  Status OpenTransaction();
  Status ReadSettings();
  SettingsFile& Own();  // the settings file to change
  Status FindTarget();
  Registration Typed() const;
  Status ReadPolicy();
  Status EnsurePolicy();
  Status NotePolicy();
  Status NoteRepository();
  Status WidenToRepository();
  Status PinStarter(const std::string& text);
  Status EditSettings();
  HookCommand Command() const;
  Status PlanRepository();
  void NoteWhereCommandsWrite(const ClientSettings* local);
  Status WriteState();
  void ApproveFiles(Approvals& approvals, const std::vector<SettingsRecord>& records);
  Status WriteSettings();
  Status ProveIt();
  void NoteProgram();
  void NotePlugin();
  void NoteBorrowed();
  void Note(std::string note) { report_->notes.push_back(std::move(note)); }

  InstallRequest request_;
  std::string start_;  // the directory in which init was started
  InstallReport* report_ = nullptr;
  FileTransaction transaction_;
  std::vector<SettingsFile> files_;
  std::string target_;  // the settings file with links resolved
  std::optional<std::string> before_;
  std::string after_;
  SettingsRecord record_;
  LimitedClient limited_;
  std::optional<Context> context_;
  std::optional<Policy> policy_;
  BorrowedProject borrowed_;
};

}  // namespace ringfence
