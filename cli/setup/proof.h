// Proves that a registered hook decides: one event that must be denied and one that must pass.
#pragma once

#include <string>
#include <string_view>

#include "agents/claude/setup/settings_editor.h"
#include "agents/claude/setup/settings_files.h"
#include "base/result.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// What is tried: two names that nobody can foresee, so that no program can know the answers.
struct Trial {
  std::string tool;            // "Read" or "Write", which the policy denies of `denied_path`
  std::string denied_path;     // there is no such file
  std::string permitted_path;  // that the policy permits to read; "": there is none to try
};
Trial TrialFor(const Policy& policy, const Places& places, const Registration& where);

// By which the log knows the trials of `init` and `doctor`.
inline constexpr std::string_view kInitSession = "ringfence-init";
inline constexpr std::string_view kDoctorSession = "ringfence-doctor";

struct Proof {
  Trial trial;
  std::string reason;  // what the model would be told
};

struct ProofCase {
  HookCommand command;
  std::string home;     // as the client would set HOME
  std::string project;  // an existing folder
  std::string session;  // kInitSession or kDoctorSession
  Trial trial;
  bool is_logged = true;  // false: the trial leaves nothing in the audit log
};

// An error says which of the two went wrong, and how.
Result<Proof> Prove(const ProofCase& proof_case);

}  // namespace ringfence
