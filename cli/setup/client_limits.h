// Limits the client itself by the policy, in the settings file that registers the hook: by its
// rules for mentions of files, by its fence, and by its own sandbox.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_editor.h"
#include "agents/claude/setup/settings_files.h"
#include "base/result.h"
#include "cli/common/host_tools.h"
#include "cli/common/policies.h"
#include "cli/setup/repository_writes.h"

namespace ringfence {

struct InstallRequest;

struct LimitQuestion {
  const InstallRequest& request;
  const std::vector<SettingsFile>& files;  // of all layers
  const SettingsFile& own;                 // the one that is edited
  const Context& context;
  const Policy& policy;
  bool is_borrowed = false;  // BorrowedProject::is_borrowed()
};

struct LimitedClient {
  SandboxTools tools;           // empty if the policy wraps commands
  bool limits_sandbox = false;  // this run limits the client's own sandbox
  RepositoryWrites writes;      // what that sandbox opens besides the client's start directory
  std::vector<std::string> notes;
};

Result<LimitedClient> LimitClient(const LimitQuestion& question, SettingsEditor& editor);

}  // namespace ringfence
