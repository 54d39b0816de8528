// What `ringfence doctor` says of this host, a row a thing.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "cli/common/context_options.h"
#include "cli/common/host_tools.h"
#include "policy/load/context.h"
#include "policy/policy.h"

namespace ringfence {

enum class Health {
  kGood,
  kWeak,     // works, and less than it could; or nobody demands it
  kMissing,  // the policy demands it, and it is not there
};

struct DoctorRow {
  Health health = Health::kGood;
  std::string about;  // "sandbox", "client"
  std::string text;
  std::string fix;  // "": nothing to be done
};

// What is looked at.
struct Patient {
  Registration where;
  HookProgram hook;
  std::string ringfence;  // the program that starts sandboxes, absolute
  std::string client;     // --client; "": the first in PATH
  Registration given;     // on the command line
  std::vector<SettingsFile> settings;

  // Of what a registration puts in force; nothing before one is looked at.
  const Context* context = nullptr;
  const Policy* policy = nullptr;
  std::string policy_option;  // absolute; may be empty
  std::string profile;        // may be empty
};

using DoctorRows = std::vector<DoctorRow>;

void LookAtPolicies(const Patient& patient, DoctorRows& rows);
void LookAtRegistration(const Patient& patient, DoctorRows& rows);  // by a live event
void LookAtClient(const Patient& patient, DoctorRows& rows);
void LookAtSandbox(const Patient& patient, DoctorRows& rows);  // by running it
void LookAtInside(const Patient& patient, DoctorRows& rows);   // mods, Code Mode
void LookAtState(const Patient& patient, DoctorRows& rows);    // modes, the clock
void LookAtReports(const Patient& patient, DoctorRows& rows);  // the log and the alerts

// Of "2.1.330 (Claude Code)": {2, 1, 330}; empty where it is none.
std::vector<int> ParseVersion(std::string_view text);

}  // namespace ringfence
