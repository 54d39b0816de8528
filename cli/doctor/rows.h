// The results of `ringfence doctor`, one row for each.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "cli/common/host_tools.h"
#include "cli/common/policies.h"
#include "policy/load/context.h"
#include "policy/policy.h"

namespace ringfence {

enum class Health {
  kGood,
  kWeak,     // weaker than it could be, or not required by the policy
  kMissing,  // required, but missing or broken
};

struct DoctorRow {
  Health health = Health::kGood;
  std::string about;  // "sandbox", "client"
  std::string text;
  std::string fix;  // "" if nothing needs fixing
};

// The installation under examination.
struct Patient {
  Registration where;
  HookProgram hook;
  std::string ringfence;  // the program that starts sandboxes, absolute
  std::string client;     // --client; "" for the first in PATH
  Registration given;     // from the command line
  std::vector<SettingsFile> settings;

  // The context and policy of the registration under examination; empty before the first one.
  const Context* context = nullptr;
  const Policy* policy = nullptr;
  std::string policy_option;  // absolute; may be empty
};

using DoctorRows = std::vector<DoctorRow>;

void LookAtPolicies(const Patient& patient, DoctorRows& rows);
void LookAtRegistration(const Patient& patient, DoctorRows& rows);  // by sending the hook an event
void LookAtPlugin(const Patient& patient, DoctorRows& rows);        // if it is installed
void LookAtClient(const Patient& patient, DoctorRows& rows);
void LookAtSandbox(const Patient& patient, DoctorRows& rows);  // by running it
void LookAtNetwork(const Patient& patient, DoctorRows& rows);  // the host's own proxy
void LookAtInside(const Patient& patient, DoctorRows& rows);   // mods, Code Mode
void LookAtState(const Patient& patient, DoctorRows& rows);    // modes, the clock
void LookAtReports(const Patient& patient, DoctorRows& rows);  // the log and the alerts

// Returns {2, 1, 330} for "2.1.330 (Claude Code)"; empty if `text` begins with no version.
std::vector<int> ParseVersion(std::string_view text);

}  // namespace ringfence
